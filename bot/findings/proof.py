"""Gather the code for a confirmation, so that it doesn't depend only on what the finder quoted.

It contains the function around the quote, the previous code, the finder's evidence with its block, removed
definitions, and the callers. Each line appears once, within a token limit. What else decides is looked up if
the confirmation asks for it.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from bot import blocks
from bot.diff import moves
from bot.diff.units import ShownLines
from bot.values import (
    ChangedFile,
    Definition,
    Dependents,
    DiffRow,
    Excerpt,
    Finding,
    Reference,
    Side,
)
from bot.values.finding import AGAINST
from deeprepo.impact.ports import Tree
from deeprepo.impact.text.lines import file_lines
from deeprepo.impact.text.paths import is_product
from deeprepo.rlm.values import tokens

TOKENS = 5_000  # tokens of all excerpts for one finding
SMALL_FILE = 2_500  # tokens of a quoted file that is shown whole if there is room
# Lines of the definition that the claim is about; a longer one is cut to the blocks around the quote.
MAX_DEFINITION_LINES = 160
BLOCK = 40  # lines of the block around any other lines
SHORT_BLOCK = 12  # lines of a block if there is no room for more
MOST_PLACES = 3  # callers, and removed definitions


@dataclass(frozen=True, slots=True)
class CodeSpan:
    """Important lines, and how much of their surroundings to show."""

    path: str
    side: Side
    first: int  # the important lines
    last: int
    most: int  # lines of the blocks around them; 0 shows only these lines
    title: str
    start: int = 0  # of the definition around them; 0 if unknown
    end: int = 0


async def gather(
    finding: Finding,
    tree: Tree,
    dependents: Dependents,
    files: Sequence[ChangedFile] = (),
    room: int = TOKENS,
) -> tuple[Excerpt, ...]:
    """Return the excerpts for one finding within `room` tokens, the most informative first."""
    places = [_around(finding, dependents), *_before(finding, files), *_removed_definitions(finding, dependents)]
    places += [
        CodeSpan(one.path, one.side, one.line, one.line, BLOCK, AGAINST if one.note == AGAINST else "evidence")
        for one in finding.evidence
        if not one.repository
    ]
    places += [*_callers(finding, dependents), *await _small_files(finding, tree)]
    excerpts, shown_lines = list(_of_consumers(finding)), ShownLines()
    left = room - sum(tokens(one.body) for one in excerpts)
    return (*excerpts, *await _excerpts(tree, places, left, shown_lines))


async def _excerpts(tree: Tree, places: Iterable[CodeSpan], room: int, shown_lines: ShownLines) -> list[Excerpt]:
    excerpts = list[Excerpt]()
    for place in places:
        excerpt = await _excerpt(tree, place, room, shown_lines)
        if excerpt is not None:
            room -= tokens(excerpt.body)
            shown_lines.add(excerpt)
            excerpts.append(excerpt)
    return excerpts


async def _small_files(finding: Finding, tree: Tree) -> list[CodeSpan]:
    """Return the quoted files that are small, since most requests for more code ask for the rest of them."""
    spans = list[CodeSpan]()
    quoted = dict.fromkeys(
        [(finding.path, finding.side), *((e.path, e.side) for e in finding.evidence if not e.repository)]
    )
    for path, side in quoted:
        lines = file_lines(await tree.read(path, side))
        if tokens("\n".join(lines)) <= SMALL_FILE:
            spans.append(CodeSpan(path, side, 1, len(lines), 0, "the rest of the file"))
    return spans


def with_signs(excerpts: Iterable[Excerpt], files: Iterable[ChangedFile]) -> tuple[Excerpt, ...]:
    """Return the excerpts with a sign at each added or removed line."""
    changed: dict[tuple[str, Side], tuple[Literal["+", "-"], Collection[int]]] = {}
    for file in files:
        changed[file.path, "head"] = "+", file.added_lines
        changed[file.old_path or file.path, "base"] = "-", file.removed_lines
    return tuple(_with_signs(excerpt, *changed.get((excerpt.path, excerpt.side), ("+", ()))) for excerpt in excerpts)


def _with_signs(excerpt: Excerpt, sign: Literal["+", "-"], lines: Collection[int]) -> Excerpt:
    rows = tuple(replace(diff_row, sign=sign) if diff_row.number in lines else diff_row for diff_row in excerpt.rows)
    return replace(excerpt, rows=rows)


def _of_consumers(finding: Finding) -> Iterator[Excerpt]:
    """Yield the lines of other repositories that the finding quotes, as read from there."""
    for place in finding.evidence:
        if place.repository:
            lines = place.quote.strip("\n").split("\n")[:SHORT_BLOCK]
            rows = tuple(DiffRow("", text, place.line + index) for index, text in enumerate(lines))
            title = f"evidence, in the repository {place.repository}, which uses this one"
            yield Excerpt(place.path, place.line, place.line + len(lines) - 1, rows, place.side, title)


def _around(finding: Finding, dependents: Dependents) -> CodeSpan:
    """Return the smallest changed definition around the quote, else the block around it."""
    spans = [(s.end - s.start, s.start, s.end) for s in _holding(finding, dependents)]
    last = max(finding.end, finding.start)
    _, start, end = min(spans, default=(0, 0, 0))
    title = "what the claim is about"
    return CodeSpan(
        finding.path, finding.side, finding.start, last, MAX_DEFINITION_LINES if start else BLOCK, title, start, end
    )


def _holding(finding: Finding, dependents: Dependents) -> Iterator[Definition]:
    both = (symbol for changed_symbol in dependents.symbols for symbol in (changed_symbol.after, changed_symbol.before))
    for symbol in both:
        same = symbol is not None and (symbol.path, symbol.side) == (finding.path, finding.side)
        if symbol is not None and same and symbol.start <= finding.start <= symbol.end:
            yield symbol


def _before(finding: Finding, files: Sequence[ChangedFile]) -> Iterator[CodeSpan]:
    """Yield the code before the change: the removed lines nearest to the finding, within one block."""
    for file in (f for f in files if f.path == finding.path and f.old_path and finding.side == "head"):
        near: list[int] = []
        for _, number in sorted(_removed_lines(finding, file)):
            if max([*near, number]) - min([*near, number]) < BLOCK:
                near.append(number)
        if near:
            yield CodeSpan(file.old_path or file.path, "base", min(near), max(near), BLOCK, "as it was")
    for move in moves.find(files) if finding.side == "head" else ():
        if move.path == finding.path and move.start <= finding.start <= move.end:
            at = move.old_start + finding.start - move.start
            yield CodeSpan(
                move.old_path,
                "base",
                at,
                min(at + finding.end - finding.start, move.old_end),
                BLOCK,
                "as it was before it was moved",
            )


def _removed_lines(finding: Finding, file: ChangedFile) -> Iterator[tuple[int, int]]:
    for hunk in file.hunks:
        at = hunk.new_start  # the position of the line in the new file
        if at <= finding.end + 1 and finding.start <= at + hunk.new_lines:
            for line in hunk.lines:
                if line.kind == "-" and line.old is not None:
                    yield max(finding.start - at, at - finding.end, 0), line.old
                at = at + 1 if line.new is None else line.new + 1


def _removed_definitions(finding: Finding, dependents: Dependents) -> Iterator[CodeSpan]:
    """Yield the removed or renamed definitions that the claim mentions.

    For a claim about product code, test definitions are left out.
    """
    claim_words = _claim_words(finding)
    gone_symbols = [c.before for c in dependents.symbols if c.before is not None and c.change in {"removed", "renamed"}]
    meant = [one for one in gone_symbols if is_product(one.path) or not is_product(finding.path)]
    for symbol in [one for one in meant if one.short in claim_words][:MOST_PLACES]:
        yield CodeSpan(
            symbol.path,
            "base",
            symbol.start,
            symbol.start,
            MAX_DEFINITION_LINES,
            f"removed: {symbol.name}",
            symbol.start,
            symbol.end,
        )


def _claim_words(finding: Finding) -> set[str]:
    quotes = " ".join([finding.quote, *(item.quote for item in finding.evidence)])
    return {*re.findall(r"[\w$]+", f"{finding.title} {finding.why} {finding.trigger} {finding.consequence} {quotes}")}


def _callers(finding: Finding, dependents: Dependents) -> Iterator[CodeSpan]:
    keys = {f"{finding.path}:{symbol.name}" for symbol in _holding(finding, dependents)}
    claim_words = _claim_words(finding)
    rows = [
        reference
        for reference in dependents.references
        if reference.symbol in keys
        and _telling(reference, claim_words)
        and (is_product(reference.path) or not is_product(finding.path))
    ]
    for reference in sorted(rows, key=lambda r: (not r.missing, not r.is_bound, r.test, not r.call))[:MOST_PLACES]:
        title = f"uses {reference.name}" + ("" if reference.is_bound else " (by name only)")
        yield CodeSpan(reference.path, "head", reference.line, reference.line, BLOCK, title, *(reference.span or ()))


def _telling(reference: Reference, claim_words: Collection[str]) -> bool:
    """Return whether a reference shows how a definition is used.

    Imports don't, and neither do namesakes that the claim doesn't mention.
    """
    if reference.missing:
        return True
    return reference.form != "import" and (
        reference.is_bound or (reference.name in claim_words and not (reference.everyday or reference.test))
    )


async def _excerpt(tree: Tree, place: CodeSpan, room: int, shown_lines: ShownLines) -> Excerpt | None:
    """Return the lines of a span that are not shown yet, fewer if they don't fit; None if there are none."""
    lines = file_lines(await tree.read(place.path, place.side))
    first, last = max(1, place.first), min(len(lines), place.last)
    if first > last:
        return None
    for most in dict.fromkeys((place.most, *(min(place.most, fewer) for fewer in (BLOCK, SHORT_BLOCK)), 0)):
        block = sorted({*range(first, last + 1), *_block(lines, place, most)})
        block = [*(blocks.annotations(lines, block[0]) if most else ()), *block]
        new = shown_lines.left(place.path, block, place.side)
        if not any(lines[number - 1].strip() for number in new):
            return None
        heads = [number for number in blocks.heads(lines, first) if number not in block] if most else []
        opening = shown_lines.left(place.path, heads, place.side)
        numbers = sorted([*new, *opening])
        rows = tuple(DiffRow("", lines[number - 1], number) for number in numbers)
        excerpt = Excerpt(place.path, numbers[0], numbers[-1], rows, place.side, place.title)
        if tokens(excerpt.body) <= room:
            return excerpt
    return None


def _block(lines: Sequence[str], place: CodeSpan, most: int) -> Sequence[int]:
    """Return the definition around a span's lines if it is short enough, else the blocks around them.

    If it is very short, return both.
    """
    if not most:
        return ()
    start, end = place.start, min(place.end, len(lines))
    if start and start <= place.first <= end and end - start < most:
        around = blocks.around(place.path, lines, place.first, min(most, BLOCK)) if end - start < SHORT_BLOCK else ()
        return sorted({*range(start, end + 1), *around})
    ends = {max(1, place.first), min(len(lines), place.last)}
    block_start = start if start < place.first else 0
    return sorted({n for at in ends for n in blocks.around(place.path, lines, at, most, block_start)})
