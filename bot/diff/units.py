"""Split a change into code regions. Every changed line in a reviewed file is in at least one region.

A region has its text, its diff, references to it, its tests and its risk. Its heads are the first lines of the
classes, functions, blocks or keys that enclose it. They are found by indentation, which works in nearly every
language, even for templates and settings files without a parser.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from bot import blocks
from bot.diff.rows import UNIT_TOKENS, HunkRows, followers, pieces
from bot.diff.spans import Span, spans
from bot.values import (
    ChangedFile,
    ChangedSymbol,
    Definition,
    Dependents,
    DiffRow,
    Excerpt,
    Reference,
    Side,
    Unit,
)
from deeprepo.impact.in_hand import reading
from deeprepo.impact.text.lines import defined_names, is_comment
from deeprepo.rlm.values import tokens

CHANGES = ("added", "body", "signature", "renamed", "removed")  # the riskiest last
MOST_USES = 10  # uses that raise the risk
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


@dataclass(frozen=True, slots=True)
class Texts:
    """The changed files' texts on both sides, by path. A file that does not exist on a side is missing."""

    head: Mapping[str, str]
    base: Mapping[str, str]


def cut(files: Sequence[ChangedFile], dependents: Dependents, texts: Texts) -> tuple[Unit, ...]:
    """Return the regions of a change, riskiest first."""
    symbols: dict[str, list[ChangedSymbol]] = defaultdict(list)
    for symbol in dependents.symbols:
        symbols[symbol.symbol.path].append(symbol)
    uses: dict[str, list[Reference]] = defaultdict(list)
    for reference in dependents.references:
        uses[reference.symbol].append(reference)
    tests: dict[str, list[str]] = defaultdict(list)
    for dependent in dependents.files:
        if dependent.test:
            tests[dependent.target].append(dependent.path)
    units_found = [
        unit
        for file in files
        if not file.skip and file.hunks
        for unit in _of_file(file, symbols[file.path], uses, tuple(tests[file.path]), texts)
    ]
    return tuple(sorted(_distinct(units_found), key=lambda unit: (-unit.risk, unit.path, unit.start)))


def _of_file(
    file: ChangedFile,
    symbols: Sequence[ChangedSymbol],
    uses: Mapping[str, Sequence[Reference]],
    tests: tuple[str, ...],
    texts: Texts,
) -> Iterator[Unit]:
    reading(file.path)
    sides: dict[Side, str | None] = {
        "head": texts.head.get(file.path),
        "base": texts.base.get(file.old_path or file.path),
    }
    rows = {side: text.split("\n") for side, text in sides.items() if text is not None}
    hunk_rows = HunkRows(file.hunks)
    units_found: list[Unit] = []
    for span in spans(file, symbols, rows):
        if span.side not in rows:
            continue
        references = tuple(reference for name in span.names for reference in uses.get(f"{file.path}:{name}", ()))
        mine = _units(file, span, rows[span.side], hunk_rows, references, tests)
        units_found += [unit if symbols else _by_name(unit, uses) for unit in mine]
    units_found = _keep_changed_units(units_found)
    yield from _with_heads(file, units_found, rows.get("head", ()), hunk_rows.added_rows(), [s.symbol for s in symbols])


def _keep_changed_units(units: Sequence[Unit]) -> list[Unit]:
    """Return the regions with changed lines. The nearest one gets the references of each unchanged region.

    A definition counts as changed even if only lines around it did, such as `#if DEBUG`. Then the region with
    these lines is reviewed, together with the references to the definition.
    """
    changed_units = [unit for unit in units if unit.changed_rows]
    references_by_unit: dict[int, list[Reference]] = defaultdict(list)
    for unit in (unit for unit in units if changed_units and not unit.changed_rows):
        nearest = min(range(len(changed_units)), key=lambda at: _away(changed_units[at], unit))
        references_by_unit[nearest] += unit.references
    return [
        replace(unit, references=tuple(dict.fromkeys((*unit.references, *references_by_unit[index]))))
        if index in references_by_unit
        else unit
        for index, unit in enumerate(changed_units)
    ]


