"""`deeprepo eval schemas`: which breaks of schemas in public histories are reported, and what is reported of ordinary commits."""

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
    language: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="sql, openapi, protobuf, graphql or jsonschema; can be repeated."),
    ] = None,
    each: Annotated[int, typer.Option(min=0, max=200, help="Breaking commits of each repository.")] = 8,
    ordinary: Annotated[int, typer.Option(min=0, max=500, help="Ordinary commits of each repository.")] = 12,
    skip_cases: Annotated[
        int,
        typer.Option(min=0, help="Breaking commits of each repository that are passed over: an earlier draw had them."),
    ] = 0,
    skip_ordinary: Annotated[int, typer.Option(min=0, help="The same of ordinary commits.")] = 0,
    half: Annotated[str, typer.Option(metavar="build|test", help="Only the repositories of this half.")] = "",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress line.")] = False,
) -> int:
    """Mine histories of schemas, and count which breaks are reported and what is reported of ordinary commits, with no model."""
    from deeprepo_evals.schemas import run

    out.mkdir(parents=True, exist_ok=True)
    earlier = {"case": skip_cases, "ordinary": skip_ordinary}
    plan = run.Plan(repos, out, each, ordinary, half, tuple(language or ()), earlier=earlier)
    with progress(quiet=quiet) as say:
        rows = asyncio.run(run.measure(plan, run.read_list(Path(run.__file__).with_name("repos.txt")), say))
    print(run.table(rows))  # noqa: T201 - the command line speaks
    return CLEAN
