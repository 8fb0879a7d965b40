"""Check a finding against the tree: every quote must are there; the line is where the quote was found.

Order of the search: exact, then with whitespace folded, then the other side, and for evidence any place in the file.
"""

import re
from dataclasses import replace

from bot.ports import Tree
from bot.values import Evidence, Finding, Side

MAX_QUOTE = 4_000  # characters; a longer quote is a copied file, not evidence


async def check(finding: Finding, tree: Tree) -> Finding | str:
    """The finding with its lines and evidence filled in, or a sentence that says why it cannot stand."""
    if not finding.quote.strip():
        return "it quotes nothing: a finding must quote the line that it is about, verbatim"
    if len(finding.quote) > MAX_QUOTE:
        return f"its quote is longer than {MAX_QUOTE} characters: quote the lines that matter"
    found = await _find(tree, finding.path, finding.quote, finding.start, finding.side)
    if found is None:
        return f"its quote does not occur in {finding.path}: quote the file verbatim, whole lines"
    side, start, end = found
    evidence = []
    for item in finding.evidence:
        at = await _find(tree, item.path, item.quote, item.line, item.side) if item.quote.strip() else None
        if at is not None:
            evidence.append(replace(item, side=at[0], line=at[1]))
    return replace(finding, side=side, start=start, end=end, evidence=_distinct(evidence))


async def _find(tree: Tree, path: str, quote: str, near: int, side: Side) -> tuple[Side, int, int] | None:
    other: Side = "base" if side == "head" else "head"
    for where in (side, other):
        blob = await tree.read(path, where)
        if blob is None:
            continue
        lines = locate(blob.decode("utf-8", "replace"), quote, near)
        if lines is not None:
            return (where, *lines)
    return None


def locate(text: str, quote: str, near: int = 0) -> tuple[int, int] | None:
    """The first and last line of a quote in a text: exact first, then with whitespace folded. `near` decides between several.

    Lines are split at line feeds alone, as git does.
    """
    lines = [line.rstrip("\r") for line in text.split("\n")]
    wanted = [line.rstrip("\r") for line in quote.strip("\r\n").split("\n")]
    for fold in (str.rstrip, _fold):
        want = [fold(line) for line in wanted]
        if near > 0 and [fold(line) for line in lines[near - 1 : near - 1 + len(want)]] == want:
            return near, near + len(want) - 1  # where its finder said: the whole file need not be searched
        have = [fold(line) for line in lines]
        at = [i + 1 for i in range(len(have) - len(want) + 1) if have[i : i + len(want)] == want]
        if not at and len(want) == 1 and want[0]:
            at = [i + 1 for i, line in enumerate(have) if _words_in(want[0], line)]
        if at:
            start = min(at, key=lambda line: (abs(line - near) if near else line, line))
            return start, start + len(want) - 1
    return None


def _fold(line: str) -> str:
    return re.sub(r"\s+", " ", line).strip()


def _words_in(part: str, line: str) -> bool:
    """Whether part of a line was quoted: at word boundaries, so that `in` is not found in `print`."""
    return bool(re.search(r"(?<!\w)" + re.escape(part.strip()) + r"(?!\w)", line)) if part.strip() else False


def _distinct(evidence: list[Evidence]) -> tuple[Evidence, ...]:
    return tuple({(item.path, item.side, item.line): item for item in reversed(evidence)}.values())[::-1]
