"""Prepare the walkthrough for templates and the console, within the available rows."""

import posixpath
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bot.features.walkthrough.values import FileCalls, FileRow, FirstPlace, Theme, Walkthrough
from bot.outputs import facts
from bot.render import Safe, link
from bot.values import Review

MOST_ROWS = 40  # files in a comment; the JSON output has all of them
LEAST_SKETCH = 12  # the drawing is left out if lists may have fewer rows than this
SPECIAL_CHARACTER = re.compile(r"[^A-Za-z0-9_., /-]")
MAX_LABEL_CHARS = 48  # characters of a label before escaping
CHANGED = "stroke-width:3px"  # no color, because pages can be light or dark


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
    changed_paths = {path for file in review.files for path in (file.path, file.old_path) if path}
    return {
        "overview": walkthrough.overview,
        "by": walkthrough.by,
        "first": _first(walkthrough.first, review) if walkthrough.first else None,
        "files": walkthrough.files,
        "themes": [_theme(part, review) for part in themes],
        "left": walkthrough.files - sum(len(part.rows) + part.more for part in themes),
        "sketch": _drawing(walkthrough.calls, changed_paths) if most >= LEAST_SKETCH else Safe(),
    }


def _first(place: FirstPlace, review: Review) -> dict[str, Any]:
    address = facts.permalink(review.pull, place.path, place.side, place.line)
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
    return link(
        part.name(file_row)[-100:], facts.permalink(review.pull, file_row.path, "base" if is_deleted else "head")
    )


def _drawing(calls: Sequence[FileCalls], changed_paths: Collection[str]) -> Safe:
    """Return the calls between files as a Mermaid drawing, or "" if there are none. Changed files are bold.

    GitHub renders such a block, so all characters that `SPECIAL_CHARACTER` matches are written as their
    numbers, which Mermaid shows but does not interpret.
    """
    if not calls:
        return Safe()
    paths = list(dict.fromkeys(path for call in calls for path in (call.caller, call.callee)))
    nodes = {path: f"f{number}" for number, path in enumerate(paths)}
    rows = ["flowchart LR"]
    rows += [f'  {node}["{_label(path)}"]' for path, node in nodes.items()]
    rows += [f'  {nodes[call.caller]} -->|"{_label(", ".join(call.names))}"| {nodes[call.callee]}' for call in calls]
    bold = [node for path, node in nodes.items() if path in changed_paths]
    rows += [f"  style {node} {CHANGED}" for node in bold]
    return Safe("\n".join(["```mermaid", *rows, "```"]))


def _label(name: str) -> str:
    """Return the end of a name, with every special character written as its number."""
    short = name if len(name) <= MAX_LABEL_CHARS else f"…{name[-MAX_LABEL_CHARS:]}"
    return SPECIAL_CHARACTER.sub(lambda match: f"#{ord(match[0])};", short) or "-"
