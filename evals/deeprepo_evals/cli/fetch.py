"""`deeprepo eval fetch`: the commits that the cases name, from where their repositories are hosted."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.exits import CLEAN, FAULT, tell
from bot.cli.reviewing import progress
from deeprepo_evals import public
from deeprepo_evals.cli import options

HOST = "https://github.com"


def command(
    cases: Annotated[Path, typer.Option(metavar="FOLDER", help="Case files (default: those of this project).")] = (
        public.CASES
    ),
    repos: Annotated[Path, typer.Option(metavar="FOLDER", help="Folder for the commits.")] = public.REPOS,
    only: Annotated[list[str] | None, typer.Option(metavar="ID", help="Only this case. Repeatable.")] = None,
    kind: Annotated[str, typer.Option(metavar="KIND,...", help="natural, omit, clean, martian, twins, large.")] = "",
    whole: Annotated[
        list[str] | None,
        typer.Option(metavar="OWNER/NAME", help="Fetch this repository with its history instead. Repeatable."),
    ] = None,
    host: Annotated[str, typer.Option(metavar="URL", help="Host of the repositories.")] = HOST,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print what would be fetched, and its size.")] = False,
    quiet: options.Quiet = False,
) -> int:
    """Fetch the commits of the cases without their history. Existing commits are not fetched again.

    Exit codes: 0 done; 2 usage error; 3 some repositories could not be fetched.
    """
    from deeprepo_evals.reviews import case_files as files
    from deeprepo_evals.reviews import fetch

    if whole:
        wanted = tuple(fetch.FetchTarget(name) for name in whole)
    else:
        kinds = tuple(filter(None, (name.strip() for name in kind.split(","))))
        wanted = fetch.of(files.read(cases, kinds, tuple(only or ())), public.sizes())
    missing = asyncio.run(fetch.left(wanted, repos))
    if not missing:
        tell(f"{repos} has the commits of all {len(wanted)} repositories")
        return CLEAN
    tell(fetch.plan(missing, repos, host))
    if dry_run:
        return CLEAN
    with progress(quiet=quiet) as say:
        done, failed = asyncio.run(fetch.fetch(missing, repos, host, say))
    for sentence in failed:
        tell(f"deeprepo: {sentence}")
    tell(
        f"{len(done)} of {len(missing)} repositories were fetched; run again, the command fetches the others"
        if failed
        else f"{len(done)} repositories were fetched"
    )
    return FAULT if failed else CLEAN
