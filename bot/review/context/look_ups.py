"""Show the code that a model asks for before it answers: definitions, uses, a search, lines or paths.

Requests are untrusted, so names, patterns, globs and results have limits, and nothing is executed. An empty
result says what was searched.
"""

import difflib
import posixpath
import re
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from bot import blocks, globs
from bot.diff.units import ShownLines
from bot.errors import GitError
from bot.findings.proof import with_signs
from bot.render import count, name
from bot.review.context import snippets
from bot.values import ChangedFile, DiffRow, Excerpt, LookUp, Query, Reference, Side
from deeprepo.impact import structs
from deeprepo.impact.ports import Tree
from deeprepo.impact.text.lines import file_lines, is_binary
from deeprepo.impact.text.paths import is_code, is_product, is_test
from deeprepo.rlm.values import tokens

TOKENS = 6_000  # tokens of all code shown for one answer
NAME_CHARS, PATTERN_CHARS, PATH_CHARS = 200, 500, 400
MAX_ROWS = 4_000  # lines that one search may return
MOST_LINES = 400  # lines of a file requested by number; the token limit usually cuts earlier
USUAL_LINES = 60  # lines shown if no last line is given
BLOCK_LINES = 24  # lines of the block around a use or hit
MAX_DEFINITIONS = 6
IN_FULL, IN_A_LINE = 5, 25  # uses or hits shown with their blocks, and as single lines
LISTED = 6  # locations in a note
MAX_LISTED = 120  # paths listed by one look-up
COMPARED = 200  # characters of a path that is compared with others, which takes quadratic time
SEPARATORS = re.compile(r"\.|::|->|#")
Row = tuple[str, int, str]  # path, line, text
Callers = Callable[[str], Awaitable[Sequence[Reference]]]


@dataclass(frozen=True, slots=True)
class LookedUp:
    """The result of one look-up."""

    heading: str  # the request, as text
    excerpts: tuple[Excerpt, ...] = ()
    notes: tuple[str, ...] = ()  # sentences: why nothing was found, or what is not shown


