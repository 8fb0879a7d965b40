"""`deeprepo eval mine`: cases from the history of any clones, with a proof for each."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.exits import CLEAN, tell
from bot.cli.reviewing import progress


def command(
    repos: Annotated[Path, typer.Option(metavar="FOLDER", help="Clones, as OWNER+NAME, OWNER/NAME or NAME.")],
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the cases are written; run again, it goes on.")],
    each: Annotated[int, typer.Option(min=0, max=200, help="Cases of each clone with one user left out.")] = 12,
    ordinary: Annotated[int, typer.Option(min=0, max=2_000, help="Ordinary commits of each clone.")] = 0,
    most_commits: Annotated[
        int, typer.Option("--looked", min=1, max=30_000, help="Commits of each clone that are looked at.")
    ] = 1_500,
    seed: Annotated[int, typer.Option(min=0, help="Another seed, other commits; the same one, the same cases.")] = 1,
    half: Annotated[str, typer.Option(metavar="build|test", help="Only the repositories of this half.")] = "",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress line.")] = False,
) -> int:
    """Mine real commits that change a contract and leave one user's update out; each case is proven by rule.

    `deeprepo eval reviews` and `make bench NAME=offline` read what is written. Nothing of a clone is run or changed.
    """
    from deeprepo_evals.mine import run

    plan = run.Plan(repos, out, each, ordinary, most_commits, seed, half)
    with progress(quiet=quiet) as say:
        told = asyncio.run(run.mine(plan, say))
    tell(f"{sum(told.values())} cases of {len(told)} repositories are in {out}")
    return CLEAN
