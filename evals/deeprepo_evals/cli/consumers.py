"""`deeprepo eval consumers`: what a library's commits broke in a repository that used it, named or not."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.exits import CLEAN
from bot.cli.reviewing import progress


def command(
    repos: Annotated[Path, typer.Option(metavar="FOLDER", help="Clones, as OWNER+NAME, OWNER/NAME or NAME.")],
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where each pair's rows are kept; run again, it goes on.")
    ],
    pairs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Lines of LIBRARY CONSUMER LANGUAGE NAME. Default: the list of the evaluation."
        ),
    ] = None,
    each: Annotated[int, typer.Option(min=0, max=200, help="Cases of each pair.")] = 12,
    ordinary: Annotated[int, typer.Option(min=0, max=500, help="Ordinary commits of each pair.")] = 20,
    half: Annotated[str, typer.Option(metavar="build|test", help="Only the pairs of this half.")] = "",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress line.")] = False,
) -> int:
    """Mine pairs of a library and a repository that used it, and count which losses are named, with no model."""
    from deeprepo_evals.consumers import run

    out.mkdir(parents=True, exist_ok=True)
    listed = run.pairs(pairs or Path(run.__file__).with_name("pairs.txt"))
    with progress(quiet=quiet) as say:
        rows = asyncio.run(run.measure(run.Plan(repos, out, each, ordinary, half), listed, say))
    print(run.table(rows))  # noqa: T201 - the command line speaks
    return CLEAN
