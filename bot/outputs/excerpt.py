"""Format quoted lines for a terminal: numbered, highlighted, and marked with the severity's color."""

from functools import cache

from rich.console import Group, RenderableType
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from bot.render import visible
from bot.values import Finding
from deeprepo.impact.filetypes import filetype

QUOTED_LINES = 14  # a longer quote is cut
THEME = "ansi_dark"  # uses the terminal's own 16 colors


def excerpt(finding: Finding, color: str) -> RenderableType:
    """Return the quote with its line numbers and a vertical line in this color."""
    rows = visible(finding.quote.strip("\n")).expandtabs().split("\n")
    first = finding.start
    width = len(str(first + len(rows) - 1)) if first else 1
    grid = Table.grid(padding=(0, 1), expand=True)
    grid.add_column(justify="right", style="dim", no_wrap=True, width=width)
    grid.add_column(width=1, style=color)
    grid.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
    for number, code in _highlighted(rows, finding.path, first):
        grid.add_row(number, "│" if number else "╷", code)
    return Group(grid)


def _highlighted(rows: list[str], path: str, first: int) -> list[tuple[str, Text]]:
    """Return the first highlighted lines with their numbers, and how many are left out."""
    lines = list(_syntax(filetype(path).lexer or "text").highlight("\n".join(rows)).split("\n"))[: len(rows)]
    numbered = [(str(first + index) if first else " ", line) for index, line in enumerate(lines)][:QUOTED_LINES]
    left = len(lines) - len(numbered)
    return [*numbered, ("", Text(f"… {left} more lines", "dim"))] if left else numbered


@cache
def _syntax(lexer: str) -> Syntax:
    return Syntax("", lexer, theme=THEME, background_color="default")
