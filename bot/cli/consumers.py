"""`deeprepo consumers`: list what named clones use of this repository."""

import asyncio
import json
import tempfile
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from bot.cli.exits import CLEAN, tell
from bot.cli.options import ConsumerClones, RepoFolder, clones

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bot.values.consumer import ConsumerReport


Row = tuple[str, ...]
WIDE = 160  # columns of a table that is written to a file or pipe


def command(
    consumers: ConsumerClones = None,
    repo: RepoFolder = ".",
    form: Annotated[Literal["console", "json"], typer.Option("--format", help="Output format.")] = "console",
) -> int:
    """List the repositories that use this one: the packages that they take, the lines of their manifests, and the commits that were read.

    Searches the clones in --with and under `consumers` in .deeprepo.yml at HEAD. Exit codes: 0, or 2 for a usage error.
    """
    from bot.wiring.consumers import list_consumers

    with tempfile.TemporaryDirectory(prefix="deeprepo-") as scratch:
        reports = asyncio.run(list_consumers(repo, clones(consumers), scratch))
    if form == "json":
        print(json.dumps([asdict(report) for report in reports], indent=2))  # noqa: T201 - command-line output
    elif reports:
        _print(("repository", "takes", "in", "as", "read at"), _rows(reports))
    else:
        tell("no consumers to check. Pass clones with --with PATH, or list them under `consumers` in .deeprepo.yml")
    return CLEAN


def _rows(reports: "Sequence[ConsumerReport]") -> "Iterator[Row]":
    for report in reports:
        read = f"{report.commit[:10]} {report.day}".strip()
        for requirement in report.takes:
            yield report.name, requirement.name, requirement.path, requirement.line, read
        if not report.takes:
            yield report.name, "", "", report.reason, read


def _print(heads: Row, rows: "Iterable[Row]") -> None:
    from rich.console import Console
    from rich.table import Table

    from bot.render import line

    table = Table(box=None, pad_edge=False, header_style="dim")
    for head in heads:
        table.add_column(head, overflow="fold")
    for row in rows:
        table.add_row(*map(line, row))
    console = Console()
    console.print(table) if console.is_terminal else Console(width=WIDE).print(table)
