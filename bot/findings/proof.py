"""Evidence that the harness gathers itself for a second opinion: the finder's word is not the judge's only source.

The whole function around the quote, what stood there before, the finder's evidence with the block around it, the definitions of
what the claim names, and the callers; each line once, under a limit.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bot.lines import block, closing, defined, defines, definition
from bot.paths import is_product
from bot.ports import Tree
from bot.values import ChangedFile, Dependents, DiffRow, Excerpt, Finding, Side, Symbol, tokens

TOKENS = 5_000  # of all excerpts of one finding
AROUND = 20  # lines before and after a quote that lies in no known definition
LONGEST = 160  # lines of one excerpt
BLOCK = 60  # lines of the block around a piece of evidence; a longer one is cut
CALLER = 12  # lines before and after a call, within its function
NEAR = 6  # lines around what matters, where there is room for no more
MAX_CALLERS, MAX_DEFINITIONS, MAX_REMOVED = 5, 6, 3
DEFINITION_LINES = 40
MEANT = 2  # definitions of one name: one, or one and its declaration
_CALLED = re.compile(r"(?<![\w$])\$*+([A-Za-z_][\w$]{2,}+)\s*+\(")
_NAMED = re.compile(
    r"`(?:[\w$]++(?:\.|::|->|#))*+([A-Za-z_$][\w$]{2,100}+)(?:\(\))?`|(?<![\w$.])([A-Za-z_$][\w$]{2,100}+)\(\)"
)


@dataclass(frozen=True, slots=True)
class Place:
    """Lines worth showing, and those of them that matter most."""

    path: str
    side: Side
    start: int
    end: int
    first: int  # what must not be cut away
    last: int
    title: str


async def gather(
    finding: Finding, tree: Tree, dependents: Dependents, files: Sequence[ChangedFile] = (), room: int = TOKENS
) -> tuple[Excerpt, ...]:
    """The excerpts for one finding, the most telling first, in at most `room` tokens."""
    places = [*_around(finding, dependents), *_before(finding, files), *_removed(finding, dependents, files)]
    places += [await _evidence(tree, one.path, one.side, one.line) for one in finding.evidence]
    places += [*await _defined(finding, tree), *_callers(finding, dependents)]
    shown, seen = list[Excerpt](), set[tuple[str, Side, int]]()
    for place in places:
        excerpt = await _excerpt(tree, place, room, seen)
        if excerpt is not None:
            room -= tokens(excerpt.body)
            seen.update((excerpt.path, excerpt.side, row.number) for row in excerpt.rows)
            shown.append(excerpt)
    return tuple(shown)


def _around(finding: Finding, dependents: Dependents) -> Iterator[Place]:
    """The smallest changed definition around the quote, else the lines around it."""
    spans = [(s.end - s.start, s.start, s.end) for s in _holding(finding, dependents)]
    end = max(finding.end, finding.start)
    _, first, last = min(spans, default=(0, finding.start - AROUND, end + AROUND))
    yield Place(finding.path, finding.side, first, max(last, end), finding.start, end, "what the claim is about")


def _holding(finding: Finding, dependents: Dependents) -> Iterator[Symbol]:
    """The changed definitions in which the quote stands, on its side."""
    both = (symbol for changed in dependents.symbols for symbol in (changed.after, changed.before))
    for symbol in both:
        same = symbol is not None and (symbol.path, symbol.side) == (finding.path, finding.side)
        if symbol is not None and same and symbol.start <= finding.start <= symbol.end:
            yield symbol


def _before(finding: Finding, files: Sequence[ChangedFile]) -> Iterator[Place]:
    """The same lines before the change, where it removed any."""
    for file in (f for f in files if f.path == finding.path and f.old_path):
        for hunk in file.hunks:
            removed = [line.old for line in hunk.lines if line.kind == "-" and line.old is not None]
            near = hunk.new_start <= finding.end + 1 and finding.start <= hunk.new_start + hunk.new_lines
            if removed and finding.side == "head" and near:
                first, last = removed[0], removed[-1]
                yield Place(file.old_path or file.path, "base", first - 3, last + 3, first, last, "as it was")


def _removed(finding: Finding, dependents: Dependents, files: Sequence[ChangedFile]) -> Iterator[Place]:
    """The definitions that the change took away or renamed, of which the claim speaks."""
    quotes = " ".join([finding.quote, *(one.quote for one in finding.evidence)])
    said = {*re.findall(r"[\w$]+", f"{finding.title} {finding.why} {finding.trigger} {finding.consequence} {quotes}")}
    gone = [c.before for c in dependents.symbols if c.before is not None and c.change in {"removed", "renamed"}]
    places = [(s.path, s.start, s.end, s.name) for s in gone if s.short in said]
    known = {symbol.short for symbol in gone}
    places += [place for place in _unparsed(files) if place[3] in said - known]
    for path, start, end, name in places[:MAX_REMOVED]:
        yield Place(path, "base", start, end, start, start, f"removed: {name}")


def _unparsed(files: Sequence[ChangedFile]) -> Iterator[tuple[str, int, int, str]]:
    """Path, lines and name of what removed lines define and no added line does: in files that no language reads, too."""
    lines = [(file, line) for file in files for hunk in file.hunks for line in hunk.lines if line.kind != " "]
    kept = {name for _, line in lines if line.kind == "+" for name in defined(line.text)}
    removed = {(file.old_path, line.old) for file, line in lines if line.kind == "-"}
    for file, line in lines:
        for name in defined(line.text) if line.kind == "-" else ():
            if name not in kept and file.old_path and line.old is not None:
                span = range(line.old, line.old + DEFINITION_LINES)
                end = next((at for at in span if (file.old_path, at) not in removed), span.stop) - 1
                yield file.old_path, line.old, end, name


async def _evidence(tree: Tree, path: str, side: Side, line: int) -> Place:
    """A piece of evidence with the block in which it stands."""
    rows = _rows(await tree.read(path, side))
    start, end = block(rows, line)
    start, end = block(rows, start) if end == start else (start, end)
    if end - start >= BLOCK or start == end:
        start, end = (
            max(start if end > start else 1, line - AROUND),
            min(end if end > start else line + AROUND, line + AROUND),
        )
    return Place(path, side, start, end, line, line, "evidence")


def _callers(finding: Finding, dependents: Dependents) -> Iterator[Place]:
    keys = {f"{finding.path}:{symbol.name}" for symbol in _holding(finding, dependents)}
    rows = [row for row in dependents.references if row.symbol in keys]
    for row in sorted(rows, key=lambda r: (not r.missing, not r.sure, r.test, not r.call))[:MAX_CALLERS]:
        start, end = row.span or (row.line - CALLER, row.line + CALLER)
        title = f"uses {row.name}" + ("" if row.sure else " (by name only)")
        yield Place(
            row.path, "head", max(start, row.line - CALLER), min(end, row.line + CALLER), row.line, row.line, title
        )


async def _defined(finding: Finding, tree: Tree) -> list[Place]:
    """Where the functions are defined that the claim names and the quoted lines call; of many definitions none is meant."""
    said = f"{finding.title}\n{finding.why}\n{finding.trigger}\n{finding.consequence}"
    named = [one or other for one, other in _NAMED.findall(said)]
    quoted = [name for text in (finding.quote, *(e.quote for e in finding.evidence)) for name in _CALLED.findall(text)]
    names = list(dict.fromkeys([*named, *quoted]))[: 2 * MAX_DEFINITIONS]
    if not names:
        return []
    rows = await tree.grep_lines([definition(name) for name in names], syntax="perl", limit=400)
    found: list[Place] = []
    for name in names:
        hits = _meant((path, line) for path, line, text in rows if defines(text, name, path))
        for path, line in hits if len(found) < MAX_DEFINITIONS else ():
            end = closing(_rows(await tree.read(path)), line)
            last = min(max(end, line), line + DEFINITION_LINES)
            found.append(Place(path, "head", line, last, line, line, f"defines {name}"))
    return found


def _meant(hits: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    """The definitions that a name may mean: those of the product, where there are any; none if they are many."""
    every = list(hits)
    mine = [hit for hit in every if is_product(hit[0])] or every
    return mine if len(mine) <= MEANT else []


async def _excerpt(tree: Tree, place: Place, room: int, seen: set[tuple[str, Side, int]]) -> Excerpt | None:
    """The lines of a place that are not shown yet, fewer if there is no room for all; None if nothing is left to show."""
    lines = _rows(await tree.read(place.path, place.side))
    for around in (LONGEST, AROUND, NEAR):
        first = max(1, place.start, place.first - around) if around < LONGEST else max(1, place.start)
        last = min(len(lines), place.end, place.last + around) if around < LONGEST else min(len(lines), place.end)
        if last - first >= LONGEST:
            first, last = max(first, place.first - LONGEST // 2), min(last, place.first + LONGEST // 2)
        new = [number for number in range(first, last + 1) if (place.path, place.side, number) not in seen]
        rows = tuple(DiffRow("", lines[number - 1], number) for number in new)
        excerpt = Excerpt(place.path, first, last, rows, place.side, place.title)
        if not any(row.text.strip() for row in rows):
            return None
        if tokens(excerpt.body) <= room:
            return excerpt
    return None


def _rows(blob: bytes | None) -> list[str]:
    return (blob or b"").decode("utf-8", "replace").split("\n")
