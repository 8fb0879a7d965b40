"""`deeprepo eval plant`: changes with a planted defect, and twins, so that new cases never run out."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.exits import CLEAN, tell
from bot.cli.reviewing import progress


def command(
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the cases and their repository are written.")],
    repo: Annotated[
        str | None, typer.Option(metavar="DIR", help="Plant in the commits of this repository (default: made-up code).")
    ] = None,
    count: Annotated[int, typer.Option(min=0, max=1_000, help="Changes with a planted defect.")] = 20,
    twins: Annotated[int, typer.Option(min=0, max=200, help="Twins: the same change in two trees.")] = 0,
    files: Annotated[int, typer.Option(min=10, max=300, help="Files of each made-up code base.")] = 60,
    seed: Annotated[int, typer.Option(min=0, help="Another seed, other defects; the same one, the same cases.")] = 1,
    kind: Annotated[str, typer.Option(metavar="CLASS,...", help="Classes of defects (default: all).")] = "",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress line.")] = False,
) -> int:
    """Plant defects in real commits or in made-up code, with labels; `deeprepo eval reviews` reads what is written.

    Nothing of the repository is run, and nothing is written into it.
    """
    from deeprepo_evals.plant import cases

    kinds = tuple(word.strip() for word in kind.split(",") if word.strip())
    plan = cases.Plan(out, repo, count, twins, files, seed, kinds)
    with progress(quiet=quiet) as say:
        written = asyncio.run(cases.write(plan, say))
    tell(f"{len(written)} cases are in {out / 'cases'}, their repository in {out / 'repos'}")
    return CLEAN
