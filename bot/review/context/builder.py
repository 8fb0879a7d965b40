"""Select the unchanged code that decides whether a change is right.

A call graph misses a template that reads a key, or a workflow that compares a label. So in addition to
callers, lines anywhere in the tree are shown if they share a distinctive name with the change.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from bot import blocks
from bot.diff.units import ShownLines
from bot.review.context import (
    bodies,
    definitions,
    leftovers,
    markers,
    meaning,
    result_flow,
    snippets,
    usages,
)
from bot.review.context.bodies import Callee
from bot.review.context.call_sites import ALIKE, call_sites, distinct, interleave, shape
from bot.review.context.definitions import CalledName
from bot.review.context.searches import Searches
from bot.review.context.usages import Pick
from bot.values import Excerpt, Reference, Unit
from deeprepo.impact.text.lines import file_lines
from deeprepo.impact.text.paths import is_product
from deeprepo.impact.values import MODULE
from deeprepo.rlm.values import tokens

# Tokens of surrounding code in one prompt: 1/NEARBY_PART of the size of its regions, but at least LEAST_NEARBY
NEARBY_TOKENS, LEAST_NEARBY, NEARBY_PART = 5_200, 1_900, 5
APART_TOKENS = 1_000  # additional tokens, for code that still uses what the change removes
CONSTANTS_TOKENS = 600  # of NEARBY_TOKENS, for the values of constants
CALLERS_TOKENS, CALLERS_PART = 1_800, 2  # of NEARBY_TOKENS, for callers' bodies; at most half of the room
# Of NEARBY_TOKENS, for called definitions; at most half of what remains
DEFINITIONS_TOKENS, DEFINITIONS_PART = 1_600, 2
# Tokens of surrounding code in all prompts of one review, so that 281 files stay under 600,000
REVIEW_TOKENS = 80_000
WHOLE_USES = 4  # uses of one definition that are shown with the functions that contain them
CALLER_LINES = 24  # lines of one caller; a longer one is cut around the call
# Tokens for the unchanged lines of changed definitions, and at most 1/REST_PART of the prompt's room.
REST_TOKENS, REST_PART = 2_000, 2
BODIES_TOKENS = 2_000  # of the remaining tokens, for the bodies of called definitions
TYPE_LINES = 5  # lines shown of a type that is too long to show whole
READINGS = 4  # lines of a caller that read the result, below those around the call
READER_LINES = 12  # lines of the block around a reader
# In prompts with only uses: at most half of the room for uses of removed names, and half of the rest for
# callers
USES_PART = 2
MAX_HELPERS = 4  # definitions that shown readers call in their own files


@dataclass(frozen=True, slots=True)
class Uses:
    """The code that depends on a change, by the kind of evidence."""

    sure: tuple[Excerpt, ...]  # code that still uses removed names, and code that receives altered values
    callers: tuple[Excerpt, ...]
    readers: tuple[Excerpt, ...]  # readers of the same key, format, route or name

    @property
    def all(self) -> tuple[Excerpt, ...]:
        """All excerpts, the most certain first."""
        return (*self.sure, *self.callers, *self.readers)


@dataclass(slots=True)
class ContextBuilder:
    """Selects the code around one change's regions, within the limits of the prompts."""

    found: Searches
    prompts: int = 1  # prompts that share the review's tokens
    # Uses that must be read; they come first and don't share room with others
    first: Sequence[Reference] = ()
    most: int = NEARBY_TOKENS  # tokens in one prompt
    completes: bool = True  # whether unchanged lines of changed definitions are shown too
    follows: bool = False  # whether values that callers pass on are followed, if no pairs are compared
    _beside: dict[tuple[str, ...], tuple[Excerpt, ...]] = field(default_factory=dict)  # by code regions
    _uses: dict[tuple[tuple[str, ...], int], Uses] = field(default_factory=dict)  # by code regions and room

    async def of(self, units: Sequence[Unit]) -> tuple[Excerpt, ...]:
        """Return the code to show around these regions within the limits, callers first."""
        key = tuple(unit.id for unit in units)
        if key not in self._beside:
            self._beside[key] = await self._of(units)
        return self._beside[key]

    async def _of(self, units: Sequence[Unit]) -> tuple[Excerpt, ...]:
        room, shown_lines = self._room(units), _shown_lines(units)
        rest = self.rest_of_definitions(units)
        shown_lines.lines.update((path, number) for path, lines in rest.items() for number in lines)
        await self.found.look_up(units)
        sure = await self._certain_lines(units, shown_lines) if self.follows else self._left(units, shown_lines)
        apart = await self._windows(sure, shown_lines, min(APART_TOKENS, room))
        callers = await self._callers(
            shown_lines, room if self.first else min(CALLERS_TOKENS, room // CALLERS_PART), self._use_order(units)
        )
        values = await self._constants(units, shown_lines, min(CONSTANTS_TOKENS, room))
        room = max(0, room - sum(excerpt.size for excerpt in (*callers, *values)))
        callees = await self._callees(definitions.called_names(units), shown_lines)
        callees, tokens_needed = bodies.signatures(callees, min(DEFINITIONS_TOKENS, room // DEFINITIONS_PART))
        links = (await self.found.links()).pick(units, shown_lines.lines, self.found.imports)
        texts = markers.pick(self.found.rows, markers.near_changes(units), units, shown_lines.lines)
        picks = [*links, *texts, *self._readers(units, shown_lines)]
        windows = await self._windows(picks, shown_lines, room - tokens_needed)
        left = room - tokens_needed - sum(excerpt.size for excerpt in windows)
        flows = await self._callees(definitions.downstream_calls(units), shown_lines)
        callee_excerpts = bodies.excerpts(callees, flows, shown_lines, min(BODIES_TOKENS, left))
        excerpts = [*values, *apart, *callers, *windows, *snippets.by_file(callee_excerpts, shown_lines)]
        await self.found.learn_secrets(excerpt.path for excerpt in excerpts)
        return snippets.mark_changes(excerpts, self.found.files)

    async def _constants(self, units: Sequence[Unit], shown_lines: ShownLines, room: int) -> list[Excerpt]:
        """Return the values of the constants that added lines use, if the same file defines them."""
        added_texts: dict[str, list[str]] = defaultdict(list)
        for unit in units:
            if unit.side == "head" and is_product(unit.path):
                added_texts[unit.path] += [diff_row.text for diff_row in unit.added_rows]
        texts = await self.found.tree.read_many(list(added_texts))
        excerpts = list[Excerpt]()
        for path, blob in texts.items():
            excerpt = snippets.constants(path, file_lines(blob), added_texts[path], shown_lines)
            if excerpt is not None and excerpt.size <= room:
                room -= excerpt.size
                shown_lines.add(excerpt)
                excerpts.append(excerpt)
        return excerpts

    def _room(self, units: Sequence[Unit]) -> int:
        """Return the tokens of surrounding code in a prompt about these regions."""
        in_proportion = max(LEAST_NEARBY, sum(unit.tokens for unit in units) // NEARBY_PART)
        return min(self.most, in_proportion, REVIEW_TOKENS // max(1, self.prompts))

    def rest_of_definitions(self, units: Sequence[Unit]) -> dict[str, dict[int, str]]:
        """Return the unchanged lines of changed definitions that diffs leave out, by path and number.

        What decides about a change is often in the same function. If not all lines fit, the nearest are used.
        """
        left = min(REST_TOKENS, self._room(units) // REST_PART) if self.completes else 0
        lines_by_path: dict[str, dict[int, str]] = defaultdict(dict)
        added_lines = {file.path: file.added_lines for file in self.found.files}
        for _, path, number, text in sorted(line for unit in units for line in _lines_left_out(unit)) if left else ():
            if number not in added_lines.get(path, ()):
                left -= tokens(text) + 1
                if left < 0:
                    break
                lines_by_path[path][number] = text
        return dict(lines_by_path)

    async def uses(self, units: Sequence[Unit], room: int) -> Uses:
        """Return only the code that depends on what these regions change."""
        key = tuple(unit.id for unit in units), room
        if key not in self._uses:
            self._uses[key] = await self._uses_of(units, room)
        return self._uses[key]

    async def _uses_of(self, units: Sequence[Unit], room: int) -> Uses:
        shown_lines = ShownLines(units)
        await self.found.look_up(units)
        apart = await self._windows(await self._certain_lines(units, shown_lines), shown_lines, room // USES_PART)
        room -= sum(excerpt.size for excerpt in apart)
        sites = distinct(reference for reference in call_sites(units) if not reference.test)
        callers = await self._callers(shown_lines, room // USES_PART, sites, READER_LINES)
        room -= sum(excerpt.size for excerpt in callers)
        picks = [
            *(await self.found.links()).pick(units, shown_lines.lines, self.found.imports),
            *self._readers(units, shown_lines),
        ]
        using = [pick for pick in picks if not pick.defines and is_product(pick.path)]
        windows = await self._windows(using, shown_lines, room)
        await self.found.learn_secrets(excerpt.path for excerpt in (*apart, *callers, *windows))
        return Uses(*(snippets.mark_changes(excerpts, self.found.files) for excerpts in (apart, callers, windows)))

    def _readers(self, units: Sequence[Unit], shown_lines: ShownLines) -> list[Pick]:
        """Return the lines that read or define the names in these regions."""
        paths = [file.path for file in self.found.files]
        return usages.pick(self.found.rows, units, shown_lines.lines, paths, self.found.imports)

    def _left(self, units: Sequence[Unit], shown_lines: ShownLines) -> list[Pick]:
        """Return the lines that still use what these regions remove."""
        changed_lines = {file.path: file.added_lines for file in self.found.files}
        return leftovers.pick(self.found.rows, self.found.gone_names(units), units, shown_lines.lines, changed_lines)

    async def _certain_lines(self, units: Sequence[Unit], shown_lines: ShownLines) -> list[Pick]:
        """Return lines that use removed names and lines that receive altered values, in turn."""
        await self.found.handed_on.follow(units)
        return interleave([self._left(units, shown_lines), self.found.handed_on.pick(units, shown_lines.lines)])

    async def _callees(self, calls: Iterable[CalledName], shown_lines: ShownLines) -> list[Callee]:
        """Return the called definitions that the prompt doesn't show yet.

        Those with requirements for their callers come first.
        """
        meanings = {
            hit: call.name
            for call in calls
            for hit in definitions.meanings(
                call, self.found.called_definitions.get(call.name, ()), self.found.imports.get(call.path, ())
            )
        }
        texts = await self.found.tree.read_many(list(dict.fromkeys(path for path, _, _ in meanings)))
        lines = {path: file_lines(blob) for path, blob in texts.items()}
        return [
            Callee(path, line, name, lines[path])
            for (path, line, _), name in sorted(
                meanings.items(), key=lambda item: not definitions.demanding(item[0][2])
            )
            if (path, line) not in shown_lines.lines and line <= len(lines.get(path, ()))
        ]

    def _use_order(self, units: Sequence[Unit]) -> list[Reference]:
        """Return the uses of changed code: first those that must be read, then each region's best."""
        mine = {reference.symbol for unit in units for reference in unit.references} if self.first else set()
        first = [reference for reference in self.first if reference.symbol in mine]
        return list(dict.fromkeys([*first, *call_sites(units)]))

    async def _callers(
        self, shown_lines: ShownLines, room: int, references: Sequence[Reference], lines: int = CALLER_LINES
    ) -> list[Excerpt]:
        """Return the bodies of the functions that contain these uses, each function once.

        Only the line is shown if two earlier uses are written alike, or after the first WHOLE_USES uses of one
        definition. If there is room, later lines that read the result are included.
        """
        texts = await self.found.tree.read_many([reference.path for reference in references])
        excerpts, alike, of_definition = [], Counter[str](), Counter[str]()
        for reference in references:
            text = file_lines(texts.get(reference.path, b""))
            if reference.line > len(text) or (reference.path, reference.line) in shown_lines.lines:
                continue
            alike[written := shape(reference)] += 1
            of_definition[reference.symbol] += 1
            inside = f"{reference.function} · " if reference.function != MODULE else ""
            title = f"{inside}uses {reference.name}"
            is_line_enough = alike[written] > ALIKE or of_definition[reference.symbol] > WHOLE_USES
            body = [reference.line] if is_line_enough else _body(reference, text, lines)
            body = body if is_line_enough else [*blocks.annotations(text, body[0]), *body]
            readings = [number for number in result_flow.readings(text, reference) if number not in body][:READINGS]
            for numbers in (sorted([*body, *readings]), body) if readings else (body,):
                excerpt = snippets.cut(reference.path, text, shown_lines.left(reference.path, numbers), title)
                if (size := tokens(excerpt.body)) <= room:
                    room -= size
                    excerpts.append(excerpt)
                    shown_lines.add(excerpt)
                    break
        return excerpts

    async def _windows(self, picks: Sequence[Pick], shown_lines: ShownLines, room: int) -> list[Excerpt]:
        """Return the picked lines with their surroundings, as many as fit."""
        texts = await self.found.tree.read_many([pick.path for pick in picks])
        excerpts, helpers = [], MAX_HELPERS
        for pick in picks:
            lines = file_lines(texts.get(pick.path, b""))
            if not pick.defines and not pick.title and snippets.is_mention_only(pick.path, lines, pick.line):
                continue
            excerpt = _around(pick, lines, shown_lines)
            if excerpt is None:
                continue
            if excerpt.size > room:
                break
            room -= excerpt.size
            shown_lines.add(excerpt)
            excerpts.append(excerpt)
            helper = snippets.helper(excerpt, pick.line, lines, shown_lines) if helpers and not pick.defines else None
            if helper is not None and helper.size <= room:
                room, helpers = room - helper.size, helpers - 1
                shown_lines.add(helper)
                excerpts.append(helper)
            if usages.PERSISTENCE.intersection(pick.names):
                read = [excerpt, helper] if helper is not None else [excerpt]
                shape = snippets.stored_shape(read, lines, shown_lines)
                if shape is not None and shape.size <= room:
                    room -= shape.size
                    shown_lines.add(shape)
                    excerpts.append(shape)
        return snippets.join(excerpts)


def _around(pick: Pick, lines: Sequence[str], shown_lines: ShownLines) -> Excerpt | None:
    """Return the block around a picked line, without lines that the prompt already shows."""
    if pick.line > len(lines) or (pick.path, pick.line) in shown_lines.lines:
        return None
    if pick.defines and not meaning.is_type(lines[pick.line - 1]):
        numbers = Callee(pick.path, pick.line, "", lines).body
    elif pick.defines:
        # For a long type, its first lines are enough, since called members have their own definitions.
        most = snippets.BODY if _whole(lines, pick.line) else TYPE_LINES
        numbers = blocks.opening_lines(pick.path, lines, pick.line, most)
    else:
        head = definitions.head(pick.path, lines, pick.line) if pick.with_head else 0
        numbers = blocks.around(pick.path, lines, pick.line, READER_LINES, head)
        near = range(max(1, pick.line - pick.beside), min(len(lines), pick.line + pick.beside) + 1)
        numbers = sorted({*numbers, *near})
    return snippets.cut(pick.path, lines, shown_lines.left(pick.path, numbers), pick.reason)


def _shown_lines(units: Iterable[Unit]) -> ShownLines:
    """Return the lines at the head commit that these regions' diffs show."""
    shown_lines = ShownLines()
    for unit in units:
        shown_lines.lines.update((unit.path, diff_row.number) for diff_row in unit.rows if diff_row.sign in (" ", "+"))
    return shown_lines


def _lines_left_out(unit: Unit) -> Iterator[tuple[int, str, int, str]]:
    """Yield the lines of product code that a diff leaves out, with their distance to shown lines."""
    shown_numbers = sorted(diff_row.number for diff_row in unit.rows if diff_row.sign in (" ", "+"))
    if unit.side == "base" or not is_product(unit.path) or not shown_numbers:
        return
    for number, text in enumerate(unit.text.split("\n"), unit.start):
        at = bisect_left(shown_numbers, number)
        away = min(abs(number - near) for near in shown_numbers[max(0, at - 1) : at + 1])
        if away:
            yield away, unit.path, number, text


def _whole(lines: Sequence[str], line: int) -> bool:
    return len(blocks.statement(lines, line)) <= snippets.BODY


def _body(reference: Reference, lines: Sequence[str], most: int) -> list[int]:
    """Return the function around a use, or its blocks that contain the use."""
    start, end = reference.span or (0, 0)
    end = min(end, len(lines))
    if reference.span and end - start < most and start <= reference.line <= end:
        return [*range(start, end + 1)]
    return blocks.around(
        reference.path, lines, reference.line, most if reference.span else READER_LINES, min(start, reference.line)
    )
