"""Show the code that uses what a change alters."""

from collections.abc import Iterable, Sequence

from bot import blocks
from bot.diff.units import ShownLines
from bot.review.context import snippets
from bot.values import Excerpt, Reference, Unit
from deeprepo.impact.ports import Tree
from deeprepo.impact.text.lines import file_lines
from deeprepo.impact.text.paths import is_product
from deeprepo.impact.values import MODULE

MAX_CALLERS = 6  # per code region
MAX_TESTS = 2  # tests among them
CALLER_LINES = 24  # lines of one caller; a longer one is cut around the call


def call_sites(units: Iterable[Unit], first: Iterable[Reference]) -> list[Reference]:
    """Return the uses of these regions that are worth showing: those in `first`, then the surest of each region."""
    regions = list(units)
    mine = {reference.symbol for unit in regions for reference in unit.references}
    lists = [sorted(unit.references, key=_uncertainty)[:MAX_CALLERS] for unit in regions]
    most = max(map(len, lists), default=0)
    in_turn = [rows[at] for at in range(most) for rows in lists if at < len(rows)]
    return list(
        dict.fromkeys([*(reference for reference in first if reference.symbol in mine), *_worth_showing(in_turn)])
    )


async def show(tree: Tree, references: Sequence[Reference], shown: ShownLines, room: int) -> list[Excerpt]:
    """Return the functions that contain these uses, as many as fit into `room` tokens."""
    texts = await tree.read_many(list(dict.fromkeys(reference.path for reference in references)))
    excerpts = list[Excerpt]()
    for reference in references:
        lines = file_lines(texts.get(reference.path))
        if reference.line > len(lines) or shown.has(reference.path, reference.line):
            continue
        inside = f"{reference.function} · " if reference.function != MODULE else ""
        left = shown.left(reference.path, _body(reference, lines))
        excerpt = snippets.cut(reference.path, lines, left, f"{inside}uses {reference.name}")
        if excerpt is not None and excerpt.size <= room:
            room -= excerpt.size
            shown.add(excerpt)
            excerpts.append(excerpt)
    return excerpts


def _worth_showing(rows: Sequence[Reference]) -> list[Reference]:
    """Drop imports, names that every class has, mere matches of a word, and all but a few tests."""
    tests = 0
    rows_kept = []
    for reference in rows:
        is_use = reference.is_bound and reference.form != "import" and not reference.everyday
        if reference.missing or (is_use and (reference.test or is_product(reference.path))):
            tests += reference.test
            if reference.missing or not reference.test or tests <= MAX_TESTS:
                rows_kept.append(reference)
    return rows_kept


def _uncertainty(reference: Reference) -> tuple[bool, ...]:
    return (
        not reference.missing,
        not reference.is_bound,
        not is_product(reference.path),
        reference.test,
        not reference.call,
        not reference.is_at_top,
    )


def _body(reference: Reference, lines: Sequence[str]) -> list[int]:
    """Return the function around a use with its annotations, or its blocks that contain the use."""
    start, end = reference.span or (0, 0)
    end = min(end, len(lines))
    if start <= reference.line <= end and end - start < CALLER_LINES:
        return [*blocks.annotations(lines, start), *range(start, end + 1)]
    return blocks.around(reference.path, lines, reference.line, CALLER_LINES // 2, min(start, reference.line))
