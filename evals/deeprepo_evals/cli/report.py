"""`deeprepo eval report`: results in, one page out."""

from pathlib import Path
from typing import Annotated

import typer

from bot.cli.exits import CLEAN, tell


def command(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN.jsonl...", help="Results of `deeprepo eval`.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The page.")] = Path("report.html"),
) -> int:
    """Put the results of any experiments on one HTML page with tables and plots. It can be read without a network."""
    from bot.render import count
    from deeprepo_evals.report import page

    rows = page.write(runs, out)
    tell(f"{count(rows, 'result')}; the report is in {out}")
    return CLEAN
