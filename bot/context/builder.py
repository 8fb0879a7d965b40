"""Unchanged code that decides whether a change is right: callers' bodies, and the lines that read or define what it names.

A graph of callers alone misses the template that reads a key and the workflow that compares a label. So every telling name
of the changed lines is searched in the whole tree, at once for the whole change, and the best lines are shown.
"""

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from bot.concurrency import together
from bot.context import (
    bodies,
    definitions,
    elsewhere,
    handed,
    identifiers,
    lost,
    meaning,
    routes,
    similar,
    snippets,
    usages,
)
from bot.context.bodies import Callee
from bot.context.consumers import Consumers
from bot.context.cross_unit import Links
from bot.context.definitions import LONG_LINE, CalledName
from bot.context.elsewhere import Elsewhere
from bot.context.snippets import Shown
from bot.context.usages import Pick, Row
from bot.ports import Tree
from bot.text import blocks
from bot.text.paths import decides_nothing, is_product
from bot.values import ChangedFile, Excerpt, Reference, Unit, tokens

__all__ = ["NEARBY_TOKENS", "ContextBuilder", "call_sites"]

NEARBY_TOKENS = 3_200  # of code beside the units in one prompt
APART_TOKENS = 1_000  # beside these, for who still uses what the change removes, and for callers of callers
CALLERS_TOKENS = 1_800  # of these, for callers' bodies
DEFINITIONS_TOKENS, DEFINITIONS_PART = 1_000, 2  # of these, for what is called; at most half of what is left
REVIEW_TOKENS = 80_000  # of such code in all prompts of one review: many prompts get less each, so that 281 files stay under 600,000
CALLER_LINES = 24  # of one caller; a longer one is cut around the call
MAX_CALLERS = 6  # of one unit
MAX_BY_NAME, MAX_TESTS = 2, 2  # callers of one prompt that are unsure, or tests
BODIES_TOKENS = 500  # of what is left at last, for the bodies of what is called
TYPE_LINES = 5  # of a type that is longer than a definition may be
READER_LINES = 12  # of the block around a reader
ALIKE = 2  # uses shown of those that are written alike
USES_PART = 2  # where uses alone are shown: at most half of what is left for those of what is gone, and for callers
HANDING, MAX_HANDED = 20, 3  # callers whose files and options are looked up; lines of these in one prompt
BESIDE_OPTION = 3  # lines before and after an option in a script: what it does with the output
LOST = 5.0  # the weight in a search of a name that the change removes: above all others
FIRST_NAMES, MAX_NAMES = 40, 160  # searched for one review
MAX_ROWS = 20_000  # lines that one search may bring
MAX_ALIKE = 200  # lines that hold the beginning of one pattern
MAX_HELPERS = 4  # definitions that shown readers call in their own files
_WORD = re.compile(r"[A-Za-z_$][\w$]*")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Uses:
    """The code that relies on a change, by how that is known."""

    sure: tuple[Excerpt, ...]  # what still names what is gone, and what is handed on to it
    callers: tuple[Excerpt, ...]
    readers: tuple[Excerpt, ...]  # of the same key, format, route or name

    @property
    def all(self) -> tuple[Excerpt, ...]:
        """Every one of them, the surest first."""
        return (*self.sure, *self.callers, *self.readers)


