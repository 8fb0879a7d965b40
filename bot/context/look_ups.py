"""The code that a reader asks to see before it answers: definitions, uses of a name, a search, lines of a file.

What is asked for is a stranger's wish: names, patterns and globs are bounded, and nothing is executed. Each result is bounded, and
all of one answer together; code of the product comes before tests and texts, and no line is shown twice. An empty result is
reported as such, with the reason if the pattern or the glob can match nothing.
"""

import re
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from bot.context import definitions, snippets
from bot.context.bodies import Callee
from bot.diff.units import ShownLines
from bot.errors import GitError
from bot.ports import Language, Tree
from bot.render import count
from bot.text import blocks, globs, media
from bot.text.lines import binds, block, closing, defines, definition, file_lines, says
from bot.text.paths import is_output, is_product, is_sample, is_test, nearest, vendored_folder
from bot.values import DiffRow, Excerpt, LookUp, Query, Reference, Side, Symbol, tokens

TOKENS = 6_000  # of all that one answer is shown
NAME_CHARS, PATTERN_CHARS, PATH_CHARS = 200, 500, 400
MAX_ROWS = 4_000  # lines that one search may bring
MOST_LINES = 400  # of a file, asked for by their numbers; the room for all of an answer cuts sooner
USUAL_LINES = 60  # of a file, where no last line is given
MORE_LINES = 40  # that are added so that a block comes to its end
BLOCK = 90  # lines of one definition or of the block around a line
WHOLE = 240  # lines of a definition that is shown whole if half of an answer's room holds it
HEAD = 24  # lines of a class that is longer; of its members the first line each
AROUND = 6  # lines before and after a use or a hit, in a block that is longer
WHOLE_BLOCK = 24  # lines of a block that is shown whole around a use or a hit
MAX_DEFINITIONS = 6
NAMED = 4  # places that did not fit, by name
IN_FULL, IN_A_LINE = 5, 25  # uses or hits shown with their surroundings, and as a line
LONG_LINE = 300  # characters; a longer line was written by a program
MAX_OUTLINED = 24  # files parsed for one answer
SEPARATORS = re.compile(r"\.|::|->|#")
Row = tuple[str, int, str]  # path, line, text
Callers = Callable[[str], Awaitable[Sequence[Reference]]]


@dataclass(frozen=True, slots=True)
class LookedUp:
    """What one look-up brought."""

    heading: str  # as a heading
    excerpts: tuple[Excerpt, ...] = ()
    notes: tuple[str, ...] = ()  # sentences: nothing was found and why, what is not shown


@dataclass(slots=True)
class _Room:
    """What may still be shown, and what is shown already."""

    tokens: int
    shown_lines: ShownLines = field(default_factory=ShownLines)
    outlines_left: int = MAX_OUTLINED

    def new(self, excerpt: Excerpt) -> bool:
        """Whether any of its lines is not shown yet."""
        numbers = (row.number for row in excerpt.rows if row.text.strip())
        return bool(self.shown_lines.left(excerpt.path, numbers, excerpt.side))

    def take(self, excerpt: Excerpt, most: int) -> Excerpt | None:
        """The lines of it that are new and fit, None where nothing is left of it."""
        rows, size = [], tokens(excerpt.path + excerpt.title) + 8
        for row in excerpt.rows:
            if self.shown_lines.has(excerpt.path, row.number, excerpt.side):
                continue
            size += tokens(str(row))
            if size > most:
                break
            rows.append(row)
        if not rows or (len(rows) == 1 and not rows[0].text.strip()):
            return None
        part = replace(excerpt, start=rows[0].number, end=rows[-1].number, rows=tuple(rows))
        self.shown_lines.add(part)
        return part


