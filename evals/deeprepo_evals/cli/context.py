"""`deeprepo eval context`: is a fact found in a long text, wherever it stands, and what does that cost?"""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.exits import tell
from bot.cli.reviewing import progress
from deeprepo_evals.cli.ending import end

RESULTS = Path("eval-context.jsonl")  # where a run that costs money keeps its results, if nothing else is said


def command(
    task: Annotated[
        str,
        typer.Option(
            metavar="KIND,...",
            help="needle, json, multi, decoys, none, hop1, hop2, count, compare, oolong, pairs, or all.",
        ),
    ] = "",
    size: Annotated[str, typer.Option(metavar="N,...", help="Characters of the text: 8k, 300000, 10M.")] = "",
    position: Annotated[
        str, typer.Option(metavar="P,...", help="Where the fact stands, 0.0 to 1.0 or last; sweep: everywhere.")
    ] = "",
    method: Annotated[
        str,
        typer.Option(
            metavar="NAME,...",
            help="direct, chunked, bm25, codeact, rlm-only, fanout, rlm (default: these), compaction, codeact-calls, codeact-bm25, majority, or all.",
        ),
    ] = "",
    model: Annotated[
        str | None, typer.Option(metavar="PROVIDER/MODEL", help="Root and worker (default: scripted/honest).")
    ] = None,
    root: Annotated[str | None, typer.Option(metavar="PROVIDER/MODEL", help="The model that answers.")] = None,
    worker: Annotated[
        str | None,
        typer.Option(metavar="PROVIDER/MODEL", help="The worker model, usually a cheaper one, which reads the code."),
    ] = None,
    window: Annotated[int, typer.Option(min=1_000, help="Characters of text that fit into one prompt.")] = 200_000,
    problems: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Your own problems, JSON lines: context or path, question, answer."),
    ] = None,
    depth: Annotated[
        str, typer.Option(metavar="N,...", help="Of rlm-only and rlm: 0 has nobody to ask, 1 workers, 2 further roots.")
    ] = "1",
    turns: Annotated[int, typer.Option(min=1, max=50, help="Turns of a root.")] = 12,
    seed: Annotated[str, typer.Option(metavar="N,...", help="Each seed makes other texts: 1,2 or 1-50.")] = "1",
    rounds: Annotated[int, typer.Option(min=1, help="How often each is asked; 3 where a model is measured.")] = 1,
    max_usd: Annotated[float, typer.Option(min=0, help="Hard cap of this run in dollars.")] = 5.0,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Results as JSON lines; run again, it goes on.")
    ] = None,
    trace: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Record every call there; `deeprepo trace FILE` shows it.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress line.")] = False,
) -> int:
    """Put questions about long texts to several methods; without options the seeds' experiments, with a scripted model.

    Exit codes: 0; 2 usage error; 3 a provider or the cap left something open; 130 interrupted.
    """
    from deeprepo_evals.context import own, plan_options, run, table

    has_tasks = task or size or position or problems is None
    plan = run.Plan(
        plan_options.tasks(task, size, position, seed) if has_tasks else (),
        plan_options.methods(method),
        *plan_options.models(model, root, worker),
        window=window,
        turns=turns,
        rounds=rounds,
        own=own.read(problems) if problems is not None else {},
        depths=plan_options.depths(depth),
    )
    if plan.own and plan.root.startswith("scripted/"):
        tell("A scripted model knows the problems that are made here, not yours: name --root and --worker.")
    if out is None and not plan.free:
        out = RESULTS
        tell(f"The results are kept in {out}.")
    with progress(quiet=quiet) as say:
        ended = asyncio.run(run.carry_out(plan, out=out, trace=trace, usd=max_usd, say=say))
    return end(ended, out, table.text)
