"""`deeprepo eval converge`: whether reviews of one push after the other come to an end."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.exits import CLEAN, tell
from bot.cli.options import EffortOption
from bot.cli.reviewing import progress
from deeprepo_evals.cli import options


def command(
    repos: Annotated[
        Path,
        typer.Option(metavar="FOLDER", help="Folder with clones that have `refs/pull/*`, named OWNER+NAME or NAME."),
    ],
    count: Annotated[int, typer.Option(min=1, help="Pull requests.")] = 30,
    each: Annotated[int, typer.Option(min=1, help="Maximum number of pull requests per repository.")] = 1,
    talkative: Annotated[
        bool, typer.Option("--talkative", help="Use a scripted model that reports something in every prompt.")
    ] = False,
    effort: EffortOption = None,
    root: Annotated[
        str | None, typer.Option(metavar="PROVIDER/MODEL", help="The root model, which directs the review.")
    ] = None,
    worker: Annotated[str | None, typer.Option(metavar="PROVIDER/MODEL", help="The worker model.")] = None,
    max_usd: Annotated[float | None, typer.Option(min=0, help="Spending limit for one review, in dollars.")] = None,
    quiet: options.Quiet = False,
) -> int:
    """Replay pull requests with several pushes, where the author fixes what each review reports. Without --effort, no model is used.

    Counts new comments about code that a push did not touch. After the first review, there should be none.
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