@dataclass(slots=True)
class _Result:
    """One look-up while its room is given out."""

    look_up: LookUp
    candidates: Sequence[Excerpt]
    notes: list[str]
    excerpts: list[Excerpt] = field(default_factory=list)
    above: int | None = None  # places that were shown before this look-up, or that complete such a place
    left: tuple[str, ...] = ()  # places that did not fit, or not to the end

    def show(self, room: _Room, most: int, earlier: Sequence["_Result"] = ()) -> None:
        """Show what is not shown yet, as far as it fits. What overlaps a place of an `earlier` look-up completes that place."""
        new = [excerpt for excerpt in self.candidates if room.new(excerpt)]
        first = self.above is None
        self.above = len(self.candidates) - len(new) if self.above is None else self.above
        for excerpt in new:
            holder = next((one for one in earlier if one.overlaps(excerpt)), self)
            part = room.take(excerpt, most)
            if part is not None:
                most, room.tokens = most - part.size, room.tokens - part.size
                holder.excerpts.append(part)
                self.above += first and holder is not self
        self.left = tuple(f"{one.path}:{one.start}" for one in new if room.new(one))

    def overlaps(self, excerpt: Excerpt) -> bool:
        """Whether this look-up shows lines of an excerpt."""
        numbers = {row.number for row in excerpt.rows}
        return any(
            (one.path, one.side) == (excerpt.path, excerpt.side) and any(row.number in numbers for row in one.rows)
            for one in self.excerpts
        )

    def as_looked_up(self) -> LookedUp:
        """The result as a reader is shown it, once all results have their room."""
        above = [f"{count(self.above, 'place')} of it shown above"] if self.above else []
        named = ", ".join(self.left[:NAMED]) + (", ..." if len(self.left) > NAMED else "")
        left = [f"{count(len(self.left), 'place')} more did not fit, or not to the end: {named}"] if self.left else []
        whole = tuple(_with_notes(excerpt) for excerpt in snippets.join(self.excerpts))
        return LookedUp(_heading(self.look_up), whole, (*self.notes, *above, *left))


def _with_notes(excerpt: Excerpt) -> Excerpt:
    """The excerpt with a note for each run of lines between its rows that is not shown."""
    rows: list[DiffRow] = []
    for row in excerpt.rows:
        last = rows[-1].number if rows else 0
        if last and row.number > last + 1:
            lines = f"line {last + 1}" if row.number == last + 2 else f"lines {last + 1} to {row.number - 1}"
            rows.append(DiffRow("", f"[... {lines} ...]"))
        rows.append(row)
    return replace(excerpt, rows=tuple(rows))


