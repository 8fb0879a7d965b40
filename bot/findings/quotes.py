"""Where a quote stands, in a text and in the tree, and what a finding needs to be believed at all: its quote has to exist.

Without its quote in the tree a finding is not reported: a model's words need the proof, code's line is one.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from bot.values import DiffRow, Evidence, Finding, Side
from deeprepo.impact.ports import Tree

MAX_QUOTE = 4_000  # characters; a longer quote is a copied file, not evidence


def fold(line: str) -> str:
    """Return a line without what is a matter of taste: runs of blanks are one."""
    return re.sub(r"\s+", " ", line).strip()


# Verbatim first, then with blanks folded: models re-indent what they copy.
READINGS: Sequence[Callable[[str], str]] = (str.rstrip, fold)


def rows_of(quote: str) -> list[str]:
    """Return the lines of a quote, without the empty ones around it."""
    return [line.rstrip("\r") for line in quote.strip("\r\n").split("\n")]


async def find_quote(
    tree: Tree, path: str, quote: str, near: int = 0, sides: Sequence[Side] = ("head", "base")
) -> tuple[Side, int, int] | None:
    """Return the side of a file on which a quote stands, its first and last line; the first of these sides that has it."""
    if not quote.strip():
        return None
    for side in sides:
        blob = await tree.read(path, side)
        lines = locate(blob.decode("utf-8", "replace"), quote, near) if blob is not None else None
        if lines is not None:
            return side, *lines
    return None


def locate(text: str, quote: str, near: int = 0) -> tuple[int, int] | None:
    """Return the first and last line of a quote in a text: exact first, then with whitespace folded. `near` decides between several.

    Lines are split at line feeds alone, as git does.
    """
    lines = [line.rstrip("\r") for line in text.split("\n")]
    quote_rows = rows_of(quote)
    for reading in READINGS:
        want = [reading(line) for line in quote_rows]
        if near > 0 and [reading(line) for line in lines[near - 1 : near - 1 + len(want)]] == want:
            return near, near + len(want) - 1  # where its finder said: the whole file need not be searched
        have = [reading(line) for line in lines]
        at = [i + 1 for i in range(len(have) - len(want) + 1) if have[i : i + len(want)] == want]
        if not at and len(want) == 1 and want[0]:
            at = [i + 1 for i, line in enumerate(have) if _words_in(want[0], line)]
        if at:
            start = min(at, key=lambda line: (abs(line - near) if near else line, line))
            return start, start + len(want) - 1
    return None


def occurrences(text: str, quote: str) -> int:
    """Return how often a text has a quote, whatever its blanks."""
    have, want = [fold(line) for line in text.split("\n")], [fold(line) for line in rows_of(quote)]
    count = sum(have[index : index + len(want)] == want for index in range(len(have) - len(want) + 1))
    return count if count or len(want) > 1 else sum(_words_in(want[0], line) for line in have)


def first_line(quote: str, rows: Iterable[DiffRow]) -> int:
    """Return where a quote begins among the rows that its finder was shown: on an added one if there is one; 0 if it is not among them."""
    first = fold(rows_of(quote)[0])
    known = [diff_row for diff_row in rows if diff_row.sign != "-" and diff_row.number and fold(diff_row.text) == first]
    return next((diff_row.number for diff_row in sorted(known, key=lambda diff_row: diff_row.sign != "+")), 0)


def _words_in(part: str, line: str) -> bool:
    """Whether part of a line was quoted: at word boundaries, so that `in` is not found in `print`."""
    words = part.strip()
    return bool(words) and words in line and re.search(rf"(?<!\w){re.escape(words)}(?!\w)", line) is not None


async def check_quotes(finding: Finding, tree: Tree) -> Finding | str:
    """Return the finding with its lines and evidence filled in, or a sentence that says why it cannot stand."""
    if not finding.quote.strip():
        return "it quotes nothing: a finding must quote the line that it is about, verbatim"
    if len(finding.quote) > MAX_QUOTE:
        return f"its quote is longer than {MAX_QUOTE} characters: quote the lines that matter"
    lines_found = await find_quote(tree, finding.path, finding.quote, finding.start, _sides(finding.side))
    if lines_found is None and finding.start and all(source.kind == "analyser" for source in finding.basis.sources):
        # Code has read it there: the target of a link, for example
        lines_found = (finding.side, finding.start, finding.end)
    if lines_found is None:
        return f"its quote does not occur in {finding.path}: quote the file verbatim, whole lines"
    side, start, end = lines_found
    evidence = []
    for item in finding.evidence:
        if item.repository:  # code has read it there
            evidence.append(item)
            continue
        # Of several such lines the one beside the finding
        near = item.line or (start if item.path == finding.path else 0)
        at = await find_quote(tree, item.path, item.quote, near, _sides(item.side))
        if at is not None:
            evidence.append(replace(item, side=at[0], line=at[1]))
    return replace(finding, side=side, start=start, end=end, evidence=_distinct(evidence))


def _sides(first: Side) -> tuple[Side, Side]:
    return ("head", "base") if first == "head" else ("base", "head")


def _distinct(evidence: list[Evidence]) -> tuple[Evidence, ...]:
    return tuple({(item.path, item.side, item.line): item for item in reversed(evidence)}.values())[::-1]
