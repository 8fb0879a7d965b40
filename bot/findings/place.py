"""Where a finding is shown: on lines of the diff, on the file, or outside the diff. No finding is lost here. Pure.

GitHub takes a comment on added and unchanged lines of a hunk (RIGHT) and on removed ones (LEFT); the first and the last line
of a range are in one hunk and on one side. The order of the attempts: the finding's own lines; the only place in the file's
hunks that contain its quote, exact, then with whitespace folded, then on the other side; the part of its lines that is
in a hunk; the file; the list of what is outside the diff. The finding keeps its own lines, whatever its spot is.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from bot.findings.quotes import READINGS, fold, rows_of
from bot.values import ChangedFile, CommentSpot, DiffLine, Finding, Hunk, PlacedFinding, Side

MOST_LINES = 20_000  # of one file's diff: beyond, GitHub folds it away and refuses anchors in it
LEAST_QUOTE = 8  # characters; a shorter quote ("}", "else:") stands in many places and names none


def place(findings: Iterable[Finding], files: Sequence[ChangedFile]) -> tuple[PlacedFinding, ...]:
    """Each finding with the closest place that GitHub's rules allow."""
    return tuple(_place(finding, _file(finding, files)) for finding in findings)


def _place(finding: Finding, file: ChangedFile | None) -> PlacedFinding:
    if file is None:
        return PlacedFinding(finding, "outside")
    if sum(len(hunk.lines) for hunk in file.hunks) > MOST_LINES:
        return PlacedFinding(finding, "file")
    for attempt in (_exact, _quoted_spot, _clamp):
        spot = attempt(finding, file)
        if spot is not None:
            return PlacedFinding(finding, "inline", spot)
    return PlacedFinding(finding, "file")


def _file(finding: Finding, files: Sequence[ChangedFile]) -> ChangedFile | None:
    """The file of the diff that holds the finding's path on its side; a path may be the old name of one and the new of another."""
    namesakes = [file for file in files if file.path == finding.path]
    before = [file for file in files if file.old_path == finding.path]
    same_path = [file for file in before if file.path == finding.path]
    candidates = [*same_path, *before, *namesakes] if finding.side == "base" else [*namesakes, *before]
    return next(iter(candidates), None)


def _exact(finding: Finding, file: ChangedFile) -> CommentSpot | None:
    """The finding's own lines, where one hunk holds all of them."""
    return _within(file, finding.side, finding.start, finding.end)


def _quoted_spot(finding: Finding, file: ChangedFile) -> CommentSpot | None:
    """The lines of a hunk that say what the finding quotes, where just one place does. What code has proven is not moved."""
    if finding.proven or len(fold(finding.quote)) < LEAST_QUOTE:
        return None
    quote_rows = rows_of(finding.quote)
    other: Side = "base" if finding.side == "head" else "head"
    for side in (finding.side, other):
        for reading in READINGS:
            line_spans = list(_matches(file.hunks, side, [reading(row) for row in quote_rows], reading))
            if len(line_spans) == 1:
                return _within(file, side, *line_spans[0])
    return None


def _clamp(finding: Finding, file: ChangedFile) -> CommentSpot | None:
    """The part of the finding's lines that is in a hunk: the largest, then the first."""
    parts = []
    for hunk in file.hunks:
        numbers = [n for n in _numbers(hunk, finding.side) if finding.start <= n <= finding.end]
        parts += [(numbers[0], numbers[-1])] if numbers else []
    for first, last in sorted(parts, key=lambda part: part[0] - part[1]):
        spot = _within(file, finding.side, first, last)
        if spot is not None:
            return spot
    return None


def _within(file: ChangedFile, side: Side, start: int, end: int) -> CommentSpot | None:
    """These lines as a spot. Lines that the base side shares with the head are shown there, where GitHub takes them."""
    for hunk in file.hunks:
        inside = [line for line in hunk.lines if start <= (_number(line, side) or 0) <= end]
        numbers = [_number(line, side) for line in inside]
        if not inside or numbers[0] != start or numbers[-1] != end:
            continue
        if side == "head":
            return CommentSpot(file.path, start, end, "RIGHT")
        removed_lines = [line.old for line in inside if line.kind == "-" and line.old is not None]
        if removed_lines:
            return CommentSpot(file.path, removed_lines[0], removed_lines[-1], "LEFT")
        shared_lines = [line.new for line in inside if line.new is not None]
        return CommentSpot(file.path, shared_lines[0], shared_lines[-1], "RIGHT")
    return None


def _matches(
    hunks: Iterable[Hunk], side: Side, quote_rows: Sequence[str], reading: Callable[[str], str]
) -> Iterator[tuple[int, int]]:
    for hunk in hunks:
        lines = [(n, reading(line.text)) for line in hunk.lines if (n := _number(line, side)) is not None]
        for at in range(len(lines) - len(quote_rows) + 1):
            run = lines[at : at + len(quote_rows)]
            unbroken = all(after[0] == before[0] + 1 for before, after in pairwise(run))
            if unbroken and [text for _, text in run] == list(quote_rows):
                yield run[0][0], run[-1][0]


def _numbers(hunk: Hunk, side: Side) -> list[int]:
    return [number for line in hunk.lines if (number := _number(line, side)) is not None]


def _number(line: DiffLine, side: Side) -> int | None:
    return line.new if side == "head" else line.old
