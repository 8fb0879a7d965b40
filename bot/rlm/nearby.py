"""Unchanged code that decides whether a change is right: callers' bodies, and the lines that read or define what it names.

A graph of callers alone misses the template that reads a key and the workflow that compares a label. So every telling name
of the changed lines is searched in the whole tree, at once for the whole change, and the best lines are shown.
"""

import asyncio
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from bot import diff
from bot.ports import Tree
from bot.rlm import readers, routes
from bot.rlm.readers import Pick, Row
from bot.values import ChangedFile, Reference, Unit, tokens

NEARBY_TOKENS = 3_500  # of unchanged code in one prompt
CALLERS_TOKENS = 1_800  # of these, for callers' bodies
REVIEW_TOKENS = 80_000  # of unchanged code in all prompts of one review: many prompts get less each, so that 281 files stay under 600,000
CALLER_LINES = 24  # of one caller; a longer one is cut around the call
MAX_CALLERS = 6  # of one unit
MAX_BY_NAME, MAX_TESTS = 2, 2  # callers of one prompt that are unsure, or tests
BEFORE, AFTER, BODY = 3, 4, 14  # lines around a reader; lines of a definition at most
FIRST_NAMES, MAX_NAMES = 40, 160  # searched for one review
MAX_ROWS = 20_000  # lines that one search may bring
MAX_HELPERS = 4  # definitions that shown readers call in their own files
LONG_LINE = 300  # characters; a longer line was written by a program
_CALLED = re.compile(r"(?<![\w$.])(?:(?:self|this|cls)\.)?([A-Za-z_$][\w$]{3,})\(")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Unchanged lines with their numbers, and why they are shown."""

    path: str
    start: int
    end: int
    title: str
    body: str


@dataclass(slots=True)
class Nearby:
    """The unchanged surroundings of one change. It remembers what was searched: a name is looked up once."""

    tree: Tree
    files: Sequence[ChangedFile]
    prompts: int = 1  # among which the tokens of the review are shared
    _rows: dict[str, list[Row]] = field(default_factory=dict)

    async def of(self, units: Sequence[Unit]) -> tuple[Excerpt, ...]:
        """What to show beside these units, callers first, under the limits."""
        room = min(NEARBY_TOKENS, REVIEW_TOKENS // max(1, self.prompts))
        shown = _Shown(units)
        callers = await self._callers(units, shown, min(CALLERS_TOKENS, room))
        room -= sum(tokens(excerpt.body) for excerpt in callers)
        await self.prepare(units)
        picked = [*await self._routes(units, callers, shown), *readers.pick(self._rows, units, shown.lines)]
        return (*callers, *await self._windows(picked, shown, room))

    async def _routes(self, units: Sequence[Unit], callers: Sequence[Excerpt], shown: "_Shown") -> list[Pick]:
        """Who asks for the routes that the units, or the places that register them, declare."""
        wanted = routes.patterns([*(unit.diff for unit in units), *(excerpt.body for excerpt in callers)])
        if not wanted:
            return []
        rows = await self.tree.grep_lines(list(wanted), syntax="perl", limit=MAX_ROWS)
        return routes.pick(rows, [file.path for file in self.files], shown.lines)

    async def prepare(self, units: Sequence[Unit]) -> None:
        """Search the names of all these units at once; the most telling ones, where there are too many."""
        weights = readers.together(units)
        new = sorted((n for n in weights if n not in self._rows), key=lambda n: (-weights[n] - readers.distinct(n), n))
        self._rows.update({name: [] for name in new})
        # The most telling names are searched apart: the limit on lines must not be used up by words that are everywhere.
        await asyncio.gather(self._search(new[:FIRST_NAMES]), self._search(new[FIRST_NAMES:MAX_NAMES]))

    async def _search(self, names: Sequence[str]) -> None:
        if not names:
            return
        ends = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
        found = await self.tree.grep_lines([rf"(?<![\w$])(?:{ends})(?![\w$])"], syntax="perl", limit=MAX_ROWS)
        added = {file.path: file.added for file in self.files}
        kept = [row for row in found if row[1] not in added.get(row[0], ()) and len(row[2]) <= LONG_LINE]
        self._rows.update(readers.by_name(kept, names))

    async def _callers(self, units: Sequence[Unit], shown: "_Shown", room: int) -> list[Excerpt]:
        """Bodies of the functions that use what the units change: each unit's best first, each function once."""
        wanted = call_sites(units)
        texts = await self.tree.read_many([row.path for row in wanted])
        found = []
        for row in wanted:
            lines = _lines(texts.get(row.path, b""))
            start, end = _window(row, len(lines))
            if start > end or (row.path, row.line) in shown.lines:
                continue
            doubt = "" if row.sure else " (by name only: perhaps another thing of that name)"
            excerpt = _excerpt(row.path, lines, start, end, f"{row.function} · uses {row.name}{doubt}")
            size = tokens(excerpt.body)
            if size <= room:
                room -= size
                found.append(excerpt)
                shown.add(row.path, start, end)
        return found

    async def _windows(self, picked: Sequence[Pick], shown: "_Shown", room: int) -> list[Excerpt]:
        """The picked lines with those around them, as many as there is room for."""
        texts = await self.tree.read_many([row.path for row in picked])
        found, helpers = [], MAX_HELPERS
        for row in picked:
            lines = _lines(texts.get(row.path, b""))
            first, last = (
                (row.line - 1, _block(lines, row.line)) if row.defines else (row.line - BEFORE, row.line + AFTER)
            )
            start, end = shown.trimmed(row.path, max(1, first), min(len(lines), last), row.line)
            if start > end:
                continue
            title = f"{'defines' if row.defines else 'names'} {', '.join(row.names[:3])}"
            excerpt = _excerpt(row.path, lines, start, end, title)
            size = tokens(excerpt.body) + tokens(row.path + title)
            if size > room:
                break
            room -= size
            shown.add(row.path, start, end)
            found.append(excerpt)
            if helpers and (helper := _helper(excerpt, lines, shown)) is not None:
                size = tokens(helper.body) + tokens(helper.path + helper.title)
                if size <= room:
                    room, helpers = room - size, helpers - 1
                    shown.add(helper.path, helper.start, helper.end)
                    found.append(helper)
        return _joined(found)


