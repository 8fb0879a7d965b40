"""A span as a diff with line numbers, as short as it can be without hiding a change."""

from collections.abc import Iterator, Sequence

from bot.diff import row
from bot.units.spans import Span, around, near
from bot.values import DiffRow, Hunk

AROUND = 15  # unchanged lines that are shown before and after a change
HEAD = 3  # first lines of a definition, which are always shown
LEAST = 8  # a gap shorter than this is not worth a mark


def rows(hunks: Sequence[Hunk], lines: Sequence[str], span: Span, start: int, end: int) -> tuple[DiffRow, ...]:
    """The whole span as a diff, unchanged lines too, so that one rendering shows old and new; a long quiet stretch is a note."""
    found: list[DiffRow] = []
    at = start
    for line in (line for hunk in around(hunks, span) for line in near(hunk, span)):
        number = line.old if span.side == "base" else line.new
        upto = number if number is not None else at
        found += [DiffRow(" ", lines[n - 1], n) for n in range(at, upto)]
        at = max(at, upto + (number is not None))
        found.append(row(line, sparse=span.whole))
    found += [DiffRow(" ", lines[n - 1], n) for n in range(at, end + 1)]
    return tuple(_shortened(found))


def _shortened(found: Sequence[DiffRow]) -> Iterator[DiffRow]:
    """The rows without stretches that lie far from every change."""
    changes = [at for at, one in enumerate(found) if one.sign != " "]
    kept = set(range(HEAD))
    for at in changes or range(len(found)):
        kept.update(range(at - AROUND, at + AROUND + 1))
    gap: list[DiffRow] = []
    for at, one in enumerate([*found, None]):
        if one is not None and at not in kept:
            gap.append(one)
            continue
        yield from gap if len(gap) < LEAST else [DiffRow("", f"[... {len(gap)} unchanged lines ...]")]
        gap = []
        if one is not None:
            yield one
