"""Add the first lines (heads) of the classes, functions, blocks or keys that enclose a region.

They are found by indentation, which works in nearly every language, even for templates and settings files
without a parser.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from bot import blocks
from bot.diff import followers
from bot.values import ChangedFile, Definition, DiffRow, Unit
from deeprepo.impact.text.lines import defined_names, is_comment
from deeprepo.rlm.values import tokens

MAX_HEADS = 6  # heads above one part: the OUTER outermost ones, and the innermost ones
OUTER = 2
SIGNATURE = 12  # maximum lines of one head, because a parameter list can be long
SMALL_HEAD_GAP = 3  # up to this number, unchanged lines between a head and the next row are also shown
MAX_HEAD_CHARS = 240  # characters; longer lines are probably generated, and not shown
_OPENS = re.compile(r"(?:[{(\[:]|=>|->|=|\b(?:do|then|begin)(?:\s*\|[^|]*\|)?)\s*$")
# A line that continues the block of an earlier line with the same indentation, such as `else:`.
_BRANCH = re.compile(
    r"[})\]]|(?:else|elif|elsif|except|finally|catch|case|default|rescue|ensure|public|private|protected)\b(?=.*[:{]\s*$|\s*$)"
)


class Opener(NamedTuple):
    """A line that may start a block."""

    indent: int
    number: int
    text: str
    is_branch: bool  # whether it continues another block


def with_heads(
    file: ChangedFile,
    units: Sequence[Unit],
    lines: Sequence[str],
    added_rows: Mapping[int, DiffRow],
    symbols: Iterable[Definition],
) -> Iterator[Unit]:
    """Yield the regions with their heads.

    `lines` is the file at the head, `added_rows` the added rows by line, and `symbols` the changed
    definitions.
    """
    above = followers(file)
    starts = {unit.id: _starts(unit, above) for unit in units}
    chains = _chains(lines, {at for mine in starts.values() for at in mine}, file.path) if lines else {}
    head_symbols = [symbol for symbol in symbols if symbol.side == "head" and symbol.start <= len(lines)]
    for unit in units:
        shown_rows = {diff_row.number: diff_row for diff_row in unit.rows if diff_row.sign in (" ", "+")}
        numbers: set[int] = set()
        for at in starts[unit.id]:
            numbers.update(symbol.start for symbol in head_symbols if symbol.start < at <= symbol.end)
            numbers.update(chains.get(at, ()))
        whole = {n for number in numbers for n in (*blocks.annotations(lines, number), *_signature(lines, number))}
        whole.update(_near(whole, shown_rows, added_rows))
        head_lines = [n for n in sorted(whole) if len(lines[n - 1]) <= MAX_HEAD_CHARS]
        heads = tuple(shown_rows.get(n) or added_rows.get(n) or DiffRow(" ", lines[n - 1], n) for n in head_lines)
        more = tokens("\n".join(str(diff_row) for diff_row in heads if diff_row.number not in shown_rows))
        yield replace(unit, heads=heads, tokens=unit.tokens + more) if heads else unit


def _near(heads: Collection[int], shown_lines: Collection[int], added_lines: Collection[int]) -> Iterator[int]:
    """Yield the unchanged lines below a head that are too few to be replaced by a note."""
    for one, other in pairwise(sorted({*heads, *shown_lines})):
        if (
            one in heads
            and other - one - 1 <= SMALL_HEAD_GAP
            and not any(n in added_lines for n in range(one + 1, other))
        ):
            yield from range(one + 1, other)


def _starts(unit: Unit, above: Mapping[int, int]) -> list[int]:
    """Return the lines at which shown parts, and runs of changed rows in them, start."""
    start_lines: list[int] = []
    before = ""
    for diff_row in unit.rows:
        if diff_row.sign and (not before or (diff_row.sign != " " and before == " ")):
            start_lines.append(above.get(diff_row.number, diff_row.number) if diff_row.sign == "-" else diff_row.number)
        before = diff_row.sign
    return start_lines


def _chains(lines: Sequence[str], wanted_lines: Collection[int], path: str) -> dict[int, list[int]]:
    """Return the line numbers of the heads above each wanted line, outermost first."""
    chains: dict[int, list[int]] = {}
    waiting: list[int] = []
    stack: list[Opener] = []
    last = max(wanted_lines, default=0)
    for number, text in enumerate(lines, 1):
        if number > last and not waiting:
            break
        if number in wanted_lines:
            waiting.append(number)
        bare = text.strip()
        if not bare:
            continue
        indent = _indent(text)
        for line in waiting:
            chain = [n for i, n, head, _ in stack if i < indent and n < line and _opens(head)]
            chains[line] = chain if len(chain) <= MAX_HEADS else chain[:OUTER] + chain[OUTER - MAX_HEADS :]
        waiting.clear()
        if bare[0] == "#" or is_comment(text, path):
            continue
        branch = bool(_BRANCH.match(bare))
        while stack and (stack[-1].indent, not branch or stack[-1].is_branch) > (indent, False):
            stack.pop()
        if not branch or _opens(bare):
            stack.append(Opener(indent, number, bare, branch))
    return chains


@lru_cache
def _opens(line: str) -> bool:
    return len(line) > 1 and bool(_OPENS.search(line[-MAX_HEAD_CHARS:]) or defined_names(line[:MAX_HEAD_CHARS]))


def _indent(text: str) -> int:
    lead = text[: len(text) - len(text.lstrip())]
    return len(lead.expandtabs())


def _signature(lines: Sequence[str], start: int) -> range:
    """Return the lines of one head, up to the closing bracket, or only the first if that is too far."""
    depth = 0
    for number in range(start, min(len(lines), start + SIGNATURE - 1) + 1):
        text = lines[number - 1]
        depth += sum(text.count(sign) for sign in "([") - sum(text.count(sign) for sign in ")]")
        if depth <= 0:
            return range(start, number + 1)
    return range(start, start + 1)
