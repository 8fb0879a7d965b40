"""Find quotes in texts and in the tree, and reject findings whose quote doesn't exist.

Models must quote verbatim. For static checks, the reported line is enough.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from bot.values import DiffRow, Evidence, Finding, Side
from bot.values.finding import PLACEHOLDER
from deeprepo.impact.ports import Tree

MAX_QUOTE = 4_000  # characters; a longer quote is a copied file, not evidence


def fold(line: str) -> str:
    """Return a line with runs of whitespace folded to one space."""
    return re.sub(r"\s+", " ", line).strip()


# Exact match first, then with folded whitespace, because models change the indentation of copied code.
READINGS: Sequence[Callable[[str], str]] = (str.rstrip, fold)


def rows_of(quote: str) -> list[str]:
    """Return the lines of a quote, without empty lines around it."""
    return [line.rstrip("\r") for line in quote.strip("\r\n").split("\n")]


async def find_quote(
    tree: Tree, path: str, quote: str, near: int = 0, sides: Sequence[Side] = ("head", "base")
) -> tuple[Side, int, int] | None:
    """Return the first of these sides of a file that contains a quote, with its first and last line."""
    if not quote.strip():
        return None
    for side in sides:
        blob = await tree.read(path, side)
        lines = locate(blob.decode("utf-8", "replace"), quote, near) if blob is not None else None
        if lines is not None:
            return side, *lines
    return None


async def with_true_text(item: Evidence, tree: Tree) -> Evidence:
    """Return a quote that was found in the masked tree. If it has placeholders, it gets its lines in this tree."""
    is_masked = PLACEHOLDER.search(item.quote) and not item.repository
    blob = await tree.read(item.path, item.side) if is_masked else None
    if blob is None:
        return item
    lines = blob.decode("utf-8", "replace").split("\n")[item.line - 1 : item.line - 1 + len(rows_of(item.quote))]
    return replace(item, quote="\n".join(line.rstrip("\r") for line in lines))


def locate(text: str, quote: str, near: int = 0) -> tuple[int, int] | None:
    """Return the first and last line of a quote in a text.

    An exact match is preferred over one with folded whitespace, and `near` decides between several matches.
    As in Git, only line feeds end lines.
    """
    lines = text.split("\n")
    quote_rows = rows_of(quote)
    for reading in READINGS:
        want = [reading(line) for line in quote_rows]
        if near > 0 and [reading(line) for line in lines[near - 1 : near - 1 + len(want)]] == want:
            # The line that the finder gave, so the whole file need not be searched
            return near, near + len(want) - 1
        have = [reading(line) for line in lines]
        at = [i + 1 for i in range(len(have) - len(want) + 1) if have[i : i + len(want)] == want]
        if not at and len(want) == 1 and want[0]:
            at = [i + 1 for i, line in enumerate(have) if _words_in(want[0], line)]
        if at:
            start = min(at, key=lambda line: (abs(line - near) if near else line, line))
            return start, start + len(want) - 1
    return None


def occurrences(text: str, quote: str) -> int:
    """Return how often a text contains a quote, ignoring whitespace."""
    have, want = [fold(line) for line in text.split("\n")], [fold(line) for line in rows_of(quote)]
    count = sum(have[index : index + len(want)] == want for index in range(len(have) - len(want) + 1))
    return count if count or len(want) > 1 else sum(_words_in(want[0], line) for line in have)


def first_line(quote: str, rows: Iterable[DiffRow]) -> int:
    """Return the line where a quote begins in the rows shown to its finder; 0 if it is not there.

    An added line is preferred.
    """
    first = fold(rows_of(quote)[0])
    fits = partial(is_part, first) if PLACEHOLDER.search(first) else first.__eq__
    known = [diff_row for diff_row in rows if diff_row.sign != "-" and diff_row.number and fits(fold(diff_row.text))]
    return next((diff_row.number for diff_row in sorted(known, key=lambda diff_row: diff_row.sign != "+")), 0)


def is_part(line: str, text: str) -> bool:
    """Return whether a text contains a line in which placeholders can match any characters."""
    at = 0
    for part in PLACEHOLDER.split(line):
        at = text.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return True


def _words_in(part: str, line: str) -> bool:
    """Return whether part of a line was quoted.

    It must end at word boundaries, so that `in` is not found in `print`.
    """
    words = part.strip()
    return bool(words) and words in line and re.search(rf"(?<!\w){re.escape(words)}(?!\w)", line) is not None


async def check_quotes(finding: Finding, tree: Tree) -> Finding | str:
    """Return the finding with its lines and evidence filled in, or the reason to reject it."""
    if not finding.quote.strip():
        return "it quotes nothing: a finding must quote the line that it is about, verbatim"
    if len(finding.quote) > MAX_QUOTE:
        return f"its quote is longer than {MAX_QUOTE} characters: quote the lines that matter"
    lines_found = await find_quote(tree, finding.path, finding.quote, finding.start, _sides(finding.side))
    if lines_found is None and finding.start and all(source.kind == "analyser" for source in finding.basis.sources):
        # The check read it there, for example as the target of a link
        lines_found = (finding.side, finding.start, finding.end)
    if lines_found is None:
        return f"its quote does not occur in {finding.path}: check the path, and quote whole lines verbatim"
    side, start, end = lines_found
    evidence = []
    for item in finding.evidence:
        if item.repository:  # it was already read in that repository
            evidence.append(item)
            continue
        # Of several matching lines, take the one nearest to the finding
        near = item.line or (start if item.path == finding.path else 0)
        at = await find_quote(tree, item.path, item.quote, near, _sides(item.side))
        if at is not None:
            evidence.append(replace(item, side=at[0], line=at[1]))
    return replace(finding, side=side, start=start, end=end, evidence=_distinct(evidence))


def _sides(first: Side) -> tuple[Side, Side]:
    return ("head", "base") if first == "head" else ("base", "head")


def _distinct(evidence: list[Evidence]) -> tuple[Evidence, ...]:
    return tuple({(item.path, item.side, item.line): item for item in reversed(evidence)}.values())[::-1]
