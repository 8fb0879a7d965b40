"""Turn hunks and spans into rows: a sign, a line number and the line.

There is no padding, and only the first row of a run and every tenth line have a number, because numbers and
padding on every line would cost a seventh of a review's tokens. A note replaces unchanged parts that are far from
every change.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from bot.diff.spans import Span, around, near
from bot.values import ChangedFile, DiffRow, Hunk
from deeprepo.rlm.values import CHARS_PER_TOKEN

CONTEXT_LINES = 12  # unchanged lines shown before and after a change, or between two, instead of a note
UNIT_TOKENS = 6_000  # tokens per region; larger regions are split
MAX_PIECE_CHARS = int(UNIT_TOKENS * CHARS_PER_TOKEN)  # characters in a piece
NUMBER_EVERY = 10  # lines per number


class HunkRows:
    """Makes the rows of one file's hunks, and caches them."""

    def __init__(self, hunks: Sequence[Hunk]) -> None:
        self.hunks = hunks
        self._rows: dict[int, list[DiffRow]] = {}

    def added_rows(self) -> Mapping[int, DiffRow]:
        """Return the added rows by line."""
        return {diff_row.number: diff_row for hunk in self.hunks for diff_row in self._of(hunk) if diff_row.sign == "+"}

    def rows(self, lines: Sequence[str], span: Span, start: int, end: int) -> tuple[DiffRow, ...]:
        """Return the lines from `start` to `end` as a diff. `lines` is the whole file on the span's side.

        A note replaces each long unchanged part. Unchanged lines have their number in the head.
        """
        diff_rows: list[DiffRow] = []
        base = span.side == "base"
        at, shift = start, 0
        for hunk in around(self.hunks, span):
            rows_by_line = dict(zip(map(id, hunk.lines), self._of(hunk), strict=True))
            shift = _before(hunk) if base else 0
            for line in near(hunk, span):
                number = line.old if base else line.new
                next_line = number if number is not None else at
                diff_rows += [DiffRow(" ", lines[n - 1], n + shift) for n in range(at, next_line)]
                at = max(at, next_line + (number is not None))
                diff_rows.append(rows_by_line[id(line)])
            shift = _before(hunk) + hunk.new_lines - hunk.old_lines if base else 0
        diff_rows += [DiffRow(" ", lines[n - 1], n + shift) for n in range(at, end + 1)]
        return with_numbers(tuple(_shorten(diff_rows)))

    def _of(self, hunk: Hunk) -> list[DiffRow]:
        if id(hunk) not in self._rows:
            self._rows[id(hunk)] = rows(hunk)
        return self._rows[id(hunk)]


def with_numbers(rows: Sequence[DiffRow]) -> tuple[DiffRow, ...]:
    """Return the rows, with numbers on unchanged rows whose number does not follow from the row above."""
    diff_rows: list[DiffRow] = []
    for diff_row in rows:
        follows = bool(diff_rows) and diff_rows[-1].sign == " " and diff_rows[-1].number == diff_row.number - 1
        plain = diff_row.sign == " "
        diff_rows.append(
            replace(diff_row, can_be_counted=follows and diff_row.number % NUMBER_EVERY != 1) if plain else diff_row
        )
    return tuple(diff_rows)


def pieces(rows: Sequence[DiffRow]) -> list[tuple[DiffRow, ...]]:
    """Split the rows into pieces that are small enough. Pieces without changed rows are dropped."""
    if sum(len(str(diff_row)) + 1 for diff_row in rows) <= MAX_PIECE_CHARS:
        return [tuple(rows)]
    pieces_found: list[tuple[DiffRow, ...]] = []
    at = 0
    while at < len(rows):
        last, size = at, 0
        while last < len(rows) and (size := size + len(str(rows[last])) + 1) <= MAX_PIECE_CHARS:
            last += 1
        last = max(last, at + 1)
        if last < len(rows):
            first = max(at + 1, last - (last - at) // 2)  # in its second half, before the least indentation
            last = min(range(first, last + 1), key=lambda n: (_depth(rows, n), -n))
        piece = with_numbers(_trim(rows[at:last]))
        if any(diff_row.sign in ("+", "-") for diff_row in piece):
            pieces_found.append(piece)
        if last >= len(rows):
            break
        # The next piece starts with a row that has a number, even if pieces overlap.
        at = next((n for n in range(last, max(at, last - NUMBER_EVERY), -1) if not rows[n].can_be_counted), last)
    return pieces_found


def _depth(rows: Sequence[DiffRow], at: int) -> float:
    """Return how bad it is to split before this row; best is a definition after a blank line."""
    text = rows[at].text
    if not text.strip():
        return math.inf
    return len(text) - len(text.lstrip()) + (0 if not rows[at - 1].text.strip() else 0.5)


def _trim(rows: Sequence[DiffRow]) -> Sequence[DiffRow]:
    row_positions = [index for index, diff_row in enumerate(rows) if diff_row.sign]
    return rows[row_positions[0] : row_positions[-1] + 1] if row_positions else ()


def _before(hunk: Hunk) -> int:
    """Return the head number minus the base number for unchanged lines above a hunk."""
    return (hunk.new_start - (hunk.new_lines > 0)) - (hunk.old_start - (hunk.old_lines > 0))


def _shorten(rows: Sequence[DiffRow]) -> Iterator[DiffRow]:
    changes = [index for index, diff_row in enumerate(rows) if diff_row.sign != " "]
    near_positions = {
        near for at in changes or range(len(rows)) for near in range(at - CONTEXT_LINES, at + CONTEXT_LINES + 1)
    }
    gap: list[DiffRow] = []
    has_begun = False
    for at, diff_row in enumerate(rows):
        if at not in near_positions:
            gap.append(diff_row)
            continue
        if len(gap) < CONTEXT_LINES:
            yield from gap
        elif has_begun:
            yield DiffRow("", f"[... {len(gap)} unchanged lines ...]")
        has_begun, gap = True, []
        yield diff_row
    if len(gap) < CONTEXT_LINES:
        yield from gap


def numbered_text(hunks: Iterable[Hunk]) -> str:
    """Return the hunks as text.

    Removed lines have their number in the base, and others their number in the head.
    """
    texts = []
    for hunk in hunks:
        texts.append(f"@@ -{hunk.old_start},{hunk.old_lines} +{hunk.new_start},{hunk.new_lines} @@")
        texts += map(str, rows(hunk))
    return "\n".join(texts)


def rows(hunk: Hunk) -> list[DiffRow]:
    """Return a hunk's lines as rows."""
    diff_rows: list[DiffRow] = []
    for line in hunk.lines:
        number = (line.old if line.kind == "-" else line.new) or 0
        can_be_counted = bool(diff_rows) and diff_rows[-1].sign == line.kind and number % NUMBER_EVERY != 1
        diff_rows.append(DiffRow(line.kind, line.text, number, can_be_counted=can_be_counted))
    return diff_rows


def followers(file: ChangedFile) -> Mapping[int, int]:
    """Return the head line that follows each removed line, by the removed line's number."""
    positions: dict[int, int] = {}
    for hunk in file.hunks:
        at = hunk.new_start + (hunk.new_lines == 0)
        for line in hunk.lines:
            if line.new is not None:
                at = line.new + 1
            elif line.old is not None:
                positions[line.old] = at
    return positions