@dataclass(slots=True)
class ContextBuilder:
    """The surroundings of the parts of one change. It remembers what was searched: a name is looked up once."""

    tree: Tree
    files: Sequence[ChangedFile]
    prompts: int = 1  # among which the tokens of the review are shared
    first: Sequence[Reference] = ()  # uses that must be read: they come before all others, and share no room with them
    most: int = NEARBY_TOKENS  # in one prompt
    _rows: dict[str, list[Row]] = field(default_factory=dict)
    _cut: set[str] = field(default_factory=set)  # names whose search brought more lines than it may
    _defined: dict[str, list[Row]] = field(default_factory=dict)  # what the change calls
    _near: dict[str, list[tuple[str, Row]]] = field(default_factory=dict)  # names that resemble one of the change's
    _alike: dict[str, tuple[Row, ...]] = field(default_factory=dict)  # patterns, by what they begin with
    _imports: dict[str, frozenset[str]] = field(default_factory=dict)  # words of the import lines of changed files
    _links: Links | None = None
    _by_file_name: Mapping[str, Sequence[str]] | None = None  # templates, statements, scripts, settings of the tree
    _kept: lost.Kept | None = None
    _consumers: Consumers = field(init=False)  # of what callers hand on

    def __post_init__(self) -> None:
        self._consumers = Consumers(self.tree)

    async def of(self, units: Sequence[Unit]) -> tuple[Excerpt, ...]:
        """What to show beside these units, callers first, under the limits."""
        room = min(self.most, REVIEW_TOKENS // max(1, self.prompts))
        shown = Shown(units)
        await self.prepare(units)
        sure = [
            *self._left(units, shown),
            *self._consumers.pick(call_sites(units), shown.lines),
            *await self._handed(units, shown),
        ]
        apart = await self._windows(sure, shown, min(APART_TOKENS, room))
        callers = await self._callers(shown, room if self.first else min(CALLERS_TOKENS, room), self._wanted(units))
        room = max(0, room - sum(excerpt.size for excerpt in callers))
        callees = await self._callees(definitions.called(units), shown)
        callees, needed = bodies.signatures(callees, min(DEFINITIONS_TOKENS, room // DEFINITIONS_PART))
        linked = (await self._linked()).pick(units, shown.lines, self._imports)
        picked = [
            *linked,
            *await self._routes(units, callers, shown),
            *similar.pick(units, self._near, self._alike, shown.lines),
            *usages.pick(self._rows, units, shown.lines, [file.path for file in self.files]),
        ]
        windows = await self._windows(picked, shown, room - needed)
        left = room - needed - sum(excerpt.size for excerpt in windows)
        flows = await self._callees(definitions.flowing(units), shown)
        called = bodies.told(callees, flows, shown, min(BODIES_TOKENS, left))
        found = [*apart, *callers, *windows, *snippets.by_file(called, shown)]
        return snippets.marked(found, self.files)

    async def uses(self, units: Sequence[Unit], room: int) -> Uses:
        """The code that relies on what these units change, alone: for a reader who is asked about nothing else."""
        shown = Shown(units)
        await self.prepare(units)
        carried = self._consumers.pick(call_sites(units), shown.lines)
        sure = _in_turn([self._left(units, shown), carried, await self._handed(units, shown)])
        apart = await self._windows(sure, shown, room // USES_PART)
        room -= sum(excerpt.size for excerpt in apart)
        sites = distinct(row for row in call_sites(units) if not row.test)
        callers = await self._callers(shown, room // USES_PART, sites, READER_LINES)
        room -= sum(excerpt.size for excerpt in callers)
        picked = [
            *(await self._linked()).pick(units, shown.lines, self._imports),
            *await self._routes(units, callers, shown),
            *similar.pick(units, self._near, self._alike, shown.lines),
            *usages.pick(self._rows, units, shown.lines, [file.path for file in self.files]),
        ]
        using = [pick for pick in picked if not pick.defines and is_product(pick.path)]
        windows = await self._windows(using, shown, room)
        return Uses(*(snippets.marked(found, self.files) for found in (apart, callers, windows)))

    def elsewhere(self, units: Sequence[Unit], beside: Sequence[Excerpt]) -> tuple[Elsewhere, ...]:
        """Where the names of these units occur outside of the change, for a prompt that shows this code beside them.

        If the change takes several prompts, only the names that it removes.
        """
        told = {(unit.path, row.number) for unit in units for row in unit.rows if row.sign != "-"}
        told |= {(excerpt.path, row.number) for excerpt in beside for row in excerpt.rows}
        wanted = self._rows if self.prompts == 1 else lost.names(units, self._said())
        wanted = [one for name in wanted for one in (name, *elsewhere.spelled(name))]
        rows = {name: self._rows[name] for name in wanted if name in self._rows and name not in self._cut}
        return elsewhere.told(rows, units, told, {file.path: file.added for file in self.files})

    def _left(self, units: Sequence[Unit], shown: Shown) -> list[Pick]:
        """Who still uses what the units remove."""
        changed = {file.path: file.added for file in self.files}
        return lost.pick(self._rows, lost.names(units, self._said()), units, shown.lines, changed)

    def _said(self) -> lost.Kept:
        """What the added lines of the whole change say."""
        if self._kept is None:
            self._kept = lost.kept(self.files)
        return self._kept

    async def _handed(self, units: Sequence[Unit], shown: Shown) -> list[Pick]:
        """Where callers give the result to: the keys of the files that they name, and who calls them by an option."""
        sites = [row for row in call_sites(units) if row.call and row.sure and not row.test][:HANDING]
        texts = await self.tree.read_many([row.path for row in sites]) if sites else {}
        lines = {path: snippets.lines(blob) for path, blob in texts.items()}
        if lines and self._by_file_name is None:
            self._by_file_name = handed.by_file_name(await self.tree.entries())
        keys: dict[str, set[str]] = defaultdict(set)  # by the file to which they are given
        for row in sites:
            if given := identifiers.stored(row.text, row.name):
                for path in handed.files(lines.get(row.path, ()), self._by_file_name or {}):
                    keys[path] |= given
        read = await self.tree.read_many([*keys]) if keys else {}
        found = [
            Pick(path, number, tuple(sorted(keys[path])), defines=False, title="gets it from a caller", beside=1)
            for path, blob in read.items()
            for number, text in enumerate(snippets.lines(blob), 1)
            if keys[path] & identifiers.words(text)
        ]
        callers = {option: row.path for row in sites for option in handed.options(lines.get(row.path, ()), row)}
        rows = await self.tree.grep_lines(list(callers), word=True, limit=MAX_ALIKE) if callers else ()
        found += [
            Pick(path, number, (), defines=False, title=f"calls {callers[option]} by {option}", beside=BESIDE_OPTION)
            for path, number, text in rows
            for option in callers
            if option in text and usages.OTHER.search(path) and is_product(path) and not decides_nothing(path)
        ]
        return [one for one in found if (one.path, one.line) not in shown.lines][:MAX_HANDED]

    async def _callees(self, calls: Iterable[CalledName], shown: Shown) -> list[Callee]:
        """The definitions that these calls mean, where the prompt does not show them: those first that ask something of their callers."""
        meant = {
            row: call.name
            for call in calls
            for row in definitions.meant(call, self._defined.get(call.name, ()), self._imports.get(call.path, ()))
        }
        texts = await self.tree.read_many(list(dict.fromkeys(path for path, _, _ in meant)))
        lines = {path: snippets.lines(blob) for path, blob in texts.items()}
        return [
            Callee(path, line, name, lines[path])
            for (path, line, _), name in sorted(meant.items(), key=lambda item: not definitions.demanding(item[0][2]))
            if (path, line) not in shown.lines and line <= len(lines.get(path, ()))
        ]

    async def _routes(self, units: Sequence[Unit], callers: Sequence[Excerpt], shown: Shown) -> list[Pick]:
        """Who asks for the routes that the units, or the places that register them, declare."""
        wanted = routes.patterns(
            row.text for rows in (*(u.rows for u in units), *(c.rows for c in callers)) for row in rows
        )
        if not wanted:
            return []
        rows = await self.tree.grep_lines(list(wanted), syntax="perl", limit=MAX_ROWS)
        return routes.pick(rows, [file.path for file in self.files], shown.lines)

    async def prepare(self, units: Sequence[Unit]) -> None:
        """Search the names of all these units at once; the most telling ones, where there are too many."""
        weights = usages.together(units) | dict.fromkeys(lost.names(units, self._said()), LOST)
        weights |= {
            other: weights[name] for name in weights for other in elsewhere.spelled(name) if other not in weights
        }
        new = sorted((n for n in weights if n not in self._rows), key=lambda n: (-weights[n] - usages.distinct(n), n))
        self._rows.update({name: [] for name in new})
        calls = [*definitions.called(units), *definitions.flowing(units)]
        calls = [call for call in calls if call.name not in self._defined]
        self._defined.update({call.name: [] for call in calls})
        # The most telling names are searched apart: the limit on lines must not be used up by words that are everywhere.
        await together(self._search(new[:FIRST_NAMES]), self._search(new[FIRST_NAMES:MAX_NAMES]), self._define(calls))
        await together(self._resemble(new, units), self._follow(units))

    async def _follow(self, units: Sequence[Unit]) -> None:
        """Search the consumers of what callers hand on."""
        results = frozenset(row.symbol for unit in units if handed.changes_result(unit) for row in unit.references)
        known = (row for row in call_sites(units) if row.sure or row.unique or row.lone)
        sites = [row for row in known if row.form != "import" and not row.test]
        await self._consumers.follow((row for row in sites if row.symbol in results or _short(row)), results)

    async def _search(self, names: Sequence[str]) -> None:
        if not names:
            return
        ends = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
        found = await self.tree.grep_lines([rf"(?<![\w$])(?:{ends})(?![\w$])"], syntax="perl", limit=MAX_ROWS)
        self._cut |= {*names} if len(found) >= MAX_ROWS else set()
        self._rows.update(usages.by_name([row for row in found if len(row[2]) <= LONG_LINE], names))

    async def _define(self, calls: Sequence[definitions.CalledName]) -> None:
        """Find the definitions of what is called; what the change itself defines is known, and looked for last."""
        links = await self._linked()
        looks = [
            self.tree.grep_lines([pattern], globs, syntax="perl", limit=MAX_ROWS)
            for pattern, globs in definitions.searches(sorted(calls, key=lambda call: call.name in links.defined))
        ]
        rows = [row for found in await together(*looks) for row in found if len(row[2]) <= LONG_LINE]
        found = definitions.defined([*rows, *(row for call in calls for row in links.defined.get(call.name, ()))])
        self._defined.update({call.name: found[call.name] for call in calls if call.name in found})

    async def _linked(self) -> Links:
        """The added lines of the change, matched with each other once."""
        if self._links is None:
            self._links = Links(self.files)
            texts = await self.tree.read_many([file.path for file in self.files if file.added and not file.skip])
            self._imports = {p: definitions.imported(blob.decode("utf-8", "replace")) for p, blob in texts.items()}
        return self._links

    async def _resemble(self, names: Sequence[str], units: Sequence[Unit]) -> None:
        heads = [head for head in similar.patterns(units) if head not in self._alike]
        found = await together(*(self.tree.grep_lines([head], limit=MAX_ALIKE) for head in heads))
        self._alike.update(zip(heads, found, strict=True))
        unknown = similar.unknown(self._rows, names, self.files)
        if unknown:
            rows = await self.tree.grep_lines([similar.nearly(unknown)], syntax="perl", limit=MAX_ROWS)
            self._near.update(similar.near_names([row for row in rows if len(row[2]) <= LONG_LINE], unknown))

    def _wanted(self, units: Sequence[Unit]) -> list[Reference]:
        """The uses of what the units change: each unit's best first, after those that must be read."""
        mine = {row.symbol for unit in units for row in unit.references} if self.first else set()
        first = [row for row in self.first if row.symbol in mine]
        return list(dict.fromkeys([*first, *call_sites(units)]))

    async def _callers(
        self, shown: Shown, room: int, wanted: Sequence[Reference], lines: int = CALLER_LINES
    ) -> list[Excerpt]:
        """Bodies of the functions that hold these uses, each function once."""
        texts = await self.tree.read_many([row.path for row in wanted])
        found = []
        for row in wanted:
            text = snippets.lines(texts.get(row.path, b""))
            if row.line > len(text) or (row.path, row.line) in shown.lines:
                continue
            doubt = "" if row.sure else " (by name only: perhaps another thing of that name)"
            title = f"{row.function} · uses {row.name}{doubt}"
            excerpt = snippets.cut(row.path, text, shown.left(row.path, _body(row, text, lines)), title)
            size = tokens(excerpt.body)
            if size <= room:
                room -= size
                found.append(excerpt)
                shown.add(excerpt)
        return found

    async def _windows(self, picked: Sequence[Pick], shown: Shown, room: int) -> list[Excerpt]:
        """The picked lines with those around them, as many as there is room for."""
        texts = await self.tree.read_many([row.path for row in picked])
        found, helpers = [], MAX_HELPERS
        for row in picked:
            lines = snippets.lines(texts.get(row.path, b""))
            excerpt = _around(row, lines, shown)
            if excerpt is None:
                continue
            if excerpt.size > room:
                break
            room -= excerpt.size
            shown.add(excerpt)
            found.append(excerpt)
            helper = snippets.helper(excerpt, row.line, lines, shown) if helpers and not row.defines else None
            if helper is not None and helper.size <= room:
                room, helpers = room - helper.size, helpers - 1
                shown.add(helper)
                found.append(helper)
        return snippets.joined(found)


def _around(row: Pick, lines: Sequence[str], shown: Shown) -> Excerpt | None:
    """The block of a picked line, as far as the prompt does not show it yet."""
    if row.line > len(lines) or (row.path, row.line) in shown.lines:
        return None
    if row.defines and not meaning.is_type(lines[row.line - 1]):
        numbers = Callee(row.path, row.line, "", lines).body
    elif row.defines or row.builds:
        # A long type that is named tells by its head; what of it is called has a definition of its own.
        most = snippets.BODY if row.builds or _whole(lines, row.line) else TYPE_LINES
        numbers = blocks.opened(row.path, lines, row.line, most)
    else:
        head = definitions.head(row.path, lines, row.line) if row.headed else 0
        numbers = blocks.around(row.path, lines, row.line, READER_LINES, head)
        near = range(max(1, row.line - row.beside), min(len(lines), row.line + row.beside) + 1)
        numbers = sorted({*numbers, *near})
    return snippets.cut(row.path, lines, shown.left(row.path, numbers), row.reason)


def _whole(lines: Sequence[str], line: int) -> bool:
    return len(blocks.statement(lines, line)) <= snippets.BODY


def _short(row: Reference) -> bool:
    """Whether a use is in a function that is short enough to do nothing but pass on."""
    return row.span is not None and row.span[1] - row.span[0] < blocks.MAX_WRAPPER


def call_sites(units: Iterable[Unit]) -> list[Reference]:
    """The uses of what the units change that are worth showing, in the order in which a prompt would show them."""
    return _sifted(_in_turn([sorted(unit.references, key=_first)[:MAX_CALLERS] for unit in units]))


def distinct(rows: Iterable[Reference]) -> list[Reference]:
    """These uses without those that are written like two others: of the same name, with other variables around it."""
    seen: Counter[str] = Counter()
    kept = []
    for row in rows:
        shape = _shape(row.text.strip(), row.name)
        seen[shape] += 1
        if seen[shape] <= ALIKE:
            kept.append(row)
    return kept


def _shape(text: str, name: str) -> str:
    """A line of code with one word in the place of all others but this name."""
    return _WORD.sub(lambda found: found[0] if found[0] in (name, "return") else "x", text)


def _sifted(rows: Iterable[Reference]) -> list[Reference]:
    """Without imports and constructors found by their name alone, and with few of the unsure and of the tests."""
    unsure = tests = 0
    kept = []
    for row in rows:
        idle = decides_nothing(row.path) and not row.missing
        if (row.form == "import" and not row.missing) or row.everyday or idle:
            continue
        if not row.sure and not row.missing:
            unsure += 1
            if unsure > MAX_BY_NAME or _another(row):
                continue
        tests += row.test
        if not row.test or tests <= MAX_TESTS:
            kept.append(row)
    return kept


def _another(row: Reference) -> bool:
    """Whether what a use means, of which only the name is known, is likely another thing: a word, or what a class keeps to itself."""
    path = row.symbol.partition(":")[0]
    far = posixpath.dirname(row.path) != posixpath.dirname(path) and identifiers.single(row.name)
    own = row.path != path and bool(
        re.search(rf"\b(?:self|this|cls)\._{re.escape(row.name.removeprefix('_'))}\b", row.text)
    )
    return far or own or row.name.startswith("__")


def _first(row: Reference) -> tuple[bool, ...]:
    return (not row.missing, not row.sure, row.test, not row.call)


def _in_turn(lists: Sequence[Sequence[T]]) -> list[T]:
    """The first of each, then the second of each, and so on."""
    most = max(map(len, lists), default=0)
    return [rows[at] for at in range(most) for rows in lists if at < len(rows)]


def _body(row: Reference, lines: Sequence[str], most: int) -> list[int]:
    """The function around a use, or the blocks of it that hold the use."""
    start, end = row.span or (0, 0)
    end = min(end, len(lines))
    if row.span and end - start < most and start <= row.line <= end:
        return [*range(start, end + 1)]
    return blocks.around(row.path, lines, row.line, most if row.span else READER_LINES, min(start, row.line))
