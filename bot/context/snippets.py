"""Lines of the head tree that a prompt shows beside the units, and which ones it shows already. Pure."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from bot.context import definitions, identifiers
from bot.text import blocks
from bot.text.lines import defines, special
from bot.values import ChangedFile, DiffRow, Excerpt, Unit

BODY = 14  # lines of a definition at most
ABOVE = 12  # lines above one in which a variable of it may get its value
_NO_CALL = frozenset({"func", "function", "return", "switch", "while", "catch", "match"})
_CALLED = re.compile(r"(?<![\w$.])(?:(?:self|this|cls)\.)?([A-Za-z_$][\w$]{3,})\(")


class Shown:
    """Which lines of the head tree are in the prompt already."""

    def __init__(self, units: Iterable[Unit]) -> None:
        self.lines: set[tuple[str, int]] = set()
        for unit in units:
            if unit.side == "head":
                self.lines.update((unit.path, line) for line in range(unit.start, unit.end + 1))

    def add(self, excerpt: Excerpt) -> None:
        """The lines of an excerpt are there now."""
        self.lines.update((excerpt.path, row.number) for row in excerpt.rows)

    def left(self, path: str, numbers: Iterable[int]) -> list[int]:
        """Those of some lines that are not shown yet."""
        return [number for number in numbers if (path, number) not in self.lines]


def lines(blob: bytes) -> list[str]:
    """A file as its lines."""
    return blob.decode("utf-8", "replace").split("\n")


def cut(path: str, rows: Sequence[str], numbers: Sequence[int], title: str) -> Excerpt:
    """These lines of a file, in their order; where some between them are left out, such as ones of a program, the numbers say so."""
    short = [number for number in numbers if len(rows[number - 1]) <= definitions.LONG_LINE] or numbers[:1]
    shown = tuple(DiffRow(" ", rows[number - 1], number) for number in short)
    return Excerpt(path, short[0], short[-1], shown, title=title)


def helper(excerpt: Excerpt, line: int, rows: Sequence[str], shown: Shown) -> Excerpt | None:
    """What a line, one around it, or one that gives these a value, calls in its own file: a neighbour often decides."""
    around = [*blocks.openings(rows, line, excerpt.start)]
    around += _givers(excerpt.path, rows, around)
    called = (name for number in around for name in _CALLED.findall(rows[number - 1]))
    for name in dict.fromkeys(name for name in called if name not in _NO_CALL and not special(name)):
        at = next((n for n, text in enumerate(rows, 1) if defines(text, name, excerpt.path)), 0)
        if at in around:
            continue
        numbers = shown.left(excerpt.path, blocks.opened(excerpt.path, rows, at, BODY)) if at else []
        if len(numbers) > 1:
            return cut(excerpt.path, rows, numbers, f"defines {name}, called nearby")
    return None


def _givers(path: str, rows: Sequence[str], around: Sequence[int]) -> Iterator[int]:
    """The lines shortly above that give a variable of some lines its value, in the same function."""
    used = {word for number in around for word in identifiers.words(rows[number - 1])}
    for number in range(around[0] - 1, max(0, around[0] - ABOVE), -1):
        if definitions.names(path, rows[number - 1]):
            return
        if number not in around and identifiers.given(rows[number - 1]) & used:
            yield number


def joined(excerpts: Sequence[Excerpt]) -> list[Excerpt]:
    """Windows of one file in the order of its lines, at the place of its best one; neighbours become one."""
    by_path: Mapping[tuple[str, str], list[Excerpt]] = defaultdict(list)
    for excerpt in excerpts:
        by_path[excerpt.path, excerpt.side].append(excerpt)
    return [whole for found in by_path.values() for whole in _adjacent(sorted(found, key=lambda e: e.start))]


def _adjacent(excerpts: Sequence[Excerpt]) -> Iterator[Excerpt]:
    held: Excerpt | None = None
    for excerpt in excerpts:
        if held is not None and excerpt.start <= held.end + 1:
            title = held.title if held.title == excerpt.title else f"{held.title}; {excerpt.title}"
            rows = {row.number: row for row in (*held.rows, *excerpt.rows)}
            end = max(held.end, excerpt.end)
            held = replace(held, end=end, rows=tuple(rows[n] for n in sorted(rows)), title=title)
            continue
        if held is not None:
            yield held
        held = excerpt
    if held is not None:
        yield held


def by_file(found: Iterable[Excerpt], shown: Shown) -> list[Excerpt]:
    """Definitions of one file under one header, without the lines that the prompt shows by now."""
    by_path: dict[str, list[Excerpt]] = defaultdict(list)
    for one in found:
        if (one.path, one.start) not in shown.lines:
            shown.add(one)
            by_path[one.path].append(one)
    return [_together(sorted(mine, key=lambda one: one.start)) for mine in by_path.values()]


def _together(mine: Sequence[Excerpt]) -> Excerpt:
    names = dict.fromkeys(one.title.removeprefix("defines ") for one in mine)
    rows = {row.number: row for one in mine for row in one.rows}
    shown = tuple(rows[number] for number in sorted(rows))
    return Excerpt(mine[0].path, shown[0].number, shown[-1].number, shown, title="defines " + ", ".join(names))


def marked(excerpts: Iterable[Excerpt], files: Iterable[ChangedFile]) -> tuple[Excerpt, ...]:
    """The excerpts, with those marked that hold lines of the change itself."""
    added: dict[str, Collection[int]] = {file.path: file.added for file in files}
    return tuple(
        replace(one, changed=any(row.number in added.get(one.path, ()) for row in one.rows)) for one in excerpts
    )
