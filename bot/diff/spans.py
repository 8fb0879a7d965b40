"""Find lines that are reviewed together: changed definitions, and runs of changed lines outside them.

Every changed line is in one span. A definition that is reviewed as a whole includes its changed members. A
large definition is split: its changed members are separate spans, and its other changed lines form further
spans. Changed comments above a definition and changed blank lines around it belong to it.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from bot.values import ChangedFile, ChangedSymbol, DiffLine, Hunk, Side
from deeprepo.impact.text.lines import is_comment

MARGIN = 3  # unchanged lines shown around a run of changed lines outside definitions
MOST_RUNS = 300  # runs per file; if there are more, the nearest ones are joined
ANNOTATIONS = ("@", "#[", "[")  # starts of lines above a definition that belong to it, besides comments
WHOLE_LINES = 60  # a shorter definition is reviewed together with its members


@dataclass(frozen=True, slots=True)
class Span:
    """Lines on one side that are reviewed together.

    `names` are the definitions whose references are relevant.
    """

    name: str
    start: int
    end: int
    side: Side
    symbol: ChangedSymbol | None = None
    names: tuple[str, ...] = ()
    before: int = 0  # unchanged lines shown around changed lines outside definitions
    after: int = 0
    whole: bool = False  # whether the file is new or deleted


def spans(file: ChangedFile, symbols: Sequence[ChangedSymbol], rows: Mapping[Side, Sequence[str]]) -> list[Span]:
    """Return spans for the changed definitions, then for the runs of changed lines outside them.

    A new or deleted file is a single span. `rows` contains the file's lines on each side where it exists.
    """
    if file.status in {"added", "deleted"} and (file.added_lines or file.removed_lines):
        return [_whole(file, symbols)]
    spans_found = _with_comments(file, _definitions(file, symbols), rows)
    spans_found += _runs(file.added_lines - _covered_lines(spans_found, "head"), "head", file.added_lines)
    # Removed lines inside an existing definition are shown in that definition's diff.
    spans_found += _runs(_unshown_removed_lines(file, spans_found), "base", file.removed_lines)
    return spans_found


def _whole(file: ChangedFile, symbols: Sequence[ChangedSymbol]) -> Span:
    names, first = tuple(changed_symbols.symbol.name for changed_symbols in symbols), symbols[0] if symbols else None
    if file.status == "added":
        return Span("the new file", min(file.added_lines), max(file.added_lines), "head", first, names, whole=True)
    return Span("the deleted file", min(file.removed_lines), max(file.removed_lines), "base", first, names, whole=True)


def around(hunks: Sequence[Hunk], span: Span) -> Sequence[Hunk]:
    """Return the hunks that may contain lines of a span, found by binary search."""
    base, start, end = span.side == "base", span.start - span.before, span.end + span.after

    def begins(hunk: Hunk) -> int:
        return hunk.old_start if base else hunk.new_start

    def ends(hunk: Hunk) -> int:
        return begins(hunk) + (hunk.old_lines if base else hunk.new_lines)

    return hunks[bisect_left(hunks, start, key=ends) : bisect_right(hunks, end + 1, key=begins)]


def near(hunk: Hunk, span: Span) -> Iterator[DiffLine]:
    """Yield a hunk's lines that are in a span or its margin.

    A removed line counts at the head line that follows it.
    """
    start, end = span.start - span.before, span.end + span.after
    first, size = (hunk.old_start, hunk.old_lines) if span.side == "base" else (hunk.new_start, hunk.new_lines)
    if first > end + 1 or first + size < start:
        return
    at = hunk.new_start
    for line in hunk.lines:
        if span.side == "base":
            if line.old is None:
                continue
            at = line.old
        elif line.new is not None:
            at = line.new
        if start <= at <= end + (line.kind == "-" and span.side == "head"):
            yield line
        at += span.side == "head" and line.new is not None


def _definitions(file: ChangedFile, symbols: Sequence[ChangedSymbol]) -> list[Span]:
    """A changed member is part of its definition if that is not split."""
    spans_found: list[Span] = []
    waiting = sorted(
        (_of(symbol) for symbol in symbols), key=lambda span: (span.side, span.start, -span.end, span.name)
    )
    while waiting:
        outer = waiting.pop(0)
        inner = [span for span in waiting if _inside(span, outer)]
        if not inner or _is_reviewed_whole(outer):
            waiting = [span for span in waiting if span not in inner]
            names = (outer.name, *(name for span in inner for name in span.names))
            spans_found.append(replace(outer, names=tuple(dict.fromkeys(names))))
        else:
            spans_found += _other_lines(file, outer, inner)
    return spans_found


def _with_comments(file: ChangedFile, spans_found: Sequence[Span], rows: Mapping[Side, Sequence[str]]) -> list[Span]:
    """Return the spans extended by changed comments and annotations above, and by changed blank lines."""
    covered_lines = {side: _covered_lines(spans_found, side) for side in ("head", "base")}
    wider: list[Span] = []
    for span in spans_found:
        lines, mine = rows.get(span.side, ()), covered_lines[span.side]
        free = (file.added_lines if span.side == "head" else file.removed_lines) - mine
        start, end = span.start, span.end
        while start - 1 in free and start - 1 <= len(lines) and _belongs(lines[start - 2], file.path):
            start -= 1
        while end + 1 in free and end < len(lines) and not lines[end].strip():
            end += 1
        mine.update(range(start, end + 1))
        wider.append(replace(span, start=start, end=end))
    return wider


def _belongs(text: str, path: str) -> bool:
    return not text.strip() or is_comment(text, path) or text.lstrip().startswith(ANNOTATIONS)


def _of(changed_symbol: ChangedSymbol) -> Span:
    symbol = changed_symbol.symbol
    return Span(symbol.name, symbol.start, symbol.end, symbol.side, changed_symbol, (symbol.name,))


def _inside(span: Span, outer: Span) -> bool:
    return span.side == outer.side and outer.start <= span.start and span.end <= outer.end


def _is_reviewed_whole(span: Span) -> bool:
    """Return whether a definition is reviewed as a whole, because it is new, removed or short."""
    whole = span.symbol is not None and span.symbol.change in {"added", "removed"}
    return whole or span.end - span.start < WHOLE_LINES


def _other_lines(file: ChangedFile, outer: Span, inner: Sequence[Span]) -> list[Span]:
    """Return a large definition's changed lines outside its changed members, under its name."""
    changed_lines = file.added_lines if outer.side == "head" else file.removed_lines
    outer_lines = {
        line for line in changed_lines - _covered_lines(inner, outer.side) if outer.start <= line <= outer.end
    }
    runs = _runs(outer_lines, outer.side, changed_lines)
    names = [outer.name if len(runs) == 1 else f"{outer.name} {run.name}" for run in runs]
    return [
        replace(run, name=name, symbol=outer.symbol, names=outer.names) for run, name in zip(runs, names, strict=True)
    ]


