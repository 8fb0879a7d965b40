"""Collapse one-line edits that replace the same words, such as a flag that was renamed in 60 places.

Two of them are shown, and the definition of a renamed name. Of the others, only the new line is shown. Pure functions.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from bot.diff.render import DELETED, GAP, FileDiff
from bot.values import DiffRow, Excerpt
from deeprepo.impact.text.lines import defines

SHOWN = 2  # number of equal edits that are shown
DELETED_ROWS = 20  # rows shown of a deleted file that has more than twice as many
LEAST_COLLAPSED = 3  # with fewer further edits, nothing is collapsed
NEAR_ROWS = 3  # unchanged rows next to a collapsed edit that are collapsed with it
WORD_CHARS = 120  # characters of the replaced words; edits of longer texts are not collapsed
_WORD_OR_CHARACTER = re.compile(r"\w+|\s+|[^\w\s]")
_NAME = re.compile(r"[^\W\d]\w*")
Edit = tuple[str, str]  # the replaced words, and the new ones


@dataclass(frozen=True, slots=True)
class _Place:
    """The location of an edit, which has two consecutive rows."""

    diff: int  # the index of the diff
    at: int  # the index of the first row in the diff
    line: int  # the line in the head


def collapse(diffs: Sequence[FileDiff]) -> list[FileDiff]:
    """Return the diffs with all but the first `SHOWN` equal edits reduced to their new lines, and with the beginnings of long deleted files."""
    places: dict[Edit, list[_Place]] = defaultdict(list)
    for number, each in enumerate(diffs):
        for at, edit in _edits(each.rows):
            if _is_definition(each.rows[at + 1].text, edit[1], each.path):
                continue
            places[edit].append(_Place(number, at, each.rows[at + 1].number))
    collapsed: dict[int, dict[int, Edit]] = defaultdict(dict)
    for edit, alike in places.items():
        if len(alike) >= SHOWN + LEAST_COLLAPSED:
            for place in alike[SHOWN:]:
                collapsed[place.diff][place.at] = edit
    return [
        _beginning(replace(each, rows=tuple(_without(each.rows, collapsed[number]))) if number in collapsed else each)
        for number, each in enumerate(diffs)
    ]


def _beginning(diff: FileDiff) -> FileDiff:
    """Return only the first rows of a long deleted file."""
    left_out = len(diff.rows) - DELETED_ROWS
    if diff.kind != DELETED or left_out <= DELETED_ROWS:
        return diff
    note = DiffRow("", f"[{left_out} more lines of the deleted file]")
    return replace(diff, rows=(*diff.rows[:DELETED_ROWS], note))


def excerpts(diffs: Sequence[FileDiff]) -> list[Excerpt]:
    """Return the lines of the head that the diffs show, one excerpt per file."""
    shown = ((each.path, [row for row in each.rows if row.sign in (" ", "+") and row.number]) for each in diffs)
    return [Excerpt(path, rows[0].number, rows[-1].number, tuple(rows)) for path, rows in shown if rows]


def _is_definition(line: str, new: str, path: str) -> bool:
    """Return whether a line defines one of the new words, so that it differs from the uses with the same edit."""
    return any(defines(line, name, path) for name in _NAME.findall(new))


def _edits(rows: Sequence[DiffRow]) -> Iterator[tuple[int, Edit]]:
    """Yield the position and the edit of each changed run that replaces a single line by a single line."""
    for is_changed, run in groupby(enumerate(rows), key=lambda item: item[1].sign in ("+", "-")):
        mine = [*run]
        if is_changed and [row.sign for _, row in mine] == ["-", "+"]:
            edit = _edit(mine[0][1].text, mine[1][1].text)
            if edit is not None:
                yield mine[0][0], edit


def _edit(before: str, after: str) -> Edit | None:
    """Return the replaced and the new words, or None if they are very long or only the layout differs."""
    old, new = _WORD_OR_CHARACTER.findall(before), _WORD_OR_CHARACTER.findall(after)
    head = next((at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), None)
    if head is None:
        return None
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    edit = "".join(old[head : len(old) - tail]).strip(), "".join(new[head : len(new) - tail]).strip()
    return edit if any(edit) and max(map(len, edit)) <= WORD_CHARS and any(re.findall(r"\w", "".join(edit))) else None


def _without(rows: Sequence[DiffRow], edits: dict[int, Edit]) -> Iterator[DiffRow]:
    """Yield the rows with only the new line of each of these edits, then a note that says what they replaced."""
    new_lines = {at + 1 for at in edits}
    kept_changes = [at for at, row in enumerate(rows) if row.sign in ("+", "-") and not {at, at - 1} & edits.keys()]
    near = {at + step for at in edits for step in range(-NEAR_ROWS, NEAR_ROWS + 2)}
    wanted = {at + step for at in kept_changes for step in range(-NEAR_ROWS, NEAR_ROWS + 1)}
    left_out = edits.keys() | {at for at in near - wanted if 0 <= at < len(rows) and rows[at].sign in (" ", "")}
    previous: DiffRow | None = None
    for at, row in enumerate(rows):
        shown = replace(row, can_be_counted=False) if at in new_lines else GAP if at in left_out else row
        if shown == GAP and previous == GAP:
            continue
        yield replace(shown, can_be_counted=False) if previous == GAP and shown.sign == " " else shown
        previous = shown
    for (old, new), count in Counter(edits.values()).items():
        what = f"`{old}` became `{new}`" if old and new else f"`{new}` was added" if new else f"`{old}` was removed"
        yield DiffRow(
            "", f"[{what}, as in the edits shown above; of {count} more such edits, only the new line is shown]"
        )
