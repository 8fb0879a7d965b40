"""`deeprepo eval large`: large pull requests with one small thing that breaks a file beside them, in two trees."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.exits import CLEAN, tell
from bot.cli.reviewing import progress
from deeprepo_evals import public


def command(
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the cases are written, in its folder `large`.")],
    repos: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Clones with their history, as OWNER+NAME.")
    ] = public.REPOS,
    count: Annotated[int, typer.Option(min=1, max=200, help="Pairs.")] = 12,
    seed: Annotated[int, typer.Option(min=0, help="Another seed, other pull requests and names.")] = 1,
    pair: Annotated[
        list[str] | None, typer.Option(metavar="PIECE=OWNER/NAME@COMMIT", help="Instead: this pair; may be repeated.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress line.")] = False,
) -> int:
    """Write pairs of large twins: a real pull request with a small change added that breaks a file beside it, in one of two trees.

    `deeprepo eval reviews` reads what is written. Nothing of a clone is run or changed. Read a pair before you trust it.
    """
    from deeprepo_evals.large import run

    with progress(quiet=quiet) as say:
        paths = asyncio.run(run.make(run.Plan(repos, out, count, seed, tuple(pair or ())), say))
    tell(f"{len(paths)} pairs are in {out / 'large'}")
    return CLEAN
