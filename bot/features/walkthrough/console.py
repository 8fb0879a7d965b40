"""Show the walkthrough in a terminal."""

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bot.features.walkthrough import page
from bot.features.walkthrough.values import Walkthrough
from bot.outputs import facts
from bot.outputs.console import WIDTH, prose
from bot.render import line, visible


def walkthrough(part: Walkthrough, most: int | None) -> RenderableType:
    """Return what the change does, the first location to look at, and the files by theme."""
    say = facts.ENGLISH.say
    rows: list[RenderableType] = [prose(part.overview)]
    if part.first:
        place = (visible(page.place_text(part.first)), "cyan")
        rows.append(Text.assemble((say("walk_first"), "bold"), " ", place, ": ", prose(part.first.reason)))
    grid = Table.grid(padding=(0, 2), expand=True)
    grid.add_column(overflow="fold", max_width=WIDTH // 2)
    grid.add_column(overflow="fold", ratio=1)
    themes = page.parts(part, most or part.files)
    for theme in themes:
        heading = [Text(line(theme.title), "bold"), Text(visible(theme.folder), "cyan")]
        if any(heading):  # a theme may have neither a title nor a common folder
            grid.add_row(Text(" ").join(filter(None, heading)), "")
        for file_row in theme.rows:
            grid.add_row(Text(f"  {visible(theme.name(file_row))}", "cyan"), prose(line(file_row.phrase)))
        if theme.more:
            grid.add_row(Text(f"  {say('walk_more_files', theme.more)}", "dim"), "")
    left = part.files - sum(len(theme.rows) + theme.more for theme in themes)
    rows += [Padding(grid, (1, 0, 0, 0))] if themes else []
    rows += [Text(say("walk_cut", left), "dim")] if left else []
    return Padding(Group(*rows), (1, 0, 0, 0))
