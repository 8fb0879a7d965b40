"""Cut a change into units: what one worker can judge. Every changed line of a reviewable file stands in at least one. Pure."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from bot.values import ChangedFile, ChangedSymbol, Dependents, Hunk, Line, Reference, Side, Unit, tokens
from bot.values.model import CHARS_PER_TOKEN

MAX_TOKENS = 6_000  # of one unit; a larger one is split
OVERLAP = 10  # lines that two parts of a split unit share
MARGIN = 3  # unchanged lines around a hunk that lies outside any definition
SENSITIVE = re.compile(
    r"auth|login|password|token|secret|crypt|permission|access|payment|billing|migrat|sql|session|security|lock|thread|async",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Texts:
    """The changed files as text, path by path, on both sides. Absent: the file does not exist there."""

    head: Mapping[str, str]
    base: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Span:
    """Lines of one side that belong together."""

    name: str
    start: int
    end: int
    side: Side
    symbol: ChangedSymbol | None = None


def cut(files: Sequence[ChangedFile], dependents: Dependents, texts: Texts) -> tuple[Unit, ...]:
    """The units of a change, riskiest first."""
    symbols: dict[str, list[ChangedSymbol]] = defaultdict(list)
    for changed in dependents.symbols:
        symbols[changed.symbol.path].append(changed)
    uses: dict[str, list[Reference]] = defaultdict(list)
    for reference in dependents.references:
        uses[reference.symbol].append(reference)
    tests: dict[str, list[str]] = defaultdict(list)
    for dependent in dependents.files:
        if dependent.test:
            tests[dependent.target].append(dependent.path)
    found = [
        unit
        for file in files
        if not file.skip and file.hunks
        for unit in _of_file(file, symbols[file.path], uses, tuple(tests[file.path]), texts)
    ]
    return tuple(sorted(_distinct(found), key=lambda unit: (-unit.risk, unit.path, unit.start)))


def _of_file(
    file: ChangedFile,
    symbols: Sequence[ChangedSymbol],
    uses: Mapping[str, Sequence[Reference]],
    tests: tuple[str, ...],
    texts: Texts,
) -> Iterator[Unit]:
    for span in _spans(file, symbols):
        source = texts.head.get(file.path) if span.side == "head" else texts.base.get(file.old_path or file.path)
        if source is None:
            continue
        references = tuple(uses.get(f"{file.path}:{span.name}", ()))
        for part in _parts(span, source.split("\n")):
            yield _unit(file, part, source.split("\n"), references, tests)


def _spans(file: ChangedFile, symbols: Sequence[ChangedSymbol]) -> list[Span]:
    """The changed definitions, then runs of changed lines that lie in none of them."""
    spans = []
    for changed in symbols:
        symbol = changed.symbol
        spans.append(Span(symbol.name, symbol.start, symbol.end, symbol.side, changed))
    spans += _runs(sorted(file.added - _covered(spans, "head")), "head")
    # A removed line inside a definition that still exists is shown by that definition's diff.
    spans += _runs(sorted(_removed_alone(file, spans)), "base")
    return spans


def _covered(spans: Iterable[Span], side: Side) -> set[int]:
    return {line for span in spans if span.side == side for line in range(span.start, span.end + 1)}


def _removed_alone(file: ChangedFile, spans: Sequence[Span]) -> set[int]:
    """Removed lines that no span shows: neither a removed definition nor the diff of a head span."""
    shown = _covered(spans, "base")
    for hunk in file.hunks:
        for span in (s for s in spans if s.side == "head"):
            shown |= {line.old for line in _near(hunk, span) if line.kind == "-" and line.old}
    return set(file.removed) - shown


def _runs(lines: Sequence[int], side: Side) -> list[Span]:
    runs: list[list[int]] = []
    for line in lines:
        if runs and line - runs[-1][1] <= 2 * MARGIN:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    return [Span(f"{'removed ' if side == 'base' else ''}lines {a}-{b}", a, b, side) for a, b in runs]


def _parts(span: Span, lines: Sequence[str]) -> Iterator[Span]:
    """The span itself, or overlapping parts of it that end at its very last line."""
    start, end = max(1, span.start), min(len(lines), span.end)
    if tokens("\n".join(lines[start - 1 : end])) <= MAX_TOKENS:
        yield span
        return
    at, number = start, 1
    while at <= end:
        last, size = at, 0
        while last <= end and (size := size + len(lines[last - 1]) + 1) <= MAX_TOKENS * CHARS_PER_TOKEN:
            last += 1
        last = min(max(last - 1, at), end)
        yield Span(f"{span.name}#{number}", at, last, span.side, span.symbol)
        if last >= end:
            return
        at, number = max(last - OVERLAP + 1, at + 1), number + 1


def _unit(
    file: ChangedFile, span: Span, lines: Sequence[str], references: tuple[Reference, ...], tests: tuple[str, ...]
) -> Unit:
    start, end = max(1, span.start - _margin(span)), min(len(lines), span.end + _margin(span))
    text, diff = "\n".join(lines[start - 1 : end]), _annotated(file.hunks, lines, span, start, end)
    return Unit(
        id=f"{file.path}:{span.name}",
        path=file.path,
        name=span.name,
        start=start,
        end=end,
        side=span.side,
        text=text,
        diff=diff,
        references=references,
        tests=tests,
        risk=_risk(file, span, references, tests),
        tokens=tokens(diff),
    )


def _risk(file: ChangedFile, span: Span, references: Sequence[Reference], tests: Sequence[str]) -> int:
    """What is read first: removed and re-signed definitions, many callers, sensitive words, no test."""
    change = span.symbol.change if span.symbol else "body"
    score = {"removed": 40, "renamed": 40, "signature": 30, "body": 10, "added": 5}[change]
    score += 2 * min(10, sum(not reference.test for reference in references))
    score += 10 if SENSITIVE.search(file.path) or SENSITIVE.search(span.name) else 0
    return score + (0 if tests else 5)


def _margin(span: Span) -> int:
    return 0 if span.symbol else MARGIN


def _near(hunk: Hunk, span: Span) -> Iterator[Line]:
    """The lines of a hunk that belong to a span and its margin. A removed line stands before the head line that follows it."""
    start, end = span.start - _margin(span), span.end + _margin(span)
    first, size = (hunk.old_start, hunk.old_lines) if span.side == "base" else (hunk.new_start, hunk.new_lines)
    if first > end + 1 or first + size < start:
        return
    at = hunk.new_start
    for line in hunk.lines:
        if span.side == "base":
            at = line.old if line.old is not None else -1
        elif line.new is not None:
            at = line.new
        if start <= at <= end + (line.kind == "-" and span.side == "head"):
            yield line
        at += span.side == "head" and line.new is not None


def _annotated(hunks: Sequence[Hunk], lines: Sequence[str], span: Span, start: int, end: int) -> str:
    """The whole span as a diff with line numbers: unchanged lines too, so that one rendering shows old and new."""
    rows: list[str] = []
    at = start
    for line in (line for hunk in hunks for line in _near(hunk, span)):
        number = line.old if span.side == "base" else line.new
        upto = number if number is not None else at
        rows += [f" {n:>5} {lines[n - 1]}" for n in range(at, upto)]
        at = max(at, upto + (number is not None))
        rows.append(f"{line.kind}{line.old if line.kind == '-' else line.new:>5} {line.text}")
    rows += [f" {n:>5} {lines[n - 1]}" for n in range(at, end + 1)]
    return "\n".join(rows)


def _distinct(units: Iterable[Unit]) -> Iterator[Unit]:
    """Two definitions of one name in one file (overloads, conditional ones) get distinct ids."""
    seen: dict[str, int] = {}
    for unit in units:
        seen[unit.id] = seen.get(unit.id, 0) + 1
        if seen[unit.id] == 1:
            yield unit
        else:
            yield replace(unit, id=f"{unit.id}@{unit.start}")
