"""What is shown in full, and what is folded; docs/using.md says why. Nothing is dropped.

Shown, up to a quota: what code or a test has proven, what was found twice, and what one reader has found if it is more than low. A
critical finding is always shown. A model's own confidence decides nothing: it does not predict truth.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import replace

from bot.text.lines import is_comment
from bot.text.paths import is_prose
from bot.values import Finding, PlacedFinding, Verdict, severity_rank

TWICE = 2
_SLIP = re.compile(
    r"\b(?:typos?|misspel\w+|mis-spel\w+|spelling|spelled|grammar|grammatical\w*|duplicated word)\b",
    re.IGNORECASE,
)


def rank(placed_findings: Iterable[PlacedFinding], quota: int, held: Collection[str] = ()) -> tuple[PlacedFinding, ...]:
    """Best first; folded: beyond the quota, a slip of the pen, what only one has found and is minor, `held` (fingerprints)."""
    shown_count, out = 0, []
    for item in sorted(placed_findings, key=lambda placed: _order(placed.finding)):
        finding, slip = item.finding, _slip(item.finding)
        critical = finding.severity == "critical" and not slip
        quiet = slip or _is_minor(finding) or finding.fingerprint in held
        shown = critical or (not quiet and shown_count < quota)
        shown_count += shown and not critical
        out.append(item if shown else replace(item, place="folded"))
    return tuple(sorted(out, key=lambda placed: placed.place == "folded"))


def _order(finding: Finding) -> tuple[int, int, bool, bool, bool, str, int]:
    """By severity, then by evidence. Of equal ones those of a check come by path and line, those of a model as it named them."""
    place = (finding.path, finding.start) if finding.rule else ("", 0)
    is_alone = finding.reports < TWICE
    is_here = all(item.path == finding.path for item in finding.evidence)
    return severity_rank(finding.severity), finding.verdict.rank, is_alone, is_here, not finding.rule, *place


def _slip(finding: Finding) -> bool:
    """Whether it is about a mere slip of the pen in what people alone read: a comment, or a document."""
    lines = [line for line in finding.quote.split("\n") if line.strip()]
    for_people = is_prose(finding.path) or all(is_comment(line, finding.path) for line in lines)
    return for_people and bool(_SLIP.search(finding.title))


def _is_minor(finding: Finding) -> bool:
    """A rule's suspicion that nothing has turned into a fact; a low one that was found once; what no reader of the change has reported."""
    if finding.rule and finding.verdict.open:
        return True
    if finding.severity == "low":
        return finding.reports < TWICE
    return not finding.reports and finding.verdict not in (Verdict.PROVEN, Verdict.REPRODUCED)
