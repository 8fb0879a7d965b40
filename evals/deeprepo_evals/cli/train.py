"""`deeprepo eval train`: what roots earn in the training environment, with scripted ones or with any model."""

import asyncio
import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.exits import CLEAN, FAULT, INTERRUPTED, tell
from bot.cli.reviewing import progress
from deeprepo_evals.cli.shape import Shape


class Scope(StrEnum):
    """What the reviewed change is."""

    whole = "whole"
    change = "change"
    both = "both"


class Split(StrEnum):
    """Which tasks; none of one split is one of the other."""

    train = "train"
    eval = "eval"


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
    ] = Scope.both,
    split: Annotated[Split, typer.Option(help="Tasks to train on, or those held out.")] = Split.eval,
    turns: Annotated[int, typer.Option(min=1, max=50, help="Turns of a root.")] = 12,
    rounds: Annotated[int, typer.Option(min=1, help="Rollouts of each task.")] = 1,
    max_usd: Annotated[float | None, typer.Option(min=0, help="Hard cap of this run in dollars.")] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Results as JSON lines; run again, it goes on.")
    ] = None,
    trace: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Record every call there; `deeprepo trace FILE` shows it.")
    ] = None,
    form: Annotated[Shape, typer.Option("--format", help="Form of the output.")] = Shape.table,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress line.")] = False,
) -> int:
    """Roll out roots in the training environment; a row for each, with the parts of its reward.

    Exit codes: 0; 2 usage error; 3 a provider left something open; 130 interrupted.
    """
    from deeprepo_evals.train import run, table, table_options, traces

    plan = table_options.plan(
        root, worker, files, count=count, scope=scope.value, split=split.value, turns=turns, rounds=rounds, usd=max_usd
    )
    with progress(quiet=quiet) as say:
        ended = asyncio.run(run.carry_out(plan, out, say, trace))
    columns = traces.by_root(ended.rows)
    if form is Shape.json:
        sys.stdout.write(json.dumps(table.document(columns), indent=1) + "\n")
    elif columns:
        sys.stdout.write(table.roots(columns) + "\n")
    for sentence in ended.why:
        tell(f"deeprepo: {sentence}")
    if not ended.left:
        return CLEAN
    again = f"the same command resumes from {out}" if out else "name a file with --out to go on another time"
    tell(f"deeprepo: {ended.left} not done{' (interrupted)' if ended.was_interrupted else ''}; {again}")
    return INTERRUPTED if ended.was_interrupted else FAULT
