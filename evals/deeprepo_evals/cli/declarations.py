"""`deeprepo eval declarations`: which lost declarations of data files are reported, and what is reported of ordinary commits."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.exits import CLEAN
from bot.cli.reviewing import progress


def command(
    repos: Annotated[Path, typer.Option(metavar="FOLDER", help="Clones, as OWNER+NAME, OWNER/NAME or NAME.")],
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where each repository's rows are kept; run again, it goes on.")
    ],
    formats: Annotated[
        list[str] | None,
        typer.Option(
            "--format", metavar="NAME", help="terraform, workflows, charts, makefiles or packages; can be repeated."
        ),
    ] = None,
    each: Annotated[int, typer.Option(min=0, max=200, help="Lost declarations of each repository and format.")] = 8,
    ordinary: Annotated[int, typer.Option(min=0, max=500, help="Ordinary commits of each repository and format.")] = 12,
    half: Annotated[str, typer.Option(metavar="build|test", help="Only the repositories of this half.")] = "",
    seed: Annotated[int, typer.Option(min=0, help="Another seed, other commits.")] = 1,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress line.")] = False,
) -> int:
    """Take one declaration out of real trees, and count which losses are reported and what is reported of ordinary commits, with no model."""
    from deeprepo_evals.declarations import run

    out.mkdir(parents=True, exist_ok=True)
    plan = run.Plan(repos, out, each, ordinary, half, tuple(formats or ()), seed)
    with progress(quiet=quiet) as say:
        rows = asyncio.run(run.measure(plan, say))
    print(run.table(rows))  # noqa: T201 - the command line speaks
    return CLEAN
