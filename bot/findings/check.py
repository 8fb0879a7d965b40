"""Check a finding against the tree: every quote must be there; the line is where the quote was found.

Order of the search: exact, then with whitespace folded, then the other side, and for evidence any place in the file. What an
analyser has found stands where it says, even if that is not a file: a model's words need the proof, code's line is one.
"""

from dataclasses import replace

from bot.findings.quotes import find_quote
from bot.ports import Tree
from bot.values import Evidence, Finding, Side

MAX_QUOTE = 4_000  # characters; a longer quote is a copied file, not evidence


async def check(finding: Finding, tree: Tree) -> Finding | str:
    """The finding with its lines and evidence filled in, or a sentence that says why it cannot stand."""
    if not finding.quote.strip():
        return "it quotes nothing: a finding must quote the line that it is about, verbatim"
    if len(finding.quote) > MAX_QUOTE:
        return f"its quote is longer than {MAX_QUOTE} characters: quote the lines that matter"
    lines_found = await find_quote(tree, finding.path, finding.quote, finding.start, _sides(finding.side))
    if lines_found is None and finding.start and all(source.kind == "analyser" for source in finding.sources):
        lines_found = (
            finding.side,
            finding.start,
            finding.end,
        )  # code has read it there: the target of a link, for example
    if lines_found is None:
        return f"its quote does not occur in {finding.path}: quote the file verbatim, whole lines"
    side, start, end = lines_found
    evidence = []
    for item in finding.evidence:
        if item.repository:  # code has read it there
            evidence.append(item)
            continue
        near = item.line or (
            start if item.path == finding.path else 0
        )  # of several such lines the one beside the finding
        at = await find_quote(tree, item.path, item.quote, near, _sides(item.side))
        if at is not None:
            evidence.append(replace(item, side=at[0], line=at[1]))
    return replace(finding, side=side, start=start, end=end, evidence=_distinct(evidence))


def _sides(first: Side) -> tuple[Side, Side]:
    return ("head", "base") if first == "head" else ("base", "head")


def _distinct(evidence: list[Evidence]) -> tuple[Evidence, ...]:
    return tuple({(item.path, item.side, item.line): item for item in reversed(evidence)}.values())[::-1]
