"""The other half of a finding: where the change adds the same line elsewhere, the finding names it. Pure.

A defect that was written once is often written twice: in the class beside it, in the sibling for another platform, in the second handler.
Of 38 places that this named on thirteen pull requests about 31 had the same defect. A line that is added at more places is a phrase, and
what a test or a document says like the product is another thing.
"""

from collections.abc import Sequence
from dataclasses import replace

from bot.findings.quotes import fold
from bot.values import ChangedFile, Evidence, Finding
from deeprepo.impact.text.paths import is_product

SAME_LINE = "the same line"
LEAST_CHARS, MOST_EQUAL = 12, 6  # characters of such a line; other places of it
OWN_LINES = 3  # lines around the finding that are its own


def with_copies(finding: Finding, files: Sequence[ChangedFile]) -> Finding:
    """Return the finding with the added lines that equal the first line of its quote, six at most."""
    first_line = fold(finding.quote.strip().partition("\n")[0])
    if not finding.basis.has_model or finding.is_masked or finding.side != "head" or len(first_line) < LEAST_CHARS:
        return finding
    known = {
        (finding.path, line)
        for line in range(finding.start - OWN_LINES + 1, max(finding.start, finding.end) + OWN_LINES)
    }
    known |= {item.location for item in finding.evidence}
    places = [
        Evidence(file.path, line.text, line.new, note=SAME_LINE)
        for file in files
        if is_product(file.path) or not is_product(finding.path)
        for hunk in file.hunks
        for line in hunk.lines
        if line.kind == "+"
        and line.new is not None
        and (file.path, line.new) not in known
        and fold(line.text) == first_line
    ]
    return replace(finding, evidence=(*finding.evidence, *places)) if len(places) <= MOST_EQUAL else finding
