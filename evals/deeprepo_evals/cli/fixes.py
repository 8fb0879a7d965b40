"""`deeprepo eval fixes`: how many broken callers of real changes code rewrites so that the next review reports nothing."""

from pathlib import Path
from typing import Annotated

import typer

from bot.cli.exits import CLEAN, FOUND
from bot.cli.reviewing import progress


def command(
    repos: Annotated[Path, typer.Option(metavar="FOLDER", help="Clones, as OWNER+NAME, OWNER/NAME or NAME.")],
    cases: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Cases, as `deeprepo eval mine` writes them. Default: the public ones."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Keep the rows of each case here; run again, it goes on.")
    ] = None,
    half: Annotated[str, typer.Option(metavar="build|test", help="Only the repositories of this half.")] = "",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress line.")] = False,
) -> int:
    """Fix the proven broken callers of each case without a model, review the result by code, and count.

    Exit codes: 0 at least nine of ten mechanical ones are fixed with nothing new; 1 fewer.
    """
    from deeprepo_evals import fixes, public

    with progress(quiet=quiet) as say:
        text, reached = fixes.main(repos, cases or Path(public.__file__).parent, out, half, say)
    print(text)  # noqa: T201 - the command line speaks
    return CLEAN if reached else FOUND
