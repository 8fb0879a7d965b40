"""Where a finding is shown: on lines of the diff, on the file, or outside the diff. No finding is lost here. Pure.

GitHub takes a comment on added and unchanged lines of a hunk (RIGHT) and on removed ones (LEFT); the first and the last line
of a range are in one hunk and on one side. The order of the attempts: the finding's own lines; the part of them that is in a hunk; the
file; the list of what is outside the diff. The finding keeps its own lines, whatever its spot is.
"""

from collections.abc import Iterable, Sequence

from bot.values import ChangedFile, CommentSpot, DiffLine, Finding, Hunk, PlacedFinding, Side

MOST_LINES = 20_000  # of one file's diff: beyond, GitHub folds it away and refuses anchors in it


def place(findings: Iterable[Finding], files: Sequence[ChangedFile]) -> tuple[PlacedFinding, ...]:
    """Each finding with the closest place that GitHub's rules allow."""
    return tuple(_place(finding, _file(finding, files)) for finding in findings)


def _place(finding: Finding, file: ChangedFile | None) -> PlacedFinding:
    if file is None:
        return PlacedFinding(finding, "outside")
    if sum(len(hunk.lines) for hunk in file.hunks) > MOST_LINES:
        return PlacedFinding(finding, "file")
    spot = _within(file, finding.side, finding.start, finding.end) or _clamp(finding, file)
    return PlacedFinding(finding, "inline" if spot else "file", spot)


def _file(finding: Finding, files: Sequence[ChangedFile]) -> ChangedFile | None:
    """The file of the diff that holds the finding's path on its side; a path may be the old name of one and the new of another."""
    namesakes = [file for file in files if file.path == finding.path]
    before = [file for file in files if file.old_path == finding.path]
    same_path = [file for file in before if file.path == finding.path]
    candidates = [*same_path, *before, *namesakes] if finding.side == "base" else [*namesakes, *before]
    return next(iter(candidates), None)


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


def _numbers(hunk: Hunk, side: Side) -> list[int]:
    return [number for line in hunk.lines if (number := _number(line, side)) is not None]


def _number(line: DiffLine, side: Side) -> int | None:
    return line.new if side == "head" else line.old