def _covered_lines(spans_found: Iterable[Span], side: Side) -> set[int]:
    return {line for span in spans_found if span.side == side for line in range(span.start, span.end + 1)}


def _unshown_removed_lines(file: ChangedFile, spans_found: Sequence[Span]) -> set[int]:
    shown_lines = _covered_lines(spans_found, "base")
    for span in (s for s in spans_found if s.side == "head"):
        for hunk in around(file.hunks, span):
            shown_lines |= {line.old for line in near(hunk, span) if line.kind == "-" and line.old}
    return set(file.removed_lines) - shown_lines


def _runs(lines: Collection[int], side: Side, changed_lines: Collection[int]) -> list[Span]:
    """Return spans for groups of nearby lines. `changed_lines` are all changed lines on this side."""
    runs: list[list[int]] = []
    for line in sorted(lines):
        if runs and line - runs[-1][1] <= 2 * MARGIN:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    runs = _join(runs)
    sign = "removed " if side == "base" else ""
    return [
        Span(
            f"{sign}lines {a}-{b}",
            a,
            b,
            side,
            before=_unchanged_lines(a, -1, changed_lines),
            after=_unchanged_lines(b, 1, changed_lines),
        )
        for a, b in runs
    ]


def _join(runs: list[list[int]]) -> list[list[int]]:
    """Return at most MOST_RUNS runs, by joining those with the smallest gaps."""
    if len(runs) <= MOST_RUNS:
        return runs
    gaps = sorted(range(1, len(runs)), key=lambda at: runs[at - 1][1] - runs[at][0])
    starts = [0, *sorted(gaps[: MOST_RUNS - 1]), len(runs)]
    return [[runs[first][0], runs[after - 1][1]] for first, after in pairwise(starts)]


def _unchanged_lines(line: int, step: int, changed_lines: Collection[int]) -> int:
    """Return the number of unchanged lines next to a line in the direction of `step`, up to MARGIN."""
    return next((n for n in range(MARGIN) if line + step * (n + 1) in changed_lines), MARGIN)
