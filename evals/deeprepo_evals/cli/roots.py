"""`deeprepo eval roots`: which root model delegates, what it finds so, and what that costs."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.reviewing import progress
from deeprepo_evals import plant
from deeprepo_evals.cli.ending import end


def command(
    root: Annotated[
        str, typer.Option(metavar="MODEL,...", help="Roots to compare (default: the three scripted ones).")
    ] = "",
    worker: Annotated[str, typer.Option(metavar="MODEL", help="The worker of all (default: scripted/reader).")] = "",
    strategy: Annotated[
        str,
        typer.Option(metavar="NAME,...", help="rlm-only, rlm, single-call (default: all; the call by the first root)."),
    ] = "",
    files: Annotated[str, typer.Option(metavar="N,...", help="Files of a code base, 10 to 300 (default: 289).")] = "",
    seed: Annotated[str, typer.Option(metavar="N,...", help="Each seed makes another code base.")] = "1",
    scope: Annotated[
        plant.Scope, typer.Option(help="whole: the change brings all of the code; change: it rewrites some functions.")
    ] = "whole",
    window: Annotated[int, typer.Option(min=1_000, help="Characters of code that the single call sees.")] = 180_000,
    turns: Annotated[int, typer.Option(min=1, max=50, help="Turns of a root.")] = 12,
    rounds: Annotated[int, typer.Option(min=1, help="How often; 3 where a model is measured.")] = 1,
    verify: Annotated[bool, typer.Option(help="With second opinions, or without.")] = False,
    max_usd: Annotated[float | None, typer.Option(min=0, help="Hard cap of this comparison in dollars.")] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Results as JSON lines; run again, it goes on.")
    ] = None,
    trace: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Record every call there; `deeprepo trace FILE` shows it.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress line.")] = False,
) -> int:
    """Compare roots over code bases with planted defects; without options the research journal's comparison, scripted.

    Exit codes: 0; 2 usage error; 3 a provider or the cap left something open; 130 interrupted.
    """
    from deeprepo_evals.roots import plan_options, run, table

    plan = plan_options.plan(
        root, worker, strategy, files, seed,
        scope=scope, window=window, turns=turns, rounds=rounds, verify=verify, usd=max_usd,
    )  # fmt: skip
    with progress(quiet=quiet) as say:
        ended = asyncio.run(run.carry_out(plan, out, say, trace))
    return end(ended, out, table.text)
