"""`deeprepo eval train`: what roots earn in the training environment, with scripted ones or with any model."""

import asyncio
import sys
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from bot.cli.reviewing import progress
from deeprepo_evals.cli.ending import end

Scope = Literal["whole", "change", "both"]
Split = Literal["train", "eval"]


def command(
    root: Annotated[
        str, typer.Option(metavar="MODEL,...", help="Roots: provider/model, or scripted ones (default: all scripted).")
    ] = "",
    worker: Annotated[str, typer.Option(metavar="MODEL", help="The worker of all (default: scripted/reader).")] = "",
    count: Annotated[int, typer.Option(min=1, max=10_000, help="Code bases.")] = 6,
    files: Annotated[
        str, typer.Option(metavar="N,...", help="Their files, 10 to 300 (default: 10,20,40,80,150,300).")
    ] = "",
    scope: Annotated[
        Scope, typer.Option(help="whole: the change brings all of the code; change: it rewrites some functions.")
    ] = "both",
    split: Annotated[Split, typer.Option(help="Tasks to train on, or those held out.")] = "eval",
    turns: Annotated[int, typer.Option(min=1, max=50, help="Turns of a root.")] = 12,
    rounds: Annotated[int, typer.Option(min=1, help="Rollouts of each task.")] = 1,
    max_usd: Annotated[float | None, typer.Option(min=0, help="Hard cap of this run in dollars.")] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Results as JSON lines; run again, it goes on.")
    ] = None,
    trace: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Record every call there; `deeprepo trace FILE` shows it.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> int:
    """Roll out roots in the training environment; a row for each, with the parts of its reward.

    Exit codes: 0; 2 usage error; 3 a provider left something open; 130 interrupted.
    """
    from deeprepo_evals.train import run, table

    plan = run.plan_of(
        root, worker, files, count=count, scope=scope, split=split, turns=turns, rounds=rounds, usd=max_usd
    )
    with progress(quiet=quiet) as show:
        say = show if quiet or sys.stderr.isatty() else partial(typer.echo, err=True)
        ended = asyncio.run(run.carry_out(plan, out, say, trace))
    return end(ended, out, table.roots)
