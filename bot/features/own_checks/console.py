"""Show the results of own checks in a terminal."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bot.features.own_checks.values import CheckReport
from bot.outputs.console import WIDTH
from bot.outputs.facts import ENGLISH
from bot.render import line


def table(reports: Sequence[CheckReport]) -> RenderableType:
    """Return a table with a row per check."""
    say = ENGLISH.say
    grid = Table.grid(padding=(0, 2), expand=True)
    grid.add_column(no_wrap=True, overflow="ellipsis", max_width=WIDTH // 3)
    grid.add_column(no_wrap=True)
    grid.add_column(ratio=1)
    for report in reports:
        style = {"failed": "bold red", "passed": "green"}.get(report.result, "yellow" if report.lacks_result else "dim")
        places = [f"{line(item.path)}:{item.line}" for item in report.quotes]
        row = Text.assemble(line(report.explain(ENGLISH)), *((f"  {place}", "cyan") for place in places))
        row.append(f"  {report.tokens:,} tokens" if report.tokens else "", "dim")
        result = say(f"check_is_{report.result}") + (f", {say('check_stops')}" if report.blocks else "")
        grid.add_row(line(report.name), Text(result, style), row)
    return Padding(Group(Text(say("checks_head"), "bold"), grid), (1, 0, 0, 0))
