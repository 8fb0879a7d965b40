"""`deeprepo eval train`: what roots earn in the training environment, with scripted ones or with any model."""

import asyncio
import sys
from functools import partial
from typing import Annotated, Literal

import typer

from bot.cli.reviewing import progress
from deeprepo_evals.cli import options
from deeprepo_evals.cli.ending import end

Scope = Literal["whole", "change", "both"]
Split = Literal["train", "eval"]


def command(
    root: Annotated[
        str,
        typer.Option(
            metavar="MODEL,...", help="Root models: provider/model, or scripted ones (default: all scripted ones)."
        ),
    ] = "",
    worker: options.Worker = "",
    count: Annotated[int, typer.Option(min=1, max=10_000, help="Code bases.")] = 6,
    files: Annotated[
        str, typer.Option(metavar="N,...", help="Number of files in each, 10 to 300 (default: 10,20,40,80,150,300).")
    ] = "",
    scope: Annotated[
        Scope, typer.Option(help="whole: the change adds all of the code. change: it rewrites some functions.")
    ] = "both",
    split: Annotated[Split, typer.Option(help="Tasks for training, or held-out tasks.")] = "eval",
    turns: options.Turns = 12,
    rounds: Annotated[int, typer.Option(min=1, help="Rollouts of each task.")] = 1,
    max_usd: Annotated[float | None, typer.Option(min=0, help="Spending limit for this run, in dollars.")] = None,
    out: options.Results = None,
    trace: options.Trace = None,
    quiet: options.Quiet = False,
) -> int:
    """Run root models in the training environment. Prints the parts of each run's reward.

    Exit codes: 0 done; 2 usage error; 3 a provider left something open; 130 interrupted.
    """
    from deeprepo_evals.train import run, table

    plan = run.plan_of(
        root, worker, files, count=count, scope=scope, split=split, turns=turns, rounds=rounds, usd=max_usd
    )
    with progress(quiet=quiet) as show:
        say = show if quiet or sys.stderr.isatty() else partial(typer.echo, err=True)
        ended = asyncio.run(run.carry_out(plan, out, say, trace))
    return end(ended, out, table.roots)