def _away(unit: Unit, other: Unit) -> tuple[int, bool]:
    """Return the number of lines between two regions, and whether `other` is above."""
    return max(unit.start - other.end, other.start - unit.end, 0), unit.start > other.start


def _by_name(unit: Unit, uses: Mapping[str, Sequence[Reference]]) -> Unit:
    mine = (rows for key, rows in uses.items() if key.startswith(f"{unit.path}:"))
    return replace(
        unit, references=tuple(reference for rows in mine for reference in rows if reference.name in unit.diff)
    )


def _units(
    file: ChangedFile,
    span: Span,
    lines: Sequence[str],
    hunk_rows: HunkRows,
    references: tuple[Reference, ...],
    tests: tuple[str, ...],
) -> Iterator[Unit]:
    """A large region's text only has the shown lines."""
    start, end = max(1, span.start - span.before), min(len(lines), span.end + span.after)
    risk = _risk(span, references, tests)
    parts = pieces(hunk_rows.rows(lines, span, start, end))
    large = len(parts) > 1 or tokens("\n".join(lines[start - 1 : end])) > UNIT_TOKENS
    for number, rows in enumerate(parts, 1):
        first, last = _lines(rows, span) if large else (start, end)
        name = f"{span.name}#{number}" if len(parts) > 1 else span.name
        unit = Unit(
            id=f"{file.path}:{name}",
            path=file.path,
            name=name,
            start=first,
            end=last,
            side=span.side,
            text="\n".join(lines[first - 1 : last]),
            rows=rows,
            references=references,
            tests=tests,
            risk=risk,
        )
        yield replace(unit, tokens=tokens(unit.diff))


def _lines(rows: Sequence[DiffRow], span: Span) -> tuple[int, int]:
    signs = ("-",) if span.side == "base" else (" ", "+")
    numbers = [diff_row.number for diff_row in rows if diff_row.sign in signs] or [span.start]
    return min(numbers), max(numbers)


def _risk(span: Span, references: Sequence[Reference], tests: Sequence[str]) -> int:
    """Return the risk score: by the kind of change, then by the number of uses and by missing tests."""
    change = span.symbol.change if span.symbol else "body"
    uses = min(MOST_USES, sum(not reference.test for reference in references))
    return CHANGES.index(change) * (MOST_USES + 2) + uses + (not tests)


def _distinct(units: Iterable[Unit]) -> Iterator[Unit]:
    """Yield the regions with unique IDs, because overloads have the same name."""
    id_counts: dict[str, int] = {}
    for unit in units:
        id_counts[unit.id] = id_counts.get(unit.id, 0) + 1
        if id_counts[unit.id] == 1:
            yield unit
        else:
            yield replace(unit, id=f"{unit.id}@{unit.start}")


class ShownLines:
    """The lines that a prompt already contains, so that none is included twice. Mutable."""

    def __init__(self, units: Iterable[Unit] = ()) -> None:
        self._places: dict[Side, set[tuple[str, int]]] = {"head": set(), "base": set()}
        for unit in units:
            if unit.side == "head":
                self.lines.update((unit.path, line) for line in range(unit.start, unit.end + 1))

    @property
    def lines(self) -> set[tuple[str, int]]:
        """The path and number of each shown line of the head."""
        return self._places["head"]

    def add(self, excerpt: Excerpt) -> None:
        """Record that the lines of an excerpt are shown."""
        self._places[excerpt.side].update((excerpt.path, diff_row.number) for diff_row in excerpt.rows)

    def has(self, path: str, number: int, side: Side = "head") -> bool:
        """Return whether a line is shown."""
        return (path, number) in self._places[side]

    def left(self, path: str, numbers: Iterable[int], side: Side = "head") -> list[int]:
        """Return those of the lines that are not shown yet."""
        return [number for number in numbers if (path, number) not in self._places[side]]


class Opener(NamedTuple):
    """A line that may start a block."""

    indent: int
    number: int
    text: str
    is_branch: bool  # whether it continues another block


def _with_heads(
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
