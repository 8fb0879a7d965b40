"""Unchanged code that decides whether a change is right: callers' bodies, and the lines that read or define what it names.

A graph of callers alone misses the template that reads a key and the workflow that compares a label. So every telling name
of the changed lines is searched in the whole tree, at once for the whole change, and the best lines are shown.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from bot.checkout.tree import WrittenTree
from bot.context import bodies, definitions, identifiers, leftovers, meaning, snippets, usages
from bot.context.bodies import Callee
from bot.context.cross_unit import Links
from bot.context.definitions import LONG_LINE, CalledName
from bot.context.passing_on import CallersOfCallers, changes_result
from bot.context.usages import Pick, Row
from bot.diff.units import ShownLines
from bot.machine.concurrency import together
from bot.masking.masks import Masks
from bot.ports import Tree
from bot.text import blocks
from bot.text.lines import file_lines
from bot.text.paths import decides_nothing, is_product
from bot.values import ChangedFile, Excerpt, Query, Reference, Unit, tokens

__all__ = ["NEARBY_TOKENS", "ContextBuilder", "call_sites"]

NEARBY_TOKENS = 2_800  # of code beside the units in one prompt
APART_TOKENS = 1_000  # beside these, for who still uses what the change removes, and for callers of callers
CALLERS_TOKENS = 1_600  # of these, for callers' bodies
DEFINITIONS_TOKENS, DEFINITIONS_PART = 1_200, 2  # of these, for what is called; at most half of what is left
REVIEW_TOKENS = 80_000  # of such code in all prompts of one review: many prompts get less each, so that 281 files stay under 600,000
CALLER_LINES = 24  # of one caller; a longer one is cut around the call
MAX_CALLERS = 6  # of one unit
MAX_BY_NAME, MAX_TESTS = 2, 2  # callers of one prompt that are unsure, or tests
WHOLE_TOKENS = (
    2_000  # for the unchanged lines of changed definitions, beside the room of other code and at most as much
)
TYPE_LINES, DEFINITION_LINES = 5, 14  # of a type that is longer than a definition may be; of a definition
READER_LINES = 12  # of the block around a reader
USES_PART = 2  # where uses alone are shown: at most half of what is left for those of what is gone, and for callers
FIRST_NAMES, MAX_NAMES = 40, 160  # searched for one review
LOST = 5.0  # the weight in a search of a name that the change removes: above all others
MAX_ROWS = 20_000  # lines that one search may bring

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Uses:
    """The code that relies on a change, by how that is known."""

    sure: tuple[Excerpt, ...]  # what still names what is gone, and callers of callers that hand on what they get
    callers: tuple[Excerpt, ...]
    readers: tuple[Excerpt, ...]  # of the same key, field or name

    @property
    def all(self) -> tuple[Excerpt, ...]:
        """Every one of them, the surest first."""
        return (*self.sure, *self.callers, *self.readers)


@dataclass(slots=True)
class ContextBuilder:
    """The surroundings of the parts of one change. It remembers what was searched and asked: a name is looked up once."""

    tree: Tree
    files: Sequence[ChangedFile]
    prompts: int = 1  # among which the tokens of the review are shared
    first: Sequence[Reference] = ()  # uses that must be read: they come before all others, and share no room with them
    most: int = NEARBY_TOKENS  # in one prompt
    completes: bool = True  # whether unchanged lines of changed definitions are shown too
    masks: Masks = field(default_factory=Masks)  # which learn the secrets of each file of which lines are shown
    _rows: dict[str, list[Row]] = field(default_factory=dict)
    _definitions: dict[str, list[Row]] = field(default_factory=dict)  # what the change calls
    _imports: dict[str, frozenset[str]] = field(default_factory=dict)  # words of the import lines of changed files
    _links: Links | None = None
    _remaining: frozenset[str] | None = None  # what the added lines say
    _beside: dict[tuple[str, ...], tuple[Excerpt, ...]] = field(default_factory=dict)  # by the units
    _shown: set[str] = field(default_factory=set)  # files whose secrets are known
    _passing_on: CallersOfCallers = field(init=False)

    def __post_init__(self) -> None:
        self.tree = WrittenTree(self.tree)
        self._passing_on = CallersOfCallers(self.tree)

    async def of(self, units: Sequence[Unit]) -> tuple[Excerpt, ...]:
        """What to show beside these units, callers first, under the limits."""
        key = tuple(unit.id for unit in units)
        if key not in self._beside:
            self._beside[key] = await self._of(units)
        return self._beside[key]

    async def _of(self, units: Sequence[Unit]) -> tuple[Excerpt, ...]:
        room, shown_lines = self._room, ShownLines()
        shown_lines.lines.update(
            (unit.path, row.number) for unit in units for row in unit.rows if row.sign in (" ", "+")
        )
        rest = self.rest_of_definitions(units)
        shown_lines.lines.update((path, number) for path, lines in rest.items() for number in lines)
        await self.prepare(units)
        sure = [*self._left(units, shown_lines), *self._passing_on.pick(call_sites(units), shown_lines.lines)]
        apart = await self._windows(sure, shown_lines, min(APART_TOKENS, room))
        callers_room = room if self.first else min(CALLERS_TOKENS, room)
        callers = await self._callers(shown_lines, callers_room, self._use_order(units))
        room -= sum(excerpt.size for excerpt in callers)
        callees = await self._callees(units, shown_lines)
        called = bodies.excerpts(callees, shown_lines, min(DEFINITIONS_TOKENS, room // DEFINITIONS_PART))
        called = snippets.by_file(called, shown_lines)
        room -= sum(excerpt.size for excerpt in called)
        windows = await self._windows(await self._picks(units, shown_lines), shown_lines, room)
        return await self._masked([*apart, *callers, *called, *windows])

    async def uses(self, units: Sequence[Unit], room: int) -> Uses:
        """The code that relies on what these units change, alone: for a reader who is asked about nothing else."""
        shown_lines, sites = ShownLines(units), call_sites(units)
        await self.prepare(units)
        sure = _in_turn([self._left(units, shown_lines), self._passing_on.pick(sites, shown_lines.lines)])
        apart = await self._windows(sure, shown_lines, room // USES_PART)
        room -= sum(excerpt.size for excerpt in apart)
        product_sites = [row for row in sites if not row.test]
        callers = await self._callers(shown_lines, room // USES_PART, product_sites, READER_LINES)
        room -= sum(excerpt.size for excerpt in callers)
        picks = [one for one in await self._picks(units, shown_lines) if not one.defines and is_product(one.path)]
        windows = await self._windows(picks, shown_lines, room)
        return Uses(await self._masked(apart), await self._masked(callers), await self._masked(windows))

    async def _masked(self, excerpts: Sequence[Excerpt]) -> tuple[Excerpt, ...]:
        """The excerpts, marked where they hold changed lines, once the secrets of their files are known.

        A line may not show the name that says what a value is.
        """
        new = [path for path in dict.fromkeys(one.path for one in excerpts) if path not in self._shown]
        self._shown.update(new)
        texts = await self.tree.read_many(new) if new else {}
        self.masks.learn_files({path: blob.decode("utf-8", "replace") for path, blob in texts.items()})
        return snippets.mark_changes(excerpts, self.files)

    @property
    def _room(self) -> int:
        """Tokens of code beside the units in one prompt."""
        return min(self.most, REVIEW_TOKENS // max(1, self.prompts))

    def rest_of_definitions(self, units: Sequence[Unit]) -> dict[str, dict[int, str]]:
        """The unchanged lines of changed definitions that their diffs leave out, by path and number: the nearest ones first.

        What decides about a change is often in its own function.
        """
        left = min(WHOLE_TOKENS, self._room) if self.completes else 0
        lines_by_path: dict[str, dict[int, str]] = defaultdict(dict)
        added_lines = {file.path: file.added_lines for file in self.files}
        for _, path, number, text in sorted(line for unit in units for line in _lines_left_out(unit)) if left else ():
            if number not in added_lines.get(path, ()):
                left -= tokens(text) + 1
                if left < 0:
                    break
                lines_by_path[path][number] = text
        return dict(lines_by_path)

    def _left(self, units: Sequence[Unit], shown_lines: ShownLines) -> list[Pick]:
        """Who still uses what the units remove."""
        changed_lines = {file.path: file.added_lines for file in self.files}
        return leftovers.pick(self._rows, self._lost_names(units), units, shown_lines.lines, changed_lines)

    def _lost_names(self, units: Sequence[Unit]) -> list[str]:
        if self._remaining is None:
            self._remaining = leftovers.remaining_words(self.files)
        return leftovers.names(units, self._remaining)

    async def _picks(self, units: Sequence[Unit], shown_lines: ShownLines) -> list[Pick]:
        """Lines that use or settle what the units name: changed ones in other prompts first."""
        return [
            *(await self._matches()).pick(units, shown_lines.lines, self._imports),
            *usages.pick(self._rows, units, shown_lines.lines),
        ]

    async def _callees(self, units: Sequence[Unit], shown_lines: ShownLines) -> list[Callee]:
        """The definitions that added lines call, where the prompt does not show them: those first that ask something of their callers."""
        meanings = {
            row: call.name
            for call in definitions.called_names(units)
            for row in definitions.meanings(
                call, self._definitions.get(call.name, ()), self._imports.get(call.path, ())
            )
        }
        texts = await self.tree.read_many(list(dict.fromkeys(path for path, _, _ in meanings)))
        lines = {path: file_lines(blob) for path, blob in texts.items()}
        return [
            Callee(path, line, name, lines[path])
            for (path, line, _), name in sorted(
                meanings.items(), key=lambda item: not definitions.demanding(item[0][2])
            )
            if (path, line) not in shown_lines.lines and line <= len(lines.get(path, ()))
        ]

    async def prepare(self, units: Sequence[Unit]) -> None:
        """Search the names of all these units at once; the most telling ones, where there are too many."""
        weights = usages.together(units) | dict.fromkeys(self._lost_names(units), LOST)
        new = sorted((n for n in weights if n not in self._rows), key=lambda n: (-weights[n] - usages.distinct(n), n))
        self._rows.update({name: [] for name in new})
        calls = [call for call in definitions.called_names(units) if call.name not in self._definitions]
        self._definitions.update({call.name: [] for call in calls})
        # The most telling names are searched apart: the limit on lines must not be used up by words that are everywhere.
        await together(
            self._search(new[:FIRST_NAMES]),
            self._search(new[FIRST_NAMES:MAX_NAMES]),
            self._define(calls),
            self._follow(units),
        )

    async def _follow(self, units: Sequence[Unit]) -> None:
        """Search the callers of callers that hand on what they get."""
        results = frozenset(row.symbol for unit in units if changes_result(unit) for row in unit.references)
        known = (row for row in call_sites(units) if row.sure or row.unique or row.lone)
        await self._passing_on.follow((row for row in known if row.form != "import" and not row.test), results)

    async def _search(self, names: Sequence[str]) -> None:
        if not names:
            return
        rows = await self.tree.grep_lines(Query([usages.whole_names(names)], syntax="perl", limit=MAX_ROWS))
        self._rows.update(usages.by_name([row for row in rows if len(row[2]) <= LONG_LINE], names))

    async def _define(self, calls: Sequence[CalledName]) -> None:
        """Find the definitions of what is called; what the change itself defines is known, and looked for last."""
        links = await self._matches()
        looks = [
            self.tree.grep_lines(Query([pattern], globs, syntax="perl", limit=MAX_ROWS))
            for pattern, globs in definitions.searches(sorted(calls, key=lambda call: call.name in links.defined))
        ]
        rows = [row for look_rows in await together(*looks) for row in look_rows if len(row[2]) <= LONG_LINE]
        look_rows = definitions.by_defined_name(
            [*rows, *(row for call in calls for row in links.defined.get(call.name, ()))]
        )
        self._definitions.update({call.name: look_rows[call.name] for call in calls if call.name in look_rows})

    async def _matches(self) -> Links:
        """The added lines of the change, matched with each other once."""
        if self._links is None:
            self._links = Links(self.files)
            texts = await self.tree.read_many([file.path for file in self.files if file.added_lines and not file.skip])
            self._imports = {p: definitions.import_words(blob.decode("utf-8", "replace")) for p, blob in texts.items()}
        return self._links

    def _use_order(self, units: Sequence[Unit]) -> list[Reference]:
        """The uses of what the units change: each unit's best first, after those that must be read."""
        mine = {row.symbol for unit in units for row in unit.references} if self.first else set()
        first = [row for row in self.first if row.symbol in mine]
        return list(dict.fromkeys([*first, *call_sites(units)]))

    async def _callers(
        self, shown_lines: ShownLines, room: int, references: Sequence[Reference], lines: int = CALLER_LINES
    ) -> list[Excerpt]:
        """Bodies of the functions that hold these uses, each function once."""
        texts = await self.tree.read_many([row.path for row in references])
        excerpts = []
        for row in references:
            text = file_lines(texts.get(row.path, b""))
            if row.line > len(text) or (row.path, row.line) in shown_lines.lines:
                continue
            doubt = "" if row.sure else " (by name only: perhaps another thing of that name)"
            title = f"{row.function} · uses {row.name}{doubt}"
            excerpt = snippets.cut(row.path, text, shown_lines.left(row.path, _body(row, text, lines)), title)
            size = tokens(excerpt.body)
            if size <= room:
                room -= size
                excerpts.append(excerpt)
                shown_lines.add(excerpt)
        return excerpts

    async def _windows(self, picks: Sequence[Pick], shown_lines: ShownLines, room: int) -> list[Excerpt]:
        """The picked lines with those around them, as many as there is room for."""
        texts = await self.tree.read_many([row.path for row in picks])
        excerpts = []
        for row in picks:
            lines = file_lines(texts.get(row.path, b""))
            if row.line > len(lines) or (row.path, row.line) in shown_lines.lines:
                continue
            excerpt = snippets.cut(row.path, lines, shown_lines.left(row.path, _around(row, lines)), row.reason)
            if excerpt.size > room:
                break
            room -= excerpt.size
            shown_lines.add(excerpt)
            excerpts.append(excerpt)
        return snippets.join(excerpts)


