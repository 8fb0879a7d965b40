"""`deeprepo eval consumers`: what a library's commits broke in a repository that used it, named or not."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.exits import CLEAN
from bot.cli.reviewing import progress
from deeprepo_evals.cli import options


def command(
    repos: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Folder with clones, named OWNER+NAME, OWNER/NAME or NAME.")
    ],
    out: Annotated[
        Path,
        typer.Option(metavar="FOLDER", help="Folder for the results of each pair. If they exist, the run continues."),
    ],
    pairs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="File with lines LIBRARY CONSUMER LANGUAGE NAME (default: the list of the evaluation)."
        ),
    ] = None,
    each: Annotated[int, typer.Option(min=0, max=200, help="Number of cases per pair.")] = 12,
    ordinary: Annotated[int, typer.Option(min=0, max=500, help="Number of ordinary commits per pair.")] = 20,
    half: Annotated[str, typer.Option(metavar="build|test", help="Only the pairs of this half.")] = "",
    quiet: options.Quiet = False,
) -> int:
    """Mine pairs of a library and a repository that used it, and count which breaks are found without a model."""
    from deeprepo_evals.consumers import run

    out.mkdir(parents=True, exist_ok=True)
    listed = run.pairs(pairs or Path(run.__file__).with_name("pairs.txt"))
    with progress(quiet=quiet) as say:
        rows = asyncio.run(run.measure(run.Plan(repos, out, each, ordinary, half), listed, say))
    print(run.table(rows))  # noqa: T201 - the command line speaks
    return CLEAN
