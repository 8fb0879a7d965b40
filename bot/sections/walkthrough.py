"""The walkthrough: its values, and how a comment and the terminal show it within the available rows."""

import posixpath
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from bot.render import Phrases, Safe, line, link, load, visible
from bot.render.places import permalink
from bot.sections.section import CodePlace, Place, Section
from bot.values import FileNote, ReaderNotes, Review
from deeprepo.impact.values import Side
from deeprepo.rlm.values import Exact

if TYPE_CHECKING:
    from rich.console import RenderableType


Author = Literal["code", "model"]


@dataclass(frozen=True, slots=True)
class FileRow:
    """One file and its phrase."""

    path: Exact[str]
    phrase: str
    by: Author = "code"


@dataclass(frozen=True, slots=True)
class Theme:
    """Files grouped by a model's theme, or by kind and folder. Several groups can have the same title."""

    title: str
    rows: tuple[FileRow, ...]
    by: Author = "code"


@dataclass(frozen=True, slots=True)
class FirstPlace:
    """The riskiest location of the change. `line` is 0 for the whole file."""

    path: Exact[str]
    line: int
    side: Side
    reason: str


@dataclass(frozen=True, slots=True)
class Walkthrough:
    """The walkthrough of a change. A model's text in it is not verified, but all paths are in the change."""

    overview: str
    by: Author  # who wrote the overview
    themes: tuple[Theme, ...]
    first: FirstPlace | None = None

    @property
    def files(self) -> int:
        """The number of files."""
        return sum(len(theme.rows) for theme in self.themes)


MOST_ROWS = 40  # files in a comment; the JSON output has all of them


@dataclass(frozen=True, slots=True)
class ShownTheme:
    """A theme with the rows that are shown, and the number of others."""

    title: str
    folder: str  # the common folder of all its files, with "/", which is only shown in the heading
    rows: tuple[FileRow, ...]
    more: int  # number of rows that are not shown

    def name(self, file_row: FileRow) -> str:
        """Return the file's path relative to the theme's folder."""
        return file_row.path.removeprefix(self.folder)


def values(walkthrough: Walkthrough, review: Review, most: int) -> dict[str, Any]:
    """Return the template's values. `most` is the maximum number of rows per list."""
    themes = parts(walkthrough, min(most, MOST_ROWS))
    return {
        "overview": walkthrough.overview,
        "by": walkthrough.by,
        "first": _first(walkthrough.first, review) if walkthrough.first else None,
        "files": walkthrough.files,
        "themes": [_theme(part, review) for part in themes],
        "left": walkthrough.files - sum(len(part.rows) + part.more for part in themes),
    }


def _first(place: FirstPlace, review: Review) -> dict[str, Any]:
    address = permalink(review.pull, place.path, place.side, place.line)
    return {"where": link(place_text(place), address), "reason": place.reason}


def _theme(part: ShownTheme, review: Review) -> dict[str, Any]:
    rows = [
        {"where": _file(part, file_row, review), "phrase": file_row.phrase, "by": file_row.by} for file_row in part.rows
    ]
    return {"title": part.title, "folder": part.folder[-120:], "rows": rows, "more": part.more}


def place_text(place: FirstPlace) -> str:
    """Return the location as text."""
    return f"{place.path[-160:]}:{place.line}" if place.line else place.path[-160:]


def parts(walkthrough: Walkthrough, most: int) -> list[ShownTheme]:
    """Return the themes with at most `most` rows together.

    The rows are divided evenly, so that every theme is shown if there are enough rows.
    """
    room = dict.fromkeys(range(len(walkthrough.themes)), 0)
    left = most
    while left > 0:
        open_ones = [at for at, theme in enumerate(walkthrough.themes) if room[at] < len(theme.rows)][:left]
        if not open_ones:
            break
        for at in open_ones:
            room[at] += 1
        left -= len(open_ones)
    themes = [_part(theme, room[index]) for index, theme in enumerate(walkthrough.themes) if room[index]]
    before = ["", *(part.title for part in themes)]  # a repeated title is written once
    return [replace(part, title="") if part.title == last else part for part, last in zip(themes, before, strict=False)]


def _part(theme: Theme, row_count: int) -> ShownTheme:
    return ShownTheme(
        theme.title,
        _common([file_row.path for file_row in theme.rows]),
        theme.rows[:row_count],
        len(theme.rows) - row_count,
    )


def _common(paths: Sequence[str]) -> str:
    """Return the common folder of several paths, with "/"."""
    common_folder = posixpath.commonpath([posixpath.dirname(path) for path in paths]) if len(paths) > 1 else ""
    return f"{common_folder}/" if common_folder else ""


def _file(part: ShownTheme, file_row: FileRow, review: Review) -> Safe:
    is_deleted = any(file.path == file_row.path and file.status == "deleted" for file in review.files)
    return link(part.name(file_row)[-100:], permalink(review.pull, file_row.path, "base" if is_deleted else "head"))


def _in_terminal(part: Walkthrough, most: int | None) -> "RenderableType":
    from rich.console import Group
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    from bot.render.terminal import WIDTH, prose

    say = load().say
    rows: list[RenderableType] = [prose(part.overview)]
    if part.first:
        place = (visible(place_text(part.first)), "cyan")
        rows.append(Text.assemble((say("walk_first"), "bold"), " ", place, ": ", prose(part.first.reason)))
    grid = Table.grid(padding=(0, 2), expand=True)
    grid.add_column(overflow="fold", max_width=WIDTH // 2)
    grid.add_column(overflow="fold", ratio=1)
    themes = parts(part, most or part.files)
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


class WalkthroughSection(Section[Walkthrough | None]):
    """The walkthrough, or None if the settings turn it off."""

    key = "walkthrough"
    part_type = Walkthrough | None
    empty = None
    place: ClassVar[Place] = "top"
    template = "walkthrough/section.md.j2"
    is_remembered = True

    def values(self, review: Review, words: Phrases, most: int) -> Mapping[str, Any]:
        """Return the values for the template."""
        del words
        part = self.of(review)
        return {self.key: values(part, review, most) if part else None}

    def in_terminal(self, part: Walkthrough | None, most: int | None) -> "Iterable[RenderableType]":
        """Return the sentences, the first location to look at, and the files by theme."""
        return [_in_terminal(part, most)] if part else []

    def remember(self, row: Any) -> Any:  # noqa: ANN401 - any JSON value
        """Return the models' part to store. The part from static analysis can be computed again."""
        if row is None:
            return None
        themes = [
            {**theme, "rows": [each for each in theme["rows"] if each["by"] == "model"]} for theme in row["themes"]
        ]
        overview = row["overview"] if row["by"] == "model" else ""
        return {"overview": overview, "by": row["by"], "themes": [theme for theme in themes if theme["rows"]]}

    def recall(self, row: Any) -> ReaderNotes:  # noqa: ANN401 - any JSON value
        """Return the models' notes from the stored part."""
        if not row:
            return ReaderNotes()
        files = (
            FileNote(str(each["path"]), str(theme["title"]) if theme["by"] == "model" else "", str(each["phrase"]))
            for theme in row["themes"]
            for each in theme["rows"]
            if each["by"] == "model"
        )
        return ReaderNotes(str(row["overview"]) if row["by"] == "model" else "", files=tuple(files))

    def without(self, part: Walkthrough | None, silenced_places: Collection[CodePlace]) -> Walkthrough | None:
        """Return the walkthrough without its first location if that only has silenced findings."""
        if part is not None and part.first is not None and (part.first.path, part.first.line) in silenced_places:
            return replace(part, first=None)
        return part


WALKTHROUGH = WalkthroughSection()