def _around(row: Pick, lines: Sequence[str]) -> list[int]:
    """The lines of the block of a picked line."""
    if row.defines and not meaning.is_type(lines[row.line - 1]):
        return Callee(row.path, row.line, "", lines).body
    if row.defines:  # a long type that is named tells by its head; what of it is called has a definition of its own
        is_short = len(blocks.statement(lines, row.line)) <= DEFINITION_LINES
        return blocks.opening_lines(row.path, lines, row.line, DEFINITION_LINES if is_short else TYPE_LINES)
    head = definitions.head(row.path, lines, row.line) if row.with_head else 0
    near = range(max(1, row.line - row.beside), min(len(lines), row.line + row.beside) + 1)
    return sorted({*blocks.around(row.path, lines, row.line, READER_LINES, head), *near})


def _lines_left_out(unit: Unit) -> Iterator[tuple[int, str, int, str]]:
    """The lines of a changed definition of product code that its diff leaves out, with how far from it they are."""
    shown_numbers = sorted(row.number for row in unit.rows if row.sign in (" ", "+"))
    if unit.side == "base" or not is_product(unit.path) or not shown_numbers:
        return
    for number, text in enumerate(unit.text.split("\n"), unit.start):
        at = bisect_left(shown_numbers, number)
        away = min(abs(number - near) for near in shown_numbers[max(0, at - 1) : at + 1])
        if away:
            yield away, unit.path, number, text


def call_sites(units: Iterable[Unit]) -> list[Reference]:
    """The uses of what the units change that are worth showing, in the order in which a prompt would show them."""
    return _sift(_in_turn([sorted(unit.references, key=_first)[:MAX_CALLERS] for unit in units]))


def _sift(rows: Iterable[Reference]) -> list[Reference]:
    """Without imports and constructors found by their name alone, and with few of the tests and of the unsure: none of one word."""
    unsure = tests = 0
    rows_kept = []
    for row in rows:
        idle = decides_nothing(row.path) and not row.missing
        if (row.form == "import" and not row.missing) or row.everyday or idle:
            continue
        if not row.sure and not row.missing:
            unsure += 1
            if unsure > MAX_BY_NAME or identifiers.single(row.name) or row.name.startswith("__"):
                continue
        tests += row.test
        if not row.test or tests <= MAX_TESTS:
            rows_kept.append(row)
    return rows_kept


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
