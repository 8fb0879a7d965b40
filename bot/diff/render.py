"""Render a change for prompts: one diff per file, with the first lines of enclosing definitions."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from bot.diff import moves
from bot.diff.moves import Move
from bot.diff.rows import NUMBER_EVERY, followers
from bot.values import ChangedFile, DiffRow, Excerpt, Unit
from deeprepo.impact.text.paths import is_prose, is_test

# A note for unchanged lines without their number; the next row has its line number.
GAP = DiffRow("", "[...]")
SMALL_GAP_LINES = 4  # up to this number, unchanged lines between two shown parts are shown
NO_LINES: Mapping[str, Mapping[int, str]] = {}
# The sort key of a row: the line in the head; 1 for that line, or 0 for a removed row above it; the line in
# the base if it is removed.
Place = tuple[int, int, int]
DELETED = "deleted file"
_KIND = {"added": "new file", "deleted": DELETED}
DELETED_ROWS = 20  # rows shown of a deleted file that has more than twice as many


@dataclass(frozen=True, slots=True)
class FileDiff:
    """The diff of a changed file in a prompt."""

    path: str
    kind: str  # "new file", "renamed from a.py" and so on; empty for a modified file
    rows: tuple[DiffRow, ...]

    @property
    def body(self) -> str:
        """The rows, formatted for a prompt."""
        return "\n".join(map(str, self.rows))


def file_diffs(
    units: Iterable[Unit],
    files: Iterable[ChangedFile],
    around: int | None = None,
    further_lines: Mapping[str, Mapping[int, str]] = NO_LINES,
) -> list[FileDiff]:
    """Return one diff for each file with one of these regions: code first, then tests, then prose.

    Each row is shown once, and notes replace omitted lines. The rows of a new file have no sign.
    `around` limits the number of unchanged lines next to a change; prose and tests then have none.
    `further_lines` maps paths to further lines of the head to show, by line number.
    """
    every_file = tuple(files)
    files_by_path = {file.path: file for file in every_file}
    moves_by_path: dict[str, list[Move]] = defaultdict(list)
    for move in moves.find(every_file):
        moves_by_path[move.path].append(move)
    by_path: dict[str, list[Unit]] = defaultdict(list)
    for unit in units:
        by_path[unit.path].append(unit)
    diffs = []
    for path, mine in sorted(by_path.items(), key=lambda item: (is_prose(item[0]), is_test(item[0]), item[0])):
        file = files_by_path.get(path) or ChangedFile(path, path, "modified")
        rows = _rows(file, mine, around, further_lines.get(path, {}))
        diffs.append(FileDiff(path, _kind(file), tuple(_with_moves(rows, moves_by_path[path]))))
    return diffs


def shortened(diff: FileDiff) -> FileDiff:
    """Return only the first rows of a long deleted file."""
    left_out = len(diff.rows) - DELETED_ROWS
    if diff.kind != DELETED or left_out <= DELETED_ROWS:
        return diff
    note = DiffRow("", f"[{left_out} more lines of the deleted file]")
    return replace(diff, rows=(*diff.rows[:DELETED_ROWS], note))


def excerpts(diffs: Iterable[FileDiff]) -> list[Excerpt]:
    """Return the lines of the head that the diffs show, one excerpt per file."""
    shown = ((each.path, [row for row in each.rows if row.sign in (" ", "+") and row.number]) for each in diffs)
    return [Excerpt(path, rows[0].number, rows[-1].number, tuple(rows)) for path, rows in shown if rows]


def _kind(file: ChangedFile) -> str:
    if file.status == "renamed" and file.old_path:
        return f"renamed from {file.old_path}"
    return _KIND.get(file.status, "")


def _rows(
    file: ChangedFile, units: Sequence[Unit], around: int | None, further_lines: Mapping[int, str]
) -> tuple[DiffRow, ...]:
    above = followers(file)
    rows: dict[Place, DiffRow] = {}
    heads: dict[Place, DiffRow] = {}
    for unit in units:
        rows |= {_place(diff_row, above): diff_row for diff_row in unit.rows if diff_row.sign}
        heads |= {_place(diff_row, above): diff_row for diff_row in unit.heads}
    further = {(number, 1, 0): DiffRow(" ", text, number) for number, text in further_lines.items()}
    rows = further | heads | rows
    context = {line.new: line.text for hunk in file.hunks for line in hunk.lines if line.kind == " " and line.new}
    rows.update(_between(sorted(rows), context))
    places = sorted(rows)
    if around is not None:
        around = 0 if is_prose(file.path) or is_test(file.path) else around
        change_positions = [index for index, place in enumerate(places) if rows[place].sign != " "]
        near = {n for at in change_positions for n in range(at - around, at + around + 1)}
        kept = heads.keys() | further.keys()
        positions_kept = [at for at, place in enumerate(places) if at in near or place in kept]
        least = max(around, SMALL_GAP_LINES)
        positions_kept += [
            at for one, other in pairwise(positions_kept) if other - one - 1 <= least for at in range(one + 1, other)
        ]
        places = [places[at] for at in sorted(positions_kept)]
    rows_with_notes = _with_notes(
        places,
        rows,
        sorted(file.added_lines),
        sorted(above.items(), key=lambda item: item[0]),
        is_counted=around is None,
    )
    if file.status == "added":
        return tuple(replace(diff_row, sign=" ") if diff_row.sign == "+" else diff_row for diff_row in rows_with_notes)
    return tuple(rows_with_notes)


def _with_moves(rows: Sequence[DiffRow], moves_here: Sequence[Move]) -> Iterator[DiffRow]:
    """Yield the rows, with a note above each run of changed rows that contains moved lines. A new file is a single run."""
    left = list(moves_here)
    is_new = not any(diff_row.sign in ("+", "-") for diff_row in rows)
    for _, run in groupby(rows, key=lambda diff_row: is_new or diff_row.sign in ("+", "-")):
        mine = [*run]
        numbers = {diff_row.number for diff_row in mine if diff_row.sign == "+" or is_new}
        for move in [one for one in left if one.start in numbers]:
            left.remove(move)
            old = f"{move.old_path}:{move.old_start}-{move.old_end}"
            text = f"[lines {move.start} to {move.end} were moved from {old}; only their indentation may have changed]"
            yield DiffRow("", text)
        yield from mine


def _place(diff_row: DiffRow, followers: Mapping[int, int]) -> Place:
    return (
        (followers.get(diff_row.number, diff_row.number), 0, diff_row.number)
        if diff_row.sign == "-"
        else (diff_row.number, 1, 0)
    )


def _between(places: Sequence[Place], context: Mapping[int, str]) -> dict[Place, DiffRow]:
    rows_between: dict[Place, DiffRow] = {}
    for one, other in pairwise(places):
        gap = range(one[0] + one[1], other[0])
        if len(gap) <= SMALL_GAP_LINES and all(line in context for line in gap):
            rows_between.update({(line, 1, 0): DiffRow(" ", context[line], line) for line in gap})
    return rows_between


def _with_notes(
    places: Sequence[Place],
    rows: Mapping[Place, DiffRow],
    added_lines: Sequence[int],
    removed_lines: Sequence[tuple[int, int]],
    *,
    is_counted: bool,
) -> Iterator[DiffRow]:
    """With `is_counted`, each note contains the number of omitted lines."""
    removed_places = [(line, 0, old) for old, line in removed_lines]
    before: Place | None = None
    countable = False
    for place in places:
        diff_row = rows[place]
        hidden_count = 0
        if before is not None:
            first, last = before[0] + before[1], place[0]  # head lines between the two
            between = bisect_left(removed_places, place) - bisect_right(removed_places, before)
            hidden_count = max(0, last - first) + between
            fresh = bisect_left(added_lines, last) - bisect_left(added_lines, first) if last > first else 0
            if hidden_count:
                yield _note(hidden_count, between + fresh) if is_counted or between + fresh else GAP
        countable = (
            countable and not hidden_count
        ) or diff_row.sign == "+"  # counted from a row above on the same side, without a gap
        yield (
            replace(diff_row, can_be_counted=countable and diff_row.number % NUMBER_EVERY != 1)
            if diff_row.sign == " "
            else diff_row
        )
        countable = countable or diff_row.sign == " "
        before = place


def _note(hidden_count: int, changed_count: int) -> DiffRow:
    lines = f"{hidden_count} {'line' if hidden_count == 1 else 'lines'}"
    if changed_count:
        changed = "all" if changed_count == hidden_count else changed_count
        return DiffRow("", f"[... {lines}, {changed} of them changed: another reader has them ...]")
    return DiffRow("", f"[... {hidden_count} unchanged {'line' if hidden_count == 1 else 'lines'} ...]")