class _Shown:
    """Which lines of the head tree stand in the prompt already."""

    def __init__(self, units: Iterable[Unit]) -> None:
        self.lines: set[tuple[str, int]] = set()
        for unit in units:
            if unit.side == "head":
                self.add(unit.path, unit.start, unit.end)

    def add(self, path: str, start: int, end: int) -> None:
        self.lines.update((path, line) for line in range(start, end + 1))

    def trimmed(self, path: str, start: int, end: int, line: int) -> tuple[int, int]:
        """The part of a window around `line` that is not shown yet."""
        if (path, line) in self.lines:
            return 1, 0
        start = max((n + 1 for n in range(start, line) if (path, n) in self.lines), default=start)
        end = min((n - 1 for n in range(line, end + 1) if (path, n) in self.lines), default=end)
        return start, end


def _helper(excerpt: Excerpt, lines: Sequence[str], shown: "_Shown") -> Excerpt | None:
    """What the shown lines call first in their own file: a reader often leaves the deciding step to a neighbour."""
    for name in dict.fromkeys(_CALLED.findall(excerpt.body)):
        at = next((n for n, text in enumerate(lines, 1) if name in text and readers.defines(name, text)), 0)
        end = min(len(lines), _block(lines, at)) if at else 0
        new = next((n for n in range(at, end + 1) if (excerpt.path, n) not in shown.lines), end + 1) if at else 1
        start, end = shown.trimmed(excerpt.path, new, end, new)
        if start < end:
            return _excerpt(excerpt.path, lines, start, end, f"defines {name}, called nearby")
    return None


def call_sites(units: Iterable[Unit]) -> list[Reference]:
    """The uses of what the units change that are worth showing, in the order in which a prompt would show them."""
    return _sifted(_in_turn([sorted(unit.references, key=_first)[:MAX_CALLERS] for unit in units]))


def _sifted(rows: Iterable[Reference]) -> list[Reference]:
    """Without imports and constructors found by their name alone, and with few of the unsure and of the tests."""
    unsure = tests = 0
    kept = []
    for row in rows:
        if row.form == "import" and not row.missing:
            continue
        if not row.sure and not row.missing:
            unsure += 1
            if row.name.startswith("__") or unsure > MAX_BY_NAME:
                continue
        tests += row.test
        if not row.test or tests <= MAX_TESTS:
            kept.append(row)
    return kept


def _first(row: Reference) -> tuple[bool, ...]:
    return (not row.missing, not row.sure, row.test, not row.call)


def _in_turn(lists: Sequence[Sequence[Reference]]) -> list[Reference]:
    """The first of each, then the second of each, and so on."""
    most = max(map(len, lists), default=0)
    return [rows[at] for at in range(most) for rows in lists if at < len(rows)]


def _window(row: Reference, size: int) -> tuple[int, int]:
    start, end = row.span or (row.line - 5, row.line + 5)
    if end - start >= CALLER_LINES:
        start, end = max(start, row.line - CALLER_LINES // 2), min(end, row.line + CALLER_LINES // 2)
    return max(1, start), min(size, end)


def _block(lines: Sequence[str], start: int) -> int:
    """The last line of a definition, told by indentation; at most BODY lines of it."""
    indent = len(lines[start - 1]) - len(lines[start - 1].lstrip())
    for number in range(start + 1, min(len(lines), start + BODY) + 1):
        text = lines[number - 1]
        if text.strip() and len(text) - len(text.lstrip()) <= indent:
            return number if text.strip()[0] in "})]" else number - 1
    return start + BODY


def _lines(blob: bytes) -> list[str]:
    return blob.decode("utf-8", "replace").split("\n")


def _excerpt(path: str, lines: Sequence[str], start: int, end: int, title: str) -> Excerpt:
    body = "\n".join(diff.row(" ", number, lines[number - 1]) for number in range(start, end + 1))
    return Excerpt(path, start, end, title, body)


def _joined(excerpts: Sequence[Excerpt]) -> list[Excerpt]:
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
            held = Excerpt(held.path, held.start, excerpt.end, title, f"{held.body}\n{excerpt.body}")
            continue
        if held is not None:
            yield held
        held = excerpt
    if held is not None:
        yield held
