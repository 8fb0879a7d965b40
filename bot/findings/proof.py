"""Evidence that the harness gathers itself for a second opinion: the finder's word is not the judge's only source.

The definition around the quote, what stood there before, the bodies of its callers, the definitions of what the quoted lines
call, and the finder's own evidence; each once, under a limit.
"""

import re
from collections.abc import Iterator, Sequence

from bot.lines import defines, definition
from bot.ports import Tree
from bot.values import ChangedFile, Dependents, DiffRow, Excerpt, Finding, Side, tokens

TOKENS = 3_500  # of all excerpts of one finding
AROUND = 20  # lines before and after a quote that lies in no known definition
LONGEST = 70  # lines of one excerpt
CALLER = 12  # lines before and after a call, within its function
MAX_CALLERS, MAX_DEFINITIONS = 5, 4
DEFINITION_LINES = 25
_CALLED = re.compile(r"(?<![\w$])\$*+([A-Za-z_][\w$]{3,}+)\s*+\(")
Place = tuple[str, Side, int, int]  # path, side, first and last line


async def gather(
    finding: Finding, tree: Tree, dependents: Dependents, files: Sequence[ChangedFile] = ()
) -> tuple[Excerpt, ...]:
    """The excerpts for one finding, the most telling first, under the limit."""
    places = [*_around(finding, dependents), *_before(finding, files)]
    places += [(e.path, e.side, max(1, e.line - AROUND // 2), e.line + AROUND // 2) for e in finding.evidence]
    places += [*_callers(finding, dependents), *await _used(finding, tree)]
    room, shown = TOKENS, list[Excerpt]()
    for path, side, first, last in places:
        if any(e.holds(path, side, first, last) for e in shown):
            continue
        excerpt = await _excerpt(tree, path, side, first, last)
        if excerpt is not None and (size := tokens(excerpt.body)) <= room:
            room -= size
            shown.append(excerpt)
    return tuple(shown)


def _around(finding: Finding, dependents: Dependents) -> Iterator[Place]:
    """The smallest changed definition around the quote, else the lines around it."""
    spans = [
        (c.symbol.end - c.symbol.start, c.symbol.start, c.symbol.end)
        for c in dependents.symbols
        if _holds(finding, c.symbol.path, c.symbol.side, c.symbol.start, c.symbol.end)
    ]
    size, start, end = min(spans, default=(0, finding.start - AROUND, finding.end + AROUND))
    if size > LONGEST:
        start, end = max(start, finding.start - LONGEST // 2), min(end, finding.end + LONGEST // 2)
    yield finding.path, finding.side, max(1, start), end


def _holds(finding: Finding, path: str, side: Side, start: int, end: int) -> bool:
    return path == finding.path and side == finding.side and start <= finding.start <= end


def _before(finding: Finding, files: Sequence[ChangedFile]) -> Iterator[Place]:
    """The same lines before the change, where it removed any."""
    for file in (f for f in files if f.path == finding.path and f.old_path):
        for hunk in file.hunks:
            removed = [line.old for line in hunk.lines if line.kind == "-" and line.old is not None]
            near = hunk.new_start <= finding.end + 1 and finding.start <= hunk.new_start + hunk.new_lines
            if removed and finding.side == "head" and near:
                yield (
                    file.old_path or file.path,
                    "base",
                    max(1, removed[0] - 3),
                    min(removed[-1] + 3, removed[0] + LONGEST),
                )


def _callers(finding: Finding, dependents: Dependents) -> Iterator[Place]:
    keys = {
        f"{finding.path}:{c.symbol.name}"
        for c in dependents.symbols
        if _holds(finding, c.symbol.path, c.symbol.side, c.symbol.start, c.symbol.end)
    }
    rows = [row for row in dependents.references if row.symbol in keys]
    for row in sorted(rows, key=lambda r: (not r.missing, not r.sure, r.test, not r.call))[:MAX_CALLERS]:
        start, end = row.span or (row.line - CALLER, row.line + CALLER)
        yield row.path, "head", max(1, start, row.line - CALLER), min(end, row.line + CALLER)


async def _used(finding: Finding, tree: Tree) -> list[Place]:
    """Where the functions that the quoted lines call are defined; a name with many definitions says nothing."""
    names = list(dict.fromkeys(_CALLED.findall(finding.quote)))[:MAX_DEFINITIONS]
    if not names:
        return []
    rows = await tree.grep_lines([definition(name) for name in names], syntax="perl", limit=200)
    found: list[Place] = []
    for name in names:
        hits = [(path, line) for path, line, text in rows if defines(text, name, path)]
        if len(hits) <= 2:  # noqa: PLR2004 - one, or one and its declaration
            found += [(path, "head", line, line + DEFINITION_LINES) for path, line in hits]
    return found


async def _excerpt(tree: Tree, path: str, side: Side, first: int, last: int) -> Excerpt | None:
    blob = await tree.read(path, side)
    if blob is None:
        return None
    lines = blob.decode("utf-8", "replace").split("\n")
    last = min(len(lines), last)
    rows = tuple(DiffRow("", lines[number - 1], number) for number in range(first, last + 1))
    return Excerpt(path, first, last, rows, side) if rows else None
