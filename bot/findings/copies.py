"""Find further lines of a change that equal the line of a finding, and add them to it.

The same defect is often written twice, for example in a sibling class or for another platform. In 13 pull
requests, about 31 of 38 lines found in this way had the same defect. A line that is added in more locations
is just a common phrase. For findings in product code, tests and documents are left out. Pure functions.
"""

from collections.abc import Sequence
from dataclasses import replace

from bot.findings.quotes import fold
from bot.values import ChangedFile, Evidence, Finding
from deeprepo.impact.text.paths import is_product

SAME_LINE = "the same line"
LEAST_CHARS, MOST_EQUAL = 12, 6  # minimum characters of such a line; maximum number of further lines
OWN_LINES = 3  # lines around the finding that count as its own


def with_copies(finding: Finding, files: Sequence[ChangedFile]) -> Finding:
    """Return a model's finding with the added lines that equal the first line of its quote, if at most six do."""
    first_line = fold(finding.quote.strip().partition("\n")[0])
    if finding.is_masked or finding.side != "head" or len(first_line) < LEAST_CHARS:
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
