"""`deeprepo consumers`: who takes what from this repository, among clones that are named."""

import json
import tempfile
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from bot.cli.exits import CLEAN, tell
from bot.cli.options import ConsumerClones, RepoFolder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.values.consumer import ConsumerReport


WIDE = 160  # columns of a table that goes to a file or a pipe


def command(
    consumers: ConsumerClones = None,
    repo: RepoFolder = ".",
    form: Annotated[Literal["console", "json"], typer.Option("--format", help="Output format.")] = "console",
) -> int:
    """List who uses this repository: what each named clone takes of it, at which version, and the commit that was read.

    The clones are those of --with and of `consumers` in .deeprepo.yml at HEAD. Exit codes: 0 listed; 2 usage error.
    """
    from bot.wiring.consumers import list_consumers

    with tempfile.TemporaryDirectory(prefix="deeprepo-") as scratch:
        reports = list_consumers(repo, consumers or (), scratch)
    if form == "json":
        rows = [
            {**asdict(one), "takes": [{**asdict(row), "arrival": row.arrival} for row in one.takes]} for one in reports
        ]
        print(json.dumps(rows, indent=2))  # noqa: T201 - the command line speaks
    elif reports:
        _show(reports)
    else:
        tell("no consumer is named: give clones with --with PATH, or list them as `consumers` in .deeprepo.yml")
    return CLEAN


def _show(reports: "Sequence[ConsumerReport]") -> None:
    from rich.console import Console
    from rich.table import Table

    from bot.dependents.consumers.words import REACHES
    from bot.render import line

    table = Table(box=None, pad_edge=False, header_style="dim")
    for head in ("repository", "takes", "version", "a break reaches it", "read at"):
        table.add_column(head, overflow="fold")
    for one in reports:
        read = f"{one.commit[:10]} {one.day}".strip()
        for row in one.takes:
            table.add_row(line(one.name), line(row.name), line(row.version) or "any", REACHES[row.arrival], read)
        if not one.takes:
            table.add_row(line(one.name), "", "", line(one.reason), read)
    console = Console()
    console.print(table) if console.is_terminal else Console(width=WIDE).print(table)
