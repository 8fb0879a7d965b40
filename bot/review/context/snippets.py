"""Cut lines of a file for prompts, and group them by file. Pure functions."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from bot import render
from bot.values import ChangedFile, DiffRow, Excerpt, Side

LONG_LINE = 300  # characters shown of a line


def cut(path: str, rows: Sequence[str], numbers: Iterable[int], title: str, side: Side = "head") -> Excerpt | None:
    """Return these lines of a file, in order; None if all are blank. Long lines are shortened."""
    shown = [number for number in sorted(set(numbers)) if number <= len(rows)]
    if not any(rows[number - 1].strip() for number in shown):
        return None
    shown_rows = tuple(DiffRow(" ", render.cut(rows[number - 1], LONG_LINE), number) for number in shown)
    return Excerpt(path, shown[0], shown[-1], shown_rows, side, title)


@dataclass(frozen=True, slots=True)
class ShownFile:
    """The excerpts of one file, which a prompt shows in one section."""

    path: str
    overlaps_change: bool  # whether some lines belong to the change and are judged in another prompt
    excerpts: tuple[Excerpt, ...]


def sections(excerpts: Iterable[Excerpt]) -> list[ShownFile]:
    """Return the excerpts by file, in line order, each file at the position of its first excerpt."""
    by_file: dict[tuple[str, str, bool], list[Excerpt]] = defaultdict(list)
    for excerpt in excerpts:
        by_file[excerpt.path, excerpt.side, excerpt.overlaps_change].append(excerpt)
    return [
        ShownFile(path, overlaps_change, tuple(sorted(mine, key=lambda excerpt: excerpt.start)))
        for (path, _, overlaps_change), mine in by_file.items()
    ]


def mark_changes(excerpts: Iterable[Excerpt], files: Iterable[ChangedFile]) -> tuple[Excerpt, ...]:
    """Return the excerpts, with those marked that contain lines of the change itself."""
    added_lines: dict[str, Collection[int]] = {file.path: file.added_lines for file in files}
    return tuple(
        replace(
            excerpt,
            overlaps_change=any(diff_row.number in added_lines.get(excerpt.path, ()) for diff_row in excerpt.rows),
        )
        for excerpt in excerpts
    )
