"""`deeprepo eval roots`: which root model delegates, what it finds so, and what that costs."""

import asyncio
from typing import Annotated

import typer

from bot.cli.reviewing import progress
from deeprepo_evals import plant
from deeprepo_evals.cli import options
from deeprepo_evals.cli.ending import end


def command(
    root: Annotated[
        str, typer.Option(metavar="MODEL,...", help="Root models to compare (default: three scripted ones).")
    ] = "",
    worker: options.Worker = "",
    strategy: Annotated[
        str,
        typer.Option(
            metavar="NAME,...", help="rlm-only, rlm, single-call (default: all). single-call uses the first root."
        ),
    ] = "",
    files: Annotated[
        str, typer.Option(metavar="N,...", help="Number of files in a code base, 10 to 300 (default: 289).")
    ] = "",
    seed: Annotated[str, typer.Option(metavar="N,...", help="Seeds of the generated code bases.")] = "1",
    scope: Annotated[
        plant.Scope, typer.Option(help="whole: the change adds all of the code. change: it rewrites some functions.")
    ] = "whole",
    window: Annotated[int, typer.Option(min=1_000, help="Characters of code that the single call sees.")] = 180_000,
    turns: options.Turns = 12,
    rounds: Annotated[int, typer.Option(min=1, help="Number of repetitions. Use 3 to measure a model.")] = 1,
    verify: Annotated[bool, typer.Option(help="Whether findings are confirmed.")] = False,
    max_usd: Annotated[
        float | None, typer.Option(min=0, help="Spending limit for this comparison, in dollars.")
    ] = None,
    out: options.Results = None,
    trace: options.Trace = None,
    quiet: options.Quiet = False,
) -> int:
    """Compare root models on code bases with planted defects. Without options, the models are scripted.

    Exit codes: 0 done; 2 usage error; 3 a provider or the spending limit left something open; 130 interrupted.
    """
    from deeprepo_evals.roots import plan_options, run, table

    plan = plan_options.plan(
        root, worker, strategy, files, seed,
        scope=scope, window=window, turns=turns, rounds=rounds, verify=verify, usd=max_usd,
    )  # fmt: skip
    with progress(quiet=quiet) as say:
        ended = asyncio.run(run.carry_out(plan, out, say, trace))
    return end(ended, out, table.text)
