"""Lines of the head tree that a prompt shows beside the units, and which ones it shows already. Pure."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from bot.context.definitions import LONG_LINE
from bot.diff.units import ShownLines
from bot.values import ChangedFile, DiffRow, Excerpt


def cut(path: str, rows: Sequence[str], numbers: Sequence[int], title: str) -> Excerpt:
    """These lines of a file, in their order; where some between them are left out, such as ones of a program, the numbers say so."""
    short = [number for number in numbers if len(rows[number - 1]) <= LONG_LINE] or numbers[:1]
    shown_rows = tuple(DiffRow(" ", rows[number - 1], number) for number in short)
    return Excerpt(path, short[0], short[-1], shown_rows, title=title)


def join(excerpts: Sequence[Excerpt]) -> list[Excerpt]:
    """Windows of one file in the order of its lines, at the place of its best one; neighbours become one."""
    by_path: Mapping[tuple[str, str], list[Excerpt]] = defaultdict(list)
    for excerpt in excerpts:
        by_path[excerpt.path, excerpt.side].append(excerpt)
    return [
        whole for file_excerpts in by_path.values() for whole in _adjacent(sorted(file_excerpts, key=lambda e: e.start))
    ]


def _adjacent(excerpts: Sequence[Excerpt]) -> Iterator[Excerpt]:
    held_back: Excerpt | None = None
    for excerpt in excerpts:
        if held_back is not None and excerpt.start <= held_back.end + 1:
            title = held_back.title if held_back.title == excerpt.title else f"{held_back.title}; {excerpt.title}"
            rows = {row.number: row for row in (*held_back.rows, *excerpt.rows)}
            end = max(held_back.end, excerpt.end)
            held_back = replace(held_back, end=end, rows=tuple(rows[n] for n in sorted(rows)), title=title)
            continue
        if held_back is not None:
            yield held_back
        held_back = excerpt
    if held_back is not None:
        yield held_back


def by_file(excerpts: Iterable[Excerpt], shown_lines: ShownLines) -> list[Excerpt]:
    """Definitions of one file under one header, without the lines that the prompt shows by now."""
    by_path: dict[str, list[Excerpt]] = defaultdict(list)
    for one in excerpts:
        if (one.path, one.start) not in shown_lines.lines:
            shown_lines.add(one)
            by_path[one.path].append(one)
    return [_together(sorted(mine, key=lambda one: one.start)) for mine in by_path.values()]


def _together(mine: Sequence[Excerpt]) -> Excerpt:
    names = dict.fromkeys(one.title.removeprefix("defines ") for one in mine)
    rows = {row.number: row for one in mine for row in one.rows}
    merged_rows = tuple(rows[number] for number in sorted(rows))
    return Excerpt(
        mine[0].path, merged_rows[0].number, merged_rows[-1].number, merged_rows, title="defines " + ", ".join(names)
    )


def mark_changes(excerpts: Iterable[Excerpt], files: Iterable[ChangedFile]) -> tuple[Excerpt, ...]:
    """The excerpts, with those marked that hold lines of the change itself."""
    added_lines: dict[str, Collection[int]] = {file.path: file.added_lines for file in files}
    return tuple(
        replace(one, overlaps_change=any(row.number in added_lines.get(one.path, ()) for row in one.rows))
        for one in excerpts
    )