@dataclass(frozen=True, slots=True)
class LookUps:
    """Answers look-ups from both trees of a change."""

    tree: Tree
    callers: Callers  # references to a name in code, in the head tree
    readers: Callers  # lines that read a name that is not called
    files: Sequence[ChangedFile] = ()  # of the change; code in the same folders is shown first
    # Returns the result for a path in a repository that uses this one; None for other paths.
    beyond: Callable[[LookUp], Awaitable[LookedUp | None]] | None = None

    async def show(
        self, look_ups: Sequence[LookUp], most: int = TOKENS, shown_excerpts: Iterable[Excerpt] = ()
    ) -> tuple[LookedUp, ...]:
        """Return every result in the order requested, with at most `most` tokens in all.

        What one result doesn't need goes to the next. The lines of `shown_excerpts` are not shown again.
        """
        shown, results = ShownLines(), list[LookedUp]()
        for excerpt in shown_excerpts:
            shown.add(excerpt)
        for left, request in zip(range(len(look_ups), 0, -1), look_ups, strict=True):
            look_up = _within_limits(request)
            elsewhere = await self.beyond(look_up) if self.beyond is not None else None
            result = _fitting(elsewhere or await self.find(look_up), shown, most // left)
            most -= sum(excerpt.size for excerpt in result.excerpts)
            results.append(replace(result, excerpts=with_signs(result.excerpts, self.files)))
        return tuple(results)

    async def find(self, look_up: LookUp) -> LookedUp:
        """Return the result of one look-up, the most informative first, before it is cut to the limit."""
        before = len(self.tree.stopped_searches)
        excerpts, notes = await self._find(look_up)
        return LookedUp(_heading(look_up), tuple(excerpts), (*notes, *self.tree.stopped_searches[before:][-1:]))

    async def _find(self, look_up: LookUp) -> tuple[Sequence[Excerpt], Sequence[str]]:
        if look_up.kind in {"lines", "files"}:
            return await (self._lines(look_up) if look_up.kind == "lines" else self._list(look_up))
        if not look_up.name:
            return (), ["nothing was looked up: `name` was empty"]
        paths = pathspecs(look_up.path)
        if paths and not await self.tree.grep(Query(["^"], paths, syntax="perl", side=look_up.side)):
            similar = nearest(_plain_glob(look_up.path), await self.tree.entries(look_up.side))
            return (), [f"nothing was searched: no text file has a path like {look_up.path}{similar}"]
        by_name = {"search": self._search, "definition": self._definition, "uses": self._uses}
        return await by_name[look_up.kind](look_up, paths)

    async def _lines(self, look_up: LookUp) -> tuple[Sequence[Excerpt], Sequence[str]]:
        path, side = look_up.path.removeprefix("./"), look_up.side
        blob = await self.tree.read(path, side)
        if blob is None or is_binary(blob):
            return (), [f"{path} {await absent(self.tree, path, side)}"]
        rows, first = file_lines(blob), max(1, look_up.start)
        last = look_up.end if look_up.end >= first else first + USUAL_LINES - 1
        end = min(len(rows), last, first + MOST_LINES - 1)
        excerpt = snippets.cut(path, rows, range(first, end + 1), f"of {count(len(rows), 'line')}", side)
        if excerpt is None:
            return (), [f"{path} has {count(len(rows), 'line')}"]
        is_cut = end < min(last, len(rows))
        return [excerpt], [f"one look-up shows {MOST_LINES} lines: ask for those from {end + 1} on apart"] * is_cut

    async def _list(self, look_up: LookUp) -> tuple[Sequence[Excerpt], Sequence[str]]:
        """Return the paths in a folder or that match a glob, because it can matter whether a file exists."""
        entries, glob = await self.tree.entries(look_up.side), _plain_glob(look_up.path).strip("/")
        below = [path for path in entries if not glob or path == glob or path.startswith(f"{glob}/")]
        paths = below or [path for path in entries if globs.matches(globs.braces(glob), path)]
        if not paths:
            return (), [f"no file has a path like {glob}{nearest(glob, entries)}"]
        more = f", and {len(paths) - MAX_LISTED} more: narrow it" if len(paths) > MAX_LISTED else ""
        return (), [f"{count(len(paths), 'file')}: {', '.join(map(name, sorted(paths)[:MAX_LISTED]))}{more}"]

    async def _definition(self, look_up: LookUp, paths: Sequence[str]) -> tuple[Sequence[Excerpt], Sequence[str]]:
        from deeprepo.impact import uses  # imported here, since questions about texts load no parser

        *owner, short = SEPARATORS.split(look_up.name)
        found = await uses.definitions(self.tree, short, look_up.side, paths)
        found = [one for one in found if not owner or owner[-1] in SEPARATORS.split(one.name)] or found
        found.sort(key=lambda one: self._distance(one.path))
        texts = await self.tree.read_many([one.path for one in found[:MAX_DEFINITIONS]], look_up.side)
        excerpts = list[Excerpt]()
        for one in found[:MAX_DEFINITIONS]:
            rows = file_lines(texts.get(one.path))
            numbers = [*blocks.annotations(rows, one.start), *range(one.start, one.end + 1)]
            title = f"defines {one.name}, lines {one.start} to {one.end}"
            excerpt = snippets.cut(one.path, rows, numbers, title, look_up.side)
            excerpts += [excerpt] if excerpt is not None else []
        if not excerpts:
            excerpts, notes = await self._words(look_up, short, paths)
            return excerpts, [f"no parsed file defines `{short}`", *notes]
        more = len(found) - MAX_DEFINITIONS
        return excerpts, [f"{more} more define `{short}`: narrow it with a glob"] if more > 0 else []

    async def _uses(self, look_up: LookUp, paths: Sequence[str]) -> tuple[Sequence[Excerpt], Sequence[str]]:
        short = SEPARATORS.split(look_up.name)[-1]
        if look_up.side == "base":
            return await self._words(look_up, short, paths)
        allowed = await self.tree.grep(Query([short], paths)) if paths else None
        rows = {
            (one.path, one.line): (one.path, one.line, one.text)
            for one in (*await self.callers(short), *await self.readers(short))
            if one.form not in {"import", "definition"} and (allowed is None or one.path in allowed)
        }
        return await self._hits(look_up, list(rows.values()))

    async def _words(self, look_up: LookUp, name: str, paths: Sequence[str]) -> tuple[list[Excerpt], Sequence[str]]:
        word = bool(re.fullmatch(r"\w+", name))
        query = Query([name], paths, word=word, side=look_up.side, limit=MAX_ROWS)
        return await self._hits(look_up, await self.tree.grep_lines(query))

    async def _search(self, look_up: LookUp, paths: Sequence[str]) -> tuple[Sequence[Excerpt], Sequence[str]]:
        query = Query([look_up.name], paths, syntax="perl", side=look_up.side, limit=MAX_ROWS)
        try:
            return await self._hits(look_up, await self.tree.grep_lines(query))
        except GitError:
            rows = await self.tree.grep_lines(structs.replace(query, syntax="fixed"))
        excerpts, notes = await self._hits(look_up, rows)
        return excerpts, ["this is no valid pattern: it was searched for as plain text", *notes]

    async def _hits(self, look_up: LookUp, rows: Sequence[Row]) -> tuple[list[Excerpt], Sequence[str]]:
        """Return the best hits with their blocks, others as single lines, the rest as locations."""
        if not rows:
            before = " as it was before the change" if look_up.side == "base" else ""
            return [], [f"nothing in {look_up.path or 'the whole repository'}{before}"]
        ranked = sorted(rows, key=lambda row: (*self._distance(row[0]), row[:2]))
        shown, rest = ranked[: IN_FULL + IN_A_LINE], ranked[IN_FULL + IN_A_LINE :]
        texts = await self.tree.read_many(list(dict.fromkeys(path for path, _, _ in shown)), look_up.side)
        numbers: dict[str, list[int]] = defaultdict(list)
        for at, (path, line, _) in enumerate(shown):
            lines = file_lines(texts.get(path))
            if line <= len(lines):
                numbers[path] += blocks.around(path, lines, line, BLOCK_LINES) if at < IN_FULL else [line]
        cuts = (
            snippets.cut(path, file_lines(texts.get(path)), mine, "matches", look_up.side)
            for path, mine in numbers.items()
        )
        more = ", ".join(f"{name(path)}:{line}" for path, line, _ in rest[:LISTED])
        notes = [f"{len(rest)} more not shown, such as {more}: narrow the glob or the pattern"] if rest else []
        return [excerpt for excerpt in cuts if excerpt is not None], notes

    def _distance(self, path: str) -> tuple[bool, bool, bool]:
        """Return a file's sort key: product code before tests and texts, and the change's folders first."""
        folders = {posixpath.dirname(file.path) for file in self.files}
        return (
            not (is_code(path) and is_product(path)),
            is_test(path),
            posixpath.dirname(path) not in folders,
        )


def pathspecs(glob: str) -> list[str]:
    """Return a glob as Git pathspecs.

    A plain glob matches in every folder, and one with ** matches as in a shell. Braces are expanded, and `!` excludes
    the paths that match. A glob that matches every path returns nothing.
    """
    plain = _plain_glob(glob)
    if plain in {"", "*", "**", "**/*", ".", "/"}:
        return []
    magic = ["exclude"] * plain.startswith("!") + ["glob"] * ("**" in plain)
    prefix = f":({','.join(magic)})" if magic else ""
    return [f"{prefix}{brace}" for brace in globs.braces(plain.removeprefix("!"))]


async def absent(tree: Tree, path: str, side: Side) -> str:
    """Return why a file cannot be read, with a similar path.

    The side is named if the other side has the file.
    """
    other: Side = "base" if side == "head" else "head"
    entries, has_other = await tree.entries(side), path in await tree.entries(other)
    if path in entries:
        return "is too large or no text file"
    return f"does not exist{f' on the {side} side' if has_other else ''}{nearest(path, entries)}"


def nearest(path: str, candidates: Iterable[str]) -> str:
    """Return similar paths, as the end of a sentence."""
    paths = list(candidates)
    near = [p for p in paths if posixpath.basename(p) == posixpath.basename(path)][:3]
    if not near and len(path) <= COMPARED:
        near = difflib.get_close_matches(path, [p for p in paths if len(p) <= COMPARED][:5_000], 3, 0.75)
    return f"; did you mean {', '.join(map(name, near))}?" if near else ""


def text(look_ups: Iterable[LookedUp]) -> str:
    """Return only the shown code, for coverage."""
    return "\n".join(f"{excerpt.path}\n{excerpt.body}" for one in look_ups for excerpt in one.excerpts)


def _plain_glob(glob: str) -> str:
    """Return a glob without a prefix that only a shell or Git understands."""
    return glob.strip().lstrip(":").removeprefix("./")


def _fitting(found: LookedUp, shown: ShownLines, room: int) -> LookedUp:
    """Return the new lines of a result that fit into `room` tokens, and note where the other lines are."""
    excerpts, notes = list[Excerpt](), list(found.notes)
    for excerpt in found.excerpts:
        known = [row.number for row in excerpt.rows if shown.has(excerpt.path, row.number, excerpt.side)]
        new = [row for row in excerpt.rows if row.number not in known]
        fitting = list[DiffRow]()
        for row in new:
            room -= tokens(f"{row}\n")
            if room < 0:
                break
            fitting.append(row)
        if known:
            notes.append(
                f"shown before: {count(len(known), 'line')} of {excerpt.path} between {known[0]} and {known[-1]}"
            )
        if len(fitting) < len(new):
            notes.append(f"not shown for lack of room: {excerpt.path} {new[len(fitting)].number} to {new[-1].number}")
        if any(row.text.strip() for row in fitting):
            part = replace(excerpt, start=fitting[0].number, end=fitting[-1].number, rows=tuple(fitting))
            shown.add(part)
            excerpts.append(part)
    return replace(found, excerpts=tuple(excerpts), notes=tuple(notes))


def _within_limits(look_up: LookUp) -> LookUp:
    """Remove from a look-up everything that git or a terminal can't handle, and shorten it."""
    most = PATTERN_CHARS if look_up.kind == "search" else NAME_CHARS
    name = look_up.name if look_up.kind == "search" else look_up.name.strip("` ()\t\r\n")
    return replace(look_up, name=_sendable(name)[:most], path=_sendable(look_up.path)[:PATH_CHARS])


def _sendable(text: str) -> str:
    plain = text.encode("utf-8", "replace").decode()
    return "".join(sign if sign.isprintable() else " " for sign in plain).strip()


def _heading(look_up: LookUp) -> str:
    before = ", before the change" if look_up.side == "base" else ""
    where = f" in {look_up.path}" if look_up.path else ""
    match look_up.kind:
        case "lines":
            span = f"lines {look_up.start} to {look_up.end}" if look_up.start or look_up.end else "the first lines"
            return f"{span} of {look_up.path or '(no path)'}{before}"
        case "files":
            return f"files{where}{before}"
        case "search":
            return f"search for {look_up.name}{where}{before}"
    return f"{look_up.kind} of {look_up.name}{where}{before}"
