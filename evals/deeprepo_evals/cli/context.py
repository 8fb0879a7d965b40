"""`deeprepo eval context`: is a fact found in a long text, wherever it stands, and what does that cost?"""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.exits import tell
from bot.cli.reviewing import progress
from deeprepo_evals.cli import options
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
    size: Annotated[
        str, typer.Option(metavar="N,...", help="Length of the text in characters, for example 8k, 300000 or 10M.")
    ] = "",
    position: Annotated[
        str, typer.Option(metavar="P,...", help="Position of the fact: 0.0 to 1.0, or last. sweep: all positions.")
    ] = "",
    method: Annotated[
        str,
        typer.Option(
            metavar="NAME,...",
            help="direct, chunked, bm25, codeact, rlm-only, fanout, rlm (default: these), compaction, codeact-calls, codeact-bm25, majority, or all.",
        ),
    ] = "",
    model: Annotated[
        str | None,
        typer.Option(metavar="PROVIDER/MODEL", help="Model for the root and the worker (default: scripted/honest)."),
    ] = None,
    root: Annotated[str | None, typer.Option(metavar="PROVIDER/MODEL", help="The model that answers.")] = None,
    worker: Annotated[
        str | None,
        typer.Option(metavar="PROVIDER/MODEL", help="The worker model, usually a cheaper one, which reads the code."),
    ] = None,
    window: Annotated[int, typer.Option(min=1_000, help="Characters of text that fit into one prompt.")] = 200_000,
    problems: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Your own problems as JSON lines with context or path, question and answer."),
    ] = None,
    depth: Annotated[
        str,
        typer.Option(
            metavar="N,...", help="For rlm-only and rlm: 0 without workers, 1 with workers, 2 also with further roots."
        ),
    ] = "1",
    turns: options.Turns = 12,
    seed: Annotated[
        str, typer.Option(metavar="N,...", help="Seeds of the generated texts, for example 1,2 or 1-50.")
    ] = "1",
    rounds: Annotated[int, typer.Option(min=1, help="How often to ask each question. Use 3 to measure a model.")] = 1,
    max_usd: Annotated[float, typer.Option(min=0, help="Spending limit for this run, in dollars.")] = 5.0,
    out: options.Results = None,
    trace: options.Trace = None,
    quiet: options.Quiet = False,
) -> int:
    """Compare methods of answering questions about long texts. Without options, a scripted model is used.

    Exit codes: 0 done; 2 usage error; 3 a provider or the spending limit left something open; 130 interrupted.
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
