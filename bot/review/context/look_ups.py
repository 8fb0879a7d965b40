"""The code that a reader asks to see before it answers: definitions, uses of a name, a search, lines of a file.

What is asked for is a stranger's wish: names, patterns and globs are bounded, and nothing is executed. Each result is bounded, and
all of one answer together (`look_up_room`); code of the product comes before comments, tests and texts, and no line is shown twice.
An empty result is reported as such, with the reason if the pattern or the glob can match nothing.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from bot.errors import GitError
from bot.render import count
from bot.review.context import definitions, identifiers, snippets
from bot.review.context.bodies import Callee
from bot.review.context.look_up_room import AnswerRoom, Candidate, LookedUp, Result, give_out, spans
from bot.values import Definition, Excerpt, LookUp, Query, Reference, Side
from deeprepo.impact import structs
from deeprepo.impact.filetypes import family
from deeprepo.impact.ports import Language, Tree
from deeprepo.impact.text import blocks, globs
from deeprepo.impact.text.lines import (
    binds,
    block,
    closing,
    defines,
    definition,
    file_lines,
    is_binary,
    is_comment,
    says,
)
from deeprepo.impact.text.paths import is_output, is_product, is_sample, is_test, nearest, vendored_folder

TOKENS = 6_000  # of all that one answer is shown
NAME_CHARS, PATTERN_CHARS, PATH_CHARS = 200, 500, 400
MAX_ROWS = 4_000  # lines that one search may bring
MOST_LINES = 400  # of a file, asked for by their numbers; the room for all of an answer cuts sooner
USUAL_LINES = 60  # of a file, where no last line is given
MORE_LINES = 40  # that are added so that a block comes to its end
HEAD_LINES = 24  # lines of a definition that has no room, beside what it returns or the first lines of its members
LINES_AROUND_HIT = 4  # lines before and after a use or a hit, in a block that is longer
WHOLE_BLOCK = 24  # lines of a block that is shown whole around a use or a hit
MAX_DEFINITIONS = 6
IN_FULL, IN_A_LINE = 5, 25  # uses or hits shown with their surroundings, and as a line
MAX_ANNOTATIONS = 6  # lines above the one that names a definition
NAMED_LINES = 3  # lines that hold a name of which nothing was found
TITLED = 8  # lines of one file that the title of an excerpt names
ASIDE = 5  # of these in tests and texts, where product code has hits
LONG_LINE = 300  # characters; a longer line was written by a program
MAX_LISTED = 120  # paths that one look-up names
MAX_OUTLINED = 24  # files parsed for one answer
SEPARATORS = re.compile(r"\.|::|->|#")
Row = tuple[str, int, str]  # path, line, text
Callers = Callable[[str], Awaitable[Sequence[Reference]]]


@dataclass(slots=True)
class _Files:
    """The syntax of the files of one answer, each parsed once."""

    left: int = MAX_OUTLINED
    symbols: dict[tuple[str, Side], Sequence[Definition]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LookUps:
    """Answers look-ups from both trees of a change."""

    tree: Tree
    languages: Mapping[str, Language]
    callers: Callers  # uses of a name as code, in the head tree
    readers: Callers  # lines that read a name that nobody calls
    changed_paths: Collection[str] = ()  # code in their languages and beside them is shown first
    # What a look-up brings whose path names a repository that uses this one; None if it names no such one.
    beyond: Callable[[LookUp], Awaitable[Result | None]] | None = None

    async def show(
        self,
        look_ups: Sequence[LookUp],
        most: int = TOKENS,
        shown_excerpts: Iterable[Excerpt] = (),
    ) -> tuple[LookedUp, ...]:
        """Return every result in the order asked, `most` tokens in all: what one does not need, the next ones may have.

        The lines of `shown_excerpts` are not shown again.
        """
        room, files, results = AnswerRoom(most), _Files(), list[Result]()
        for excerpt in shown_excerpts:
            room.shown_lines.add(excerpt)
        for request in look_ups:
            look_up = _within_limits(request)
            elsewhere = await self.beyond(look_up) if self.beyond is not None else None
            results.append(elsewhere if elsewhere is not None else await self.find(look_up, files))
        return give_out(results, room)

    async def find(self, look_up: LookUp, files: _Files | None = None) -> Result:
        """Return what one look-up brings, before room is given out."""
        before = len(self.tree.stopped_searches)
        result = await self._find(look_up, files or _Files())
        result.notes += self.tree.stopped_searches[before:][-1:]
        return result

    async def _find(self, look_up: LookUp, files: _Files) -> Result:
        if look_up.kind == "lines":
            return await self._lines(look_up)
        if look_up.kind == "files":
            return await self._list(look_up)
        if not look_up.name:
            return Result(look_up, [], ["nothing was looked up: `name` was empty"])
        paths, why = await self._globs(look_up)
        if why:
            return Result(look_up, [], [why])
        if look_up.kind == "search":
            return await self._search(look_up, paths, files)
        return await self._by_name(look_up, paths, files)

    async def _by_name(self, look_up: LookUp, paths: Sequence[str], files: _Files) -> Result:
        short = SEPARATORS.split(look_up.name)[-1]
        if not re.fullmatch(r"[\w$!?-]+", short):
            return Result(
                look_up, [], [f"`{look_up.name}` is no name: ask for one name without arguments, or for a search"]
            )
        if look_up.kind == "definition":
            return await self._definition(look_up, short, paths, files)
        return await self._uses(look_up, short, paths, files)

    # --- lines of a file ------------------------------------------------------------------------------------------------------

    async def _lines(self, look_up: LookUp) -> Result:
        path, side, notes = look_up.path.removeprefix("./"), look_up.side, list[str]()
        blob = await self.tree.read(path, side)
        if blob is not None and is_binary(blob):
            return Result(look_up, [], [f"{path} is not a text file"])
        if blob is None:
            other: Side = "base" if side == "head" else "head"
            blob, why = await self.tree.read(path, other), await absent(self.tree, path, side)
            if blob is None:
                return Result(look_up, [], [why])
            side = other
            notes.append(f"it {why}; this is how it is on the {side} side")
        rows = _rows(blob)
        first = max(1, look_up.start)
        last = look_up.end if look_up.end >= first else first + USUAL_LINES - 1
        if first > len(rows):
            return Result(look_up, [], [f"{path} has {len(rows):,} lines"])
        end = min(len(rows), last, first + MOST_LINES - 1)
        if end < min(last, len(rows)):
            notes.append(f"one look-up shows {MOST_LINES} lines at most: ask for those from {end + 1} on apart")
        end = _rounded_end(rows, first, end)
        excerpt = _excerpt(path, side, rows, range(first, end + 1), f"of {len(rows):,} lines")
        return Result(look_up, [Candidate(excerpt)], notes)

    async def _list(self, look_up: LookUp) -> Result:
        """The paths of a folder, or that a glob takes: whether something is there decides as often as what it says."""
        entries = await self.tree.entries(look_up.side)
        glob = plain_glob(look_up.path).strip("/")
        below = [path for path in entries if not glob or path == glob or path.startswith(f"{glob}/")]
        paths = below or [path for path in entries if globs.matches(globs.braces(glob), path)]
        if not paths:
            return Result(look_up, [], [f"no file has a path like {glob}{nearest(glob, entries)}"])
        more = f", and {len(paths) - MAX_LISTED} more: narrow it" if len(paths) > MAX_LISTED else ""
        return Result(look_up, [], [f"{count(len(paths), 'file')}: {', '.join(sorted(paths)[:MAX_LISTED])}{more}"])

    # --- a definition ---------------------------------------------------------------------------------------------------------

    async def _definition(self, look_up: LookUp, short: str, paths: Sequence[str], files: _Files) -> Result:
        side = look_up.side
        announcements = await self.tree.grep_lines(
            Query([definition(short)], paths, syntax="perl", side=side, limit=MAX_ROWS)
        )
        mentions = await self.tree.grep_lines(Query([short], paths, word=_word(short), side=side, limit=MAX_ROWS))
        rows = [hit for hit in dict.fromkeys([*announcements, *mentions]) if len(hit[2]) <= LONG_LINE]
        owner = SEPARATORS.split(look_up.name)[-2:-1]
        hits = [
            hit
            for hit in rows
            if defines(hit[2], short, hit[0])
            or short in definitions.names(hit[0], hit[2])
            or _assigns(hit[2], short, owner)
        ]
        hits = (
            hits
            or await self._parse_definitions(rows, short, side, files)
            or [hit for hit in rows if binds(hit[2], short) or says(_INTRODUCES, short, hit[2])]
        )
        if not hits:
            return Result(look_up, [], [_nothing(f"no line defines `{short}`", look_up, rows)])
        hits.sort(key=lambda hit: (*self._nearness(hit[0]), hit[0], hit[1]))
        blocks = [(hit, await self._block(hit, side, files, short)) for hit in hits[: 4 * MAX_DEFINITIONS]]
        if owner:  # `Cart.total`: the one in Cart, where there is one
            mine = [b for b in blocks if owner[0] in SEPARATORS.split(b[1].name) or _of(owner[0], short, b[0][2])]
            near = [b for b in blocks if owner[0].lower() in b[0][0].lower()]
            blocks = mine or near or blocks
        candidates = [await self._whole(hit, look_up, block) for hit, block in blocks[:MAX_DEFINITIONS]]
        more = len(hits) - len(candidates) if len(blocks) > MAX_DEFINITIONS or not owner else 0
        notes = [f"{count(more, 'more line')} define a `{short}`: narrow it with a glob"] if more > 0 else []
        return Result(look_up, candidates, notes)

    async def _parse_definitions(self, rows: Sequence[Row], short: str, side: Side, files: _Files) -> list[Row]:
        """The first lines of the definitions of a name that only a parser recognises, in the first files that hold it."""
        paths = dict.fromkeys(path for path, _, _ in sorted(rows, key=lambda hit: (_rank(hit[0]), hit[0])))
        readable_paths = [path for path in paths if self._language(path)][: files.left // 2]
        files.left -= len(readable_paths)
        texts = await self.tree.read_many(readable_paths, side) if readable_paths else {}
        return [
            (path, symbol.start, _rows(blob)[symbol.start - 1])
            for path, blob in texts.items()
            if (language := self._language(path))
            for symbol in language.outline(path, blob, side).definitions
            if symbol.short == short
        ]

    def _language(self, path: str) -> Language | None:
        return next((language for language in self.languages.values() if path.endswith(tuple(language.SUFFIXES))), None)

    async def _whole(self, hit: Row, look_up: LookUp, block: Definition) -> Candidate:
        """A definition from its first line to its last. Of one that has no room, what tells most comes first.

        These are the lines that are asked for; else of a class the first line of each member, of a function what it returns.
        """
        side = look_up.side
        rows = _rows(await self.tree.read(hit[0], side) or b"")
        start, end = min(block.start, hit[1]), min(len(rows), block.end)
        title = f"defines {block.name}, lines {start} to {end}" if end > start else f"defines {block.name}"
        excerpt = _excerpt(hit[0], side, rows, range(start, min(end, start + MOST_LINES - 1) + 1), title)
        if start <= look_up.start <= end:
            asked_lines = range(look_up.start, min(end, max(look_up.end, look_up.start)) + 1)
            return Candidate(excerpt, frozenset(asked_lines))
        members = [n for n in range(start + HEAD_LINES, end + 1) if _MEMBER.match(rows[n - 1])]
        results = (
            [] if members else [n for n in Callee(hit[0], start, block.name, rows).body if n >= start + HEAD_LINES]
        )
        return Candidate(excerpt, frozenset((*range(start, min(end, start + HEAD_LINES) + 1), *members, *results)))

    def _nearness(self, path: str) -> tuple[int, bool, bool]:
        """How much a file may tell: code of the product first, in the languages of the change, beside what it changes."""
        families = {family(one) for one in self.changed_paths}
        folders = {posixpath.dirname(one) for one in self.changed_paths}
        return _rank(path), bool(families) and family(path) not in families, posixpath.dirname(path) not in folders

    async def _block(self, hit: Row, side: Side, files: _Files, short: str = "") -> Definition:
        """The definition that begins at, or stands around, a line: told by its syntax, else by indentation."""
        path, line, _ = hit
        blob = await self.tree.read(path, side) or b""
        symbols = self._symbols(path, side, blob, files)
        around = [s for s in symbols if s.start <= line <= s.end]
        namesakes = [s for s in around if s.short == short] if short else around
        if namesakes:
            return min(namesakes, key=lambda s: s.end - s.start)
        rows = _rows(blob)
        start, end = (line, closing(rows, line)) if short else block(rows, line)
        return Definition(short, kind="block", start=start, end=end, path=path, side=side)

    def _symbols(self, path: str, side: Side, blob: bytes, files: _Files) -> Sequence[Definition]:
        language = self._language(path)
        if language is None or ((path, side) not in files.symbols and not files.left):
            return ()
        if (path, side) not in files.symbols:
            files.left -= 1
            files.symbols[path, side] = language.outline(path, blob, side).definitions
        return files.symbols[path, side]

    # --- uses of a name -------------------------------------------------------------------------------------------------------

    async def _uses(self, look_up: LookUp, short: str, paths: Sequence[str], files: _Files) -> Result:
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
            use_rows = (
                r for r in references if r.form not in {"import", "definition"} and not identifiers.IMPORT.match(r.text)
            )
            rows = list({(r.path, r.line): (r.path, r.line, r.text) for r in use_rows}.values())
        rows = [hit for hit in rows if len(hit[2]) <= LONG_LINE and not defines(hit[2], short, hit[0])]
        if not rows:
            why = f"no line uses `{short}`" + (f", but {imports} import it" if imports else "")
            query = Query([short], paths, word=_word(short), side=look_up.side, limit=MAX_ROWS)
            return Result(look_up, [], [_nothing(why, look_up, await self.tree.grep_lines(query))])
        notes = [f"{count(imports, 'line')} import it"] if imports else []
        return await self._hits(look_up, rows, files, notes)

    # --- a search -------------------------------------------------------------------------------------------------------------

    async def _search(self, look_up: LookUp, paths: Sequence[str], files: _Files) -> Result:
        rows, notes = await self._matches(look_up, paths)
        short_rows = [hit for hit in rows if len(hit[2]) <= LONG_LINE]
        if len(short_rows) < len(rows):
            notes.append(
                f"{len(rows) - len(short_rows)} of them are lines of more than {LONG_LINE} characters, not shown"
            )
        if not short_rows:
            why = "no line matches" + (": a pattern matches within one line" if "\\n" in look_up.name else "")
            return Result(look_up, [], [_nothing(why, look_up), *notes])
        if len(rows) == MAX_ROWS:
            notes.append(f"more than {MAX_ROWS:,} lines match: only the first of them were looked at")
        return await self._hits(look_up, short_rows, files, notes)

    async def _matches(self, look_up: LookUp, paths: Sequence[str]) -> tuple[Sequence[Row], list[str]]:
        """The lines that match a pattern as it is written; if none does, those that match it without regard to case."""
        query = Query([look_up.name], paths, syntax="perl", side=look_up.side, limit=MAX_ROWS)
        try:
            rows, notes = await self.tree.grep_lines(query), list[str]()
        except GitError:  # no valid pattern: what was written is meant as it stands
            rows = await self.tree.grep_lines(structs.replace(query, syntax="fixed"))
            return rows, ["this is no valid pattern: it was searched for as plain text"]
        if not rows and look_up.name.lower() != look_up.name.upper():
            rows = await self.tree.grep_lines(structs.replace(query, patterns=[f"(?i){look_up.name}"]))
            notes = ["no line matches it as it is written: these do without regard to case"] if rows else []
        return rows, notes

    async def _hits(self, look_up: LookUp, rows: Sequence[Row], files: _Files, notes: Sequence[str]) -> Result:
        """The best hits with the block around them, others as lines below the head of theirs, the rest by their places."""
        ranked_rows = sorted(rows, key=lambda hit: (*self._weight(hit), hit[0], hit[1]))
        spread_rows = _spread(ranked_rows, self._weight)
        product = [hit for hit in spread_rows if _rank(hit[0]) == 0]
        aside = [hit for hit in spread_rows if _rank(hit[0])][: ASIDE if product else IN_FULL + IN_A_LINE]
        shown_rows = [*product, *aside][: IN_FULL + IN_A_LINE]
        hits_by_path: dict[str, list[tuple[Row, bool]]] = defaultdict(list)
        for index, hit in enumerate(shown_rows):
            hits_by_path[hit[0]].append((hit, index < IN_FULL))
        candidates = [await self._windows(hits, look_up.side, files) for hits in hits_by_path.values()]
        shown_places = {hit[:2] for hit in shown_rows}
        rest = tuple(hit[:2] for hit in spread_rows if hit[:2] not in shown_places)
        return Result(look_up, candidates, list(notes), rest)

    def _weight(self, hit: Row) -> tuple[int, bool]:
        """How soon a hit is shown: code of the product, then its comments and imports, then tests and texts."""
        return _rank(hit[0]), bool(identifiers.IMPORT.match(hit[2])) or is_comment(hit[2], hit[0])

    async def _windows(self, hits: Sequence[tuple[Row, bool]], side: Side, files: _Files) -> Candidate:
        """The hits of one file, some with the block around them or their neighbours in it, each below the head of its definition."""
        path = hits[0][0][0]
        rows = _rows(await self.tree.read(path, side) or b"")
        numbers, heads = set[int](), set[int]()
        for hit, in_full in hits:
            line, block = hit[1], await self._block(hit, side, files)
            start, end = _head(path, rows, block), min(len(rows), block.end)
            is_import = bool(identifiers.IMPORT.match(rows[start - 1]))
            heads |= set() if is_import else {start}
            numbers |= {line, *heads}
            if in_full and not is_import and end - start < WHOLE_BLOCK:
                numbers |= {*range(start, end + 1)}
            elif in_full and not is_import:
                numbers |= {*range(max(start, line - LINES_AROUND_HIT), min(end, line + LINES_AROUND_HIT) + 1)}
        hit_lines = sorted(hit[1] for hit, _ in hits)
        more = f" and {len(hit_lines) - TITLED} more" if len(hit_lines) > TITLED else ""
        title = f"{'matches on line' if len(hits) == 1 else 'matches on lines'} {spans(hit_lines[:TITLED])}{more}"
        existing_lines = [number for number in sorted(numbers) if number <= len(rows)]
        return Candidate(_excerpt(path, side, rows, existing_lines, title), frozenset(hit_lines), frozenset(heads))

    # --- where to look --------------------------------------------------------------------------------------------------------

    async def _globs(self, look_up: LookUp) -> tuple[list[str], str]:
        """The glob as git takes it, and why nothing can be found where it takes no path."""
        paths = pathspecs(look_up.path)
        if not paths or await self.tree.grep(Query(["^"], paths, syntax="perl", side=look_up.side)):
            return paths, ""
        entries, glob = await self.tree.entries(look_up.side), plain_glob(look_up.path)
        return [], f"nothing was searched: no text file has a path like {glob}{nearest(glob, entries)}"


def _head(path: str, rows: Sequence[str], block: Definition) -> int:
    """The line that names a definition, below its decorators and annotations."""
    start = max(1, block.start)
    near = range(start, min(len(rows), block.end, start + MAX_ANNOTATIONS) + 1)
    return next((n for n in near if block.short and defines(rows[n - 1], block.short, path)), start)


_MEMBER = re.compile(
    r"\s{1,8}(?:export |public |private |protected |internal |static |async |abstract |final |override |pub |def |fn |func |fun )+\w"
)


_FUNCTION = r"(?:async\b|function\b|class\b|lambda\b|\([^()]*\)\s*=>|[\w$]+\s*=>|\w[\w$.]*\()"
_ASSIGNS = rf"(?:\.|\[\s*[\"'])NAME[\"']?\]?\s*=(?![=>~])\s*{_FUNCTION}|^\s*[\"']?NAME[\"']?\s*:\s*{_FUNCTION}|^\s*@(?:\w+\.)*NAME\b\s*=\s*"


# Without a word for it: a quoted key, a part that is taken out of an object, a symbol that a macro makes a method of, a column.
_INTRODUCES = (
    r"[\"']NAME[\"']\s*(?::|=>)|[{\[,]\s*NAME\s*[,}\]][^\n]{0,200}[}\]]\s*+=(?![=>])|^\s*\w+[ (]:NAME\b"
    # A model and a field of Prisma, a block of Terraform.
    r"|^\s*(?:model|view|service|input|variable|output|module|(?:resource|data)\s+\"\w+\")\s+\"?NAME\"?\s*\{"
    r"|^\s+NAME\s+[A-Z]\w*(?:\[\])?\??(?:\s+@|\s*$)"
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
    return [f":(glob){brace}" if "**" in brace else brace for brace in globs.braces(plain)]


async def absent(tree: Tree, path: str, side: Side) -> str:
    """Return why a file cannot be read, and which one may have been meant. The side is named if the other side has the file."""
    other: Side = "base" if side == "head" else "head"
    entries, has_other = await tree.entries(side), path in await tree.entries(other)
    missing = f"does not exist on the {side} side" if has_other else "does not exist"
    return f"{'is too large or no text file' if path in entries else missing}{nearest(path, entries)}"


def text(look_ups: Iterable[LookedUp]) -> str:
    """Return the shown code alone, as the coverage reads it."""
    return "\n".join(f"{excerpt.path}\n{excerpt.body}" for one in look_ups for excerpt in one.excerpts)


def _within_limits(look_up: LookUp) -> LookUp:
    """Remove from a look-up everything that git or a terminal can't handle, and shorten it."""
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


def _nothing(why: str, look_up: LookUp, holding: Sequence[Row] | None = None) -> str:
    """The sentence of an empty result: what was looked for and where, and of a name how many lines hold it at all (`holding`)."""
    where = f" in {look_up.path}" if look_up.path else " in the whole repository"
    when = " as it was before the change" if look_up.side == "base" else ""
    if holding is None:
        return f"nothing: {why}{where}{when}"
    places = ", ".join(f"{path}:{line}" for path, line, _ in holding[:NAMED_LINES])
    held = (
        f"{count(len(holding), 'line')} hold the word, the first of them {places}" if holding else "none holds the word"
    )
    return f"nothing: {why}{where}{when}; {held}"


def _rows(blob: bytes) -> Sequence[str]:
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


def _spread(rows: Sequence[Row], weight: Callable[[Row], tuple[int, bool]]) -> list[Row]:
    """The first hit of each file before the second one of any, within a rank."""
    turn: dict[str, int] = defaultdict(int)
    keyed_rows = []
    for index, hit in enumerate(rows):
        turn[hit[0]] += 1
        keyed_rows.append(((*weight(hit), turn[hit[0]], index), hit))
    return [hit for _, hit in sorted(keyed_rows)]
