"""`deeprepo eval converge`: whether reviews of one push after the other come to an end."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.exits import CLEAN, tell
from bot.cli.options import EffortOption
from bot.cli.reviewing import progress


def command(
    repos: Annotated[Path, typer.Option(metavar="FOLDER", help="Clones with `refs/pull/*`, as OWNER+NAME or NAME.")],
    count: Annotated[int, typer.Option(min=1, help="Pull requests.")] = 30,
    each: Annotated[int, typer.Option(min=1, help="Pull requests of one repository, at most.")] = 1,
    talkative: Annotated[
        bool, typer.Option("--talkative", help="A scripted reader that finds something in every prompt.")
    ] = False,
    effort: EffortOption = None,
    root: Annotated[
        str | None, typer.Option(metavar="PROVIDER/MODEL", help="The root model, which directs the review.")
    ] = None,
    worker: Annotated[str | None, typer.Option(metavar="PROVIDER/MODEL", help="The model that reads.")] = None,
    max_usd: Annotated[float | None, typer.Option(min=0, help="Hard cap of one review in dollars.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress line.")] = False,
) -> int:
    """Play pull requests of several pushes again: the author mends what each review said. Without --effort, by code alone.

    New comments about code that a push did not touch are counted: after the first round there should be none.
    """
    from deeprepo_evals.converge import run

    flags = {"effort": effort or "none", "root": root, "worker": worker, "usd": max_usd}
    with progress(quiet=quiet) as say:
        played = asyncio.run(run.carry_out(run.Plan(repos, count, each, flags, talkative), say))
    if played:
        print(run.table(played))  # noqa: T201 - the command line speaks
    else:
        tell(f"{repos} holds no pull request of several pushes: clones need `refs/pull/*`")
    return CLEAN
