"""`deeprepo eval forgotten`: callers that projects really forgot, and whether the offline review names them."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.exits import CLEAN, tell
from bot.cli.reviewing import progress


def command(
    repos: Annotated[Path, typer.Option(metavar="FOLDER", help="Clones, as OWNER+NAME, OWNER/NAME or NAME.")],
    out: Annotated[
        Path | None,
        typer.Option(
            "--search",
            metavar="FOLDER",
            help="Search the clones for candidates, kept in FOLDER; run again, it goes on.",
        ),
    ] = None,
    commits: Annotated[
        int, typer.Option(min=2, max=20_000, help="Newest commits of each clone that are searched.")
    ] = 1_500,
    half: Annotated[str, typer.Option(metavar="build|test", help="Only the repositories of this half.")] = "",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress line.")] = False,
) -> int:
    """Review, without a model, the commits that forgot a caller which a later commit repaired.

    The callers are the project's list, each of them read; with --search they are candidates that nobody has read yet.
    """
    from deeprepo_evals.forgotten_callers import callers, run

    with progress(quiet=quiet) as say:
        path = run.find(repos, out, commits, half, say) if out is not None else callers.LIST
        listed = [one for one in callers.read(path) if not half or one.half == half]
        results, absent = asyncio.run(run.review(repos, listed, say))
    if results:
        print(run.table(results, absent))  # noqa: T201 - the command line speaks
    else:
        tell(f"{repos} holds no commit of {path}")
    return CLEAN
