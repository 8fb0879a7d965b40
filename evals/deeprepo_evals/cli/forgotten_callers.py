"""`deeprepo eval forgotten`: callers that projects really forgot, and whether the offline review names them."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.exits import CLEAN, tell
from bot.cli.reviewing import progress
from deeprepo_evals.cli import options


def command(
    repos: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Folder with clones, named OWNER+NAME, OWNER/NAME or NAME.")
    ],
    half: Annotated[str, typer.Option(metavar="build|test", help="Only the repositories of this half.")] = "",
    places: Annotated[bool, typer.Option("--places", help="Places in any text file instead of callers.")] = False,
    quiet: options.Quiet = False,
) -> int:
    """Review real commits that forgot a caller, without a model. A later commit fixed each caller.

    A person has checked every caller in the list.
    """
    from deeprepo_evals.forgotten_callers import callers, run
    from deeprepo_evals.forgotten_callers import places as anywhere

    with progress(quiet=quiet) as say:
        if places:
            print(asyncio.run(anywhere.table(repos, half, say)))  # noqa: T201 - the command line speaks
            return CLEAN
        listed = [one for one in callers.read() if not half or one.half == half]
        results, absent = asyncio.run(run.review(repos, listed, say))
    if results:
        print(run.table(results, absent))  # noqa: T201 - the command line speaks
    else:
        tell(f"{repos} holds no commit of the list")
    return CLEAN
