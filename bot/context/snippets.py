"""Lines of the head tree that a prompt shows beside the units, and which ones it shows already. Pure."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from bot.lines import defines
from bot.values import ChangedFile, DiffRow, Excerpt, Unit

BODY = 14  # lines of a definition at most
_CALLED = re.compile(r"(?<![\w$.])(?:(?:self|this|cls)\.)?([A-Za-z_$][\w$]{3,})\(")


class Shown:
    """Which lines of the head tree are in the prompt already."""

    def __init__(self, units: Iterable[Unit]) -> None:
        self.lines: set[tuple[str, int]] = set()
        for unit in units:
            if unit.side == "head":
                self.add(unit.path, unit.start, unit.end)

    def add(self, path: str, start: int, end: int) -> None:
        """These lines are there now."""
        self.lines.update((path, line) for line in range(start, end + 1))

    def trimmed(self, path: str, start: int, end: int, line: int) -> tuple[int, int]:
        """The part of a window around `line` that is not shown yet."""
        if (path, line) in self.lines:
            return 1, 0
        start = max((n + 1 for n in range(start, line) if (path, n) in self.lines), default=start)
        end = min((n - 1 for n in range(line, end + 1) if (path, n) in self.lines), default=end)
        return start, end


def lines(blob: bytes) -> list[str]:
    """A file as its lines."""
    return blob.decode("utf-8", "replace").split("\n")


def cut(path: str, rows: Sequence[str], numbers: Sequence[int], title: str) -> Excerpt:
    """These lines of a file, in their order; where some between them are left out, the numbers say so."""
    shown = tuple(DiffRow(" ", rows[number - 1], number) for number in numbers)
    return Excerpt(path, numbers[0], numbers[-1], shown, title=title)


def block(rows: Sequence[str], start: int) -> int:
    """The last line of a definition, told by indentation; at most BODY lines of it."""
    indent = len(rows[start - 1]) - len(rows[start - 1].lstrip())
    for number in range(start + 1, min(len(rows), start + BODY) + 1):
        text = rows[number - 1]
        if text.strip() and len(text) - len(text.lstrip()) <= indent:
            return number if text.strip()[0] in "})]" else number - 1
    return start + BODY


def helper(excerpt: Excerpt, rows: Sequence[str], shown: Shown) -> Excerpt | None:
    """What the shown lines call first in their own file: a reader often leaves the deciding step to a neighbour."""
    for name in dict.fromkeys(_CALLED.findall(excerpt.text)):
        at = next((n for n, text in enumerate(rows, 1) if defines(text, name, excerpt.path)), 0)
        end = min(len(rows), block(rows, at)) if at else 0
        new = next((n for n in range(at, end + 1) if (excerpt.path, n) not in shown.lines), end + 1) if at else 1
        start, end = shown.trimmed(excerpt.path, new, end, new)
        if start < end:
            return cut(excerpt.path, rows, range(start, end + 1), f"defines {name}, called nearby")
    return None


def joined(excerpts: Sequence[Excerpt]) -> list[Excerpt]:
    """Windows of one file in the order of its lines, at the place of its best one; neighbours become one."""
    by_path: Mapping[str, list[Excerpt]] = defaultdict(list)
    for excerpt in excerpts:
        by_path[excerpt.path].append(excerpt)
    return [whole for found in by_path.values() for whole in _adjacent(sorted(found, key=lambda e: e.start))]


def _adjacent(excerpts: Sequence[Excerpt]) -> Iterator[Excerpt]:
    held: Excerpt | None = None
    for excerpt in excerpts:
        if held is not None and excerpt.start <= held.end + 1:
            title = held.title if held.title == excerpt.title else f"{held.title}; {excerpt.title}"
            held = Excerpt(held.path, held.start, excerpt.end, (*held.rows, *excerpt.rows), title=title)
            continue
        if held is not None:
            yield held
        held = excerpt
    if held is not None:
        yield held


def by_file(found: Iterable[Excerpt], shown: Shown) -> list[Excerpt]:
    """Single lines of one file under one header, without those that the prompt shows by now."""
    by_path: dict[str, list[Excerpt]] = defaultdict(list)
    for one in found:
        if (one.path, one.start) not in shown.lines:
            by_path[one.path].append(one)
    return [_together(sorted(mine, key=lambda one: one.start)) for mine in by_path.values()]


def _together(mine: Sequence[Excerpt]) -> Excerpt:
    title = "defines " + ", ".join(one.title.removeprefix("defines ") for one in mine)
    return replace(mine[0], end=mine[-1].end, title=title, rows=tuple(row for one in mine for row in one.rows))


def marked(excerpts: Iterable[Excerpt], files: Iterable[ChangedFile]) -> tuple[Excerpt, ...]:
    """The excerpts, with those marked that hold lines of the change itself."""
    added: dict[str, Collection[int]] = {file.path: file.added for file in files}
    return tuple(
        replace(one, changed=any(one.start <= line <= one.end for line in added.get(one.path, ()))) for one in excerpts
    )