@dataclass(frozen=True, slots=True)
class LookUps:
    """Answers look-ups from both trees of a change."""

    tree: Tree
    languages: Mapping[str, Language]
    callers: Callers  # uses of a name as code, in the head tree
    readers: Callers  # lines that read a name that nobody calls

    async def show(
        self, look_ups: Sequence[LookUp], most: int = TOKENS, shown_excerpts: Iterable[Excerpt] = ()
    ) -> tuple[LookedUp, ...]:
        """Return every result in the order asked, `most` tokens in all: what one does not need, the next ones may have.

        The lines of `shown_excerpts` are not shown again.
        """
        room, results = _Room(most), list[_Result]()
        for excerpt in shown_excerpts:
            room.shown_lines.add(excerpt)
        for at, one in enumerate(look_ups):
            look_up = _within_limits(one)
            before = len(self.tree.stopped_searches)
            excerpts, notes = await self._find(look_up, room)
            result = _Result(look_up, excerpts, [*notes, *self.tree.stopped_searches[before:][-1:]])
            result.show(room, room.tokens // (len(look_ups) - at), results)
            results.append(result)
        for at, result in enumerate(results):  # what the later ones did not need
            result.show(room, room.tokens, results[:at])
        return tuple(result.as_looked_up() for result in results)

    async def _find(self, look_up: LookUp, room: _Room) -> tuple[list[Excerpt], list[str]]:
        if look_up.kind == "lines":
            return await self._lines(look_up)
        if not look_up.name:
            return [], ["nothing was looked up: `name` was empty"]
        paths, why = await self._globs(look_up)
        if why:
            return [], [why]
        if look_up.kind == "search":
            return await self._search(look_up, paths, room)
        return await self._by_name(look_up, paths, room)

    async def _by_name(self, look_up: LookUp, paths: Sequence[str], room: _Room) -> tuple[list[Excerpt], list[str]]:
        short = SEPARATORS.split(look_up.name)[-1]
        if not re.fullmatch(r"[\w$!?-]+", short):
            return [], [f"`{look_up.name}` is no name: ask for one name without arguments, or for a search"]
        if look_up.kind == "definition":
            return await self._definition(look_up, short, paths, room)
        return await self._uses(look_up, short, paths, room)

    # --- lines of a file ------------------------------------------------------------------------------------------------------

    async def _lines(self, look_up: LookUp) -> tuple[list[Excerpt], list[str]]:
        path, side, notes = look_up.path.removeprefix("./"), look_up.side, list[str]()
        blob = await self.tree.read(path, side)
        if blob is not None and media.is_binary(blob):
            return [], [f"{path} is not a text file"]
        if blob is None:
            other: Side = "base" if side == "head" else "head"
            blob, why = await self.tree.read(path, other), await absent(self.tree, path, side)
            if blob is None:
                return [], [why]
            side = other
            notes.append(f"it {why}; this is how it is on the {side} side")
        rows = _rows(blob)
        if (
            side == "base" == look_up.side
            and look_up.start
            and (former_lines := await self._former_lines(path, look_up))
        ):
            first, end, name = former_lines
            notes.append(f"these lines are in {name} now: this is {name} before the change")
            return [
                _excerpt(path, side, rows, range(first, min(end, len(rows)) + 1), f"{name} before the change")
            ], notes
        first = max(1, look_up.start)
        last = look_up.end if look_up.end >= first else first + USUAL_LINES - 1
        if first > len(rows):
            return [], [f"{path} has {len(rows):,} lines"]
        end = min(len(rows), last, first + MOST_LINES - 1)
        if end < min(last, len(rows)):
            notes.append(f"one look-up shows {MOST_LINES} lines at most")
        end = _rounded_end(rows, first, end)
        return [_excerpt(path, side, rows, range(first, end + 1), f"of {len(rows):,} lines")], notes

    async def _former_lines(self, path: str, look_up: LookUp) -> tuple[int, int, str] | None:
        """Where the definition that has the asked lines now was before, if these are other lines: its first and last one, and its name."""
        language = self._language(path)
        sides: tuple[Side, ...] = ("head", "base")
        blobs = [await self.tree.read(path, side) for side in sides] if language else []
        if language is None or any(blob is None for blob in blobs):
            return None
        now, before = (
            language.outline(path, blob or b"", side).symbols for blob, side in zip(blobs, sides, strict=True)
        )
        around = [one for one in now if one.start <= look_up.start <= one.end and one.kind != "class"]
        if not around:
            return None
        innermost = min(around, key=lambda one: one.end - one.start)
        was = next((one for one in before if one.name == innermost.name), None)
        if was is None or was.start <= look_up.start <= was.end or was.end - was.start > MOST_LINES:
            return None
        return was.start, was.end, innermost.name

    # --- a definition ---------------------------------------------------------------------------------------------------------

    async def _definition(
        self, look_up: LookUp, short: str, paths: Sequence[str], room: _Room
    ) -> tuple[list[Excerpt], list[str]]:
        side = look_up.side
        announcements = await self.tree.grep_lines(
            Query([definition(short)], paths, syntax="perl", side=side, limit=MAX_ROWS)
        )
        mentions = await self.tree.grep_lines(Query([short], paths, word=_word(short), side=side, limit=MAX_ROWS))
        rows = [row for row in dict.fromkeys([*announcements, *mentions]) if len(row[2]) <= LONG_LINE]
        owner = SEPARATORS.split(look_up.name)[-2:-1]
        hits = [
            row
            for row in rows
            if defines(row[2], short, row[0])
            or short in definitions.names(row[0], row[2])
            or _assigns(row[2], short, owner)
        ]
        hits = (
            hits
            or await self._parse_definitions(rows, short, side, room)
            or [row for row in rows if binds(row[2], short) or says(_INTRODUCES, short, row[2])]
        )
        if not hits:
            return [], [_nothing(f"no line defines `{short}`", rows, look_up)]
        hits.sort(key=lambda row: (_rank(row[0]), row[0], row[1]))
        blocks = [(row, await self._block(row, side, room, short)) for row in hits[: 4 * MAX_DEFINITIONS]]
        if owner:  # `Cart.total`: the one in Cart, where there is one
            mine = [b for b in blocks if owner[0] in SEPARATORS.split(b[1].name) or _of(owner[0], short, b[0][2])]
            near = [b for b in blocks if owner[0].lower() in b[0][0].lower()]
            blocks = mine or near or blocks
        excerpts = [await self._whole(row, look_up, block) for row, block in blocks[:MAX_DEFINITIONS]]
        more = len(hits) - len(excerpts) if len(blocks) > MAX_DEFINITIONS or not owner else 0
        return excerpts, [f"{more} more lines define a `{short}`: narrow it with a glob"] if more > 0 else []

    async def _parse_definitions(self, rows: Sequence[Row], short: str, side: Side, room: _Room) -> list[Row]:
        """The first lines of the definitions of a name that only a parser recognises, in the first files that hold it."""
        paths = dict.fromkeys(path for path, _, _ in sorted(rows, key=lambda row: (_rank(row[0]), row[0])))
        readable_paths = [path for path in paths if self._language(path)][: room.outlines_left // 2]
        room.outlines_left -= len(readable_paths)
        texts = await self.tree.read_many(readable_paths, side) if readable_paths else {}
        return [
            (path, symbol.start, _rows(blob)[symbol.start - 1])
            for path, blob in texts.items()
            if (language := self._language(path))
            for symbol in language.outline(path, blob, side).symbols
            if symbol.short == short
        ]

    def _language(self, path: str) -> Language | None:
        return next((one for one in self.languages.values() if path.endswith(tuple(one.SUFFIXES))), None)

    async def _whole(self, row: Row, look_up: LookUp, block: Symbol) -> Excerpt:
        """A definition from its first line to its last; of a long one the head and what tells most.

        These are the lines around those that are look_up for; else of a class the first line of each member, of a function what it returns.
        """
        side = look_up.side
        rows = _rows(await self.tree.read(row[0], side) or b"")
        start, end = min(block.start, row[1]), min(len(rows), block.end)
        title = f"defines {block.name}"
        members = [n for n in range(start + HEAD, end + 1) if _MEMBER.match(rows[n - 1])]
        fits = not members and tokens("\n".join(rows[start - 1 : end])) <= TOKENS // 2
        if end - start < (WHOLE if fits else BLOCK):
            return _excerpt(row[0], side, rows, range(start, end + 1), title)
        title = f"{title}, a part of it: it goes on to line {end}"
        if start <= look_up.start <= end:
            last = min(end, max(look_up.end, look_up.start) + BLOCK // 4)
            around = range(max(start, look_up.start - BLOCK // 4), last + 1)
            return _excerpt(row[0], side, rows, sorted({*range(start, start + HEAD // 4), *around})[:WHOLE], title)
        # Of a long function the beginning, and what the rest of it returns and raises under which condition.
        results = [n for n in Callee(row[0], start, block.name, rows).body if n >= start + HEAD]
        numbers = [*range(start, start + HEAD), *(members or results)]
        if not members:
            numbers += [n for n in range(start + HEAD, end + 1) if n not in numbers][: max(0, BLOCK - len(numbers))]
        return _excerpt(row[0], side, rows, sorted(numbers)[:BLOCK], title)

    async def _block(self, row: Row, side: Side, room: _Room, short: str = "") -> Symbol:
        """The definition that begins at, or stands around, a line: told by its syntax, else by indentation."""
        path, line, _ = row
        blob = await self.tree.read(path, side) or b""
        language = self._language(path)
        symbols: Iterable[Symbol] = ()
        if language is not None and room.outlines_left > 0:
            room.outlines_left -= 1
            symbols = language.outline(path, blob, side).symbols
        around = [s for s in symbols if s.start <= line <= s.end]
        namesakes = [s for s in around if s.short == short] if short else around
        if namesakes:
            return min(namesakes, key=lambda s: s.end - s.start)
        rows = _rows(blob)
        start, end = (line, closing(rows, line)) if short else block(rows, line)
        return Symbol(path, short or f"line {line}", "block", start, end, side)

    # --- uses of a name -------------------------------------------------------------------------------------------------------

    async def _uses(
        self, look_up: LookUp, short: str, paths: Sequence[str], room: _Room
    ) -> tuple[list[Excerpt], list[str]]:
        if look_up.side == "base":
            rows: list[Row] = list(
                await self.tree.grep_lines(Query([short], paths, word=_word(short), side="base", limit=MAX_ROWS))
            )
            imports = 0
        else:
            allowed_paths = await self.tree.grep(Query([short], paths)) if paths else None
            references = [
                r
                for r in (*await self.callers(short), *await self.readers(short))
                if not allowed_paths or r.path in allowed_paths
            ]
            imports = sum(r.form == "import" for r in references)
            use_rows = (r for r in references if r.form not in {"import", "definition"} and not _IMPORT.match(r.text))
            rows = list({(r.path, r.line): (r.path, r.line, r.text) for r in use_rows}.values())
        rows = [row for row in rows if len(row[2]) <= LONG_LINE and not defines(row[2], short, row[0])]
        if not rows:
            why = f"no line uses `{short}`" + (f", but {imports} import it" if imports else "")
            return [], [_nothing(why, rows, look_up)]
        notes = [f"{imports} lines import it"] if imports else []
        return await self._hits(rows, look_up.side, room, notes)

    # --- a search -------------------------------------------------------------------------------------------------------------

    async def _search(self, look_up: LookUp, paths: Sequence[str], room: _Room) -> tuple[list[Excerpt], list[str]]:
        notes = []
        try:
            rows = await self.tree.grep_lines(
                Query([look_up.name], paths, syntax="perl", side=look_up.side, limit=MAX_ROWS)
            )
        except GitError:  # no valid pattern: what was written is meant as it stands
            rows = await self.tree.grep_lines(
                Query([look_up.name], paths, syntax="fixed", side=look_up.side, limit=MAX_ROWS)
            )
            notes = ["this is no valid pattern: it was searched for as plain text"]
        short_rows = [row for row in rows if len(row[2]) <= LONG_LINE]
        if len(short_rows) < len(rows):
            notes.append(
                f"{len(rows) - len(short_rows)} of them are lines of more than {LONG_LINE} characters, not shown"
            )
        if not short_rows:
            why = "no line matches" + (": a pattern matches within one line" if "\\n" in look_up.name else "")
            return [], [_nothing(why, rows, look_up), *notes]
        if len(rows) == MAX_ROWS:
            notes.append(f"more than {MAX_ROWS:,} lines match: only the first of them were looked at")
        return await self._hits(short_rows, look_up.side, room, notes)

    async def _hits(
        self, rows: Sequence[Row], side: Side, room: _Room, notes: Sequence[str]
    ) -> tuple[list[Excerpt], list[str]]:
        """The best hits with the block around them, others as single lines, the rest as a number."""
        ranked_rows = sorted(rows, key=lambda row: (_rank(row[0]), row[0], row[1]))
        spread = sorted(_spread(ranked_rows), key=lambda row: (_rank(row[0]), bool(_IMPORT.match(row[2]))))
        full, single = spread[:IN_FULL], spread[IN_FULL : IN_FULL + IN_A_LINE]
        excerpts = [await self._window(row, side, room) for row in full]
        by_path: dict[str, list[int]] = defaultdict(list)
        for path, line, _ in single:
            by_path[path].append(line)
        texts = await self.tree.read_many(list(by_path), side)
        for path, numbers in by_path.items():
            lines = _rows(texts.get(path, b""))
            if existing_lines := [number for number in sorted(set(numbers)) if number <= len(lines)]:
                excerpts.append(_excerpt(path, side, lines, existing_lines, "single lines"))
        rest = spread[IN_FULL + IN_A_LINE :]
        if rest:
            tests = sum(not is_product(path) for path, _, _ in rest)
            files = len({path for path, _, _ in rest})
            notes = [*notes, f"{len(rest)} more in {files} files ({tests} of them in tests and texts)"]
        return excerpts, list(notes)

    async def _window(self, row: Row, side: Side, room: _Room) -> Excerpt:
        """A line with the whole block around it where that is short, else with its neighbours in the block."""
        path, line, _ = row
        rows, block = _rows(await self.tree.read(path, side) or b""), await self._block(row, side, room)
        start, end = max(1, block.start), min(len(rows), block.end)
        if end - start >= WHOLE_BLOCK:
            head = [start] if start < line - AROUND else []
            numbers = [*head, *range(max(start, line - AROUND), min(end, line + AROUND) + 1)]
        else:
            numbers = list(range(start, end + 1))
        return _excerpt(path, side, rows, numbers or [line], f"around line {line}, in {block.name}")

    # --- where to look --------------------------------------------------------------------------------------------------------

    async def _globs(self, look_up: LookUp) -> tuple[list[str], str]:
        """The glob as git takes it, and why nothing can be found where it takes no path."""
        paths = pathspecs(look_up.path)
        if not paths or await self.tree.grep(Query(["^"], paths, syntax="perl", side=look_up.side)):
            return paths, ""
        entries, glob = await self.tree.entries(look_up.side), plain_glob(look_up.path)
        return [], f"nothing was searched: no text file has a path like {glob}{nearest(glob, entries)}"


_IMPORT = re.compile(r"\s*(?:import|from|use|using|#include|require)\b")
_MEMBER = re.compile(
    r"\s{1,8}(?:export |public |private |protected |internal |static |async |abstract |final |override |pub |def |fn |func |fun )+\w"
)


_FUNCTION = r"(?:async\b|function\b|class\b|lambda\b|\([^()]*\)\s*=>|[\w$]+\s*=>|\w[\w$.]*\()"
_ASSIGNS = rf"(?:\.|\[\s*[\"'])NAME[\"']?\]?\s*=(?![=>~])\s*{_FUNCTION}|^\s*[\"']?NAME[\"']?\s*:\s*{_FUNCTION}|^\s*@(?:\w+\.)*NAME\b\s*=\s*"


# Without a word for it: a quoted key, a part that is taken out of an object, a symbol that a macro makes a method of, a column.
_INTRODUCES = (
    r"[\"']NAME[\"']\s*(?::|=>)|[{\[,]\s*NAME\s*[,}\]][^\n]{0,200}[}\]]\s*+=(?![=>])|^\s*\w+[ (]:NAME\b"
    r"|^\s*[`\"\[]?NAME[`\"\]]?\s+(?i:int|bigint|smallint|serial|text|varchar|char|numeric|decimal|bool|boolean|date|time|timestamp|timestamptz|uuid|jsonb?|real|float|double|blob|bytea)\b"
)


def _assigns(line: str, name: str, owner: Sequence[str]) -> bool:
    """Whether a line defines a name by giving it a value: a function to a member, a class to an export, anything to a member of the owner."""
    return says(_ASSIGNS, name, line) or any(_of(one, name, line) for one in owner)


def _of(owner: str, name: str, line: str) -> bool:
    """Whether a line gives a value to this member of an owner: `Posts.uploads.list = ...`."""
    match = re.search(
        rf"\b{re.escape(owner)}(?:\.|::|->|\[[\"']){re.escape(name)}\b[\"']?\]?\s*(?::[^=]{{0,80}})?=(?![=>~])", line
    )
    return bool(match)


def plain_glob(glob: str) -> str:
    """Return a glob without what only a shell or git reads at its beginning."""
    return glob.strip().lstrip(":").removeprefix("./")


def pathspecs(glob: str) -> list[str]:
    """Return a glob as git takes it: a plain one matches in every folder, one with ** as shells do; braces are written out.

    Of a glob that fits every path it returns nothing: it narrows nothing.
    """
    plain = plain_glob(glob)
    if plain in {"", "*", "**", "**/*", ".", "/"}:
        return []
    return [f":(glob){one}" if "**" in one else one for one in globs.braces(plain)]


async def absent(tree: Tree, path: str, side: Side) -> str:
    """Why a file cannot be read, and which one may have been meant."""
    entries = await tree.entries(side)
    why = "is too large or no text file" if path in entries else f"does not exist on the {side} side"
    return f"{why}{nearest(path, entries)}"


def text(look_ups: Iterable[LookedUp]) -> str:
    """The shown code alone, as the coverage reads it."""
    return "\n".join(f"{excerpt.path}\n{excerpt.body}" for one in look_ups for excerpt in one.excerpts)


def _within_limits(look_up: LookUp) -> LookUp:
    """The same without what git or a terminal cannot take."""
    most = PATTERN_CHARS if look_up.kind == "search" else NAME_CHARS
    name = look_up.name if look_up.kind == "search" else look_up.name.strip("` ()\t\r\n")
    return replace(look_up, name=_sendable(name)[:most], path=_sendable(look_up.path)[:PATH_CHARS])


def _sendable(text: str) -> str:
    plain = text.encode("utf-8", "replace").decode()
    return "".join(sign if sign.isprintable() else " " for sign in plain).strip()


def _rounded_end(rows: Sequence[str], first: int, end: int) -> int:
    """The last line of the largest block around the end that begins within the asked lines and is not much longer."""
    last = end
    for number in blocks.openings(rows, end, first):
        closes = blocks.statement(rows, number).end
        if closes > end + MORE_LINES:
            break
        last = max(last, closes)
    return last


def _heading(look_up: LookUp) -> str:
    where = f" in {look_up.path}" if look_up.path and look_up.kind != "lines" else ""
    before = ", before the change" if look_up.side == "base" else ""
    match look_up.kind:
        case "lines":
            span = f"lines {look_up.start} to {look_up.end}" if look_up.start or look_up.end else "the first lines"
            return f"{span} of {look_up.path or '(no path)'}{before}"
        case "search":
            return f"search for {look_up.name}{where}{before}"
        case "uses":
            return f"uses of {look_up.name}{where}{before}"
    return f"definition of {look_up.name}{where}{before}"


def _nothing(why: str, rows: Sequence[Row], look_up: LookUp) -> str:
    where = f" in {look_up.path}" if look_up.path else " in the whole repository"
    also = f" ({len(rows)} lines name it)" if rows else ""
    return f"nothing: {why}{where}{also}"


def _rows(blob: bytes) -> list[str]:
    rows = file_lines(blob)
    return rows[:-1] if rows and rows[-1] == "" else rows


def _excerpt(path: str, side: Side, rows: Sequence[str], numbers: Sequence[int], title: str) -> Excerpt:
    return replace(snippets.cut(path, rows, numbers, title), side=side)


def _word(name: str) -> bool:
    """Whether git can look for it as a word: it knows letters, digits and the underscore."""
    return bool(re.fullmatch(r"\w+", name))


def _rank(path: str) -> Literal[0, 1, 2, 3]:
    """Code of the product first, then tests, then texts and what programs have written."""
    if vendored_folder(path) or is_output(path):
        return 3
    if is_test(path):
        return 1
    return 0 if is_product(path) and not is_sample(path) else 2


def _spread(rows: Sequence[Row]) -> list[Row]:
    """The first hit of each file before the second one of any, within a rank."""
    turn: dict[str, int] = defaultdict(int)
    keyed_rows = []
    for at, row in enumerate(rows):
        turn[row[0]] += 1
        keyed_rows.append(((_rank(row[0]), turn[row[0]], at), row))
    return [row for _, row in sorted(keyed_rows)]
