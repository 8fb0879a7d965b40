"""What is shown in full: findings ordered by evidence, then severity; a quota; the rest collapsed, never dropped.

Every number of the ranking is here, except the points of a verdict, which it has itself; docs/using.md says why. A model's own confidence is not among them: it does not
predict truth.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import replace

from bot.text.lines import is_comment
from bot.text.paths import is_prose
from bot.values import Finding, PlacedFinding, Verdict, severity_rank

ELSEWHERE = 1  # a verified quote in a further file
AGREEMENT = 1  # a second, independent source says the same
_SLIP = re.compile(
    r"\b(?:typos?|misspel\w+|mis-spel\w+|spelling|spelled|grammar|grammatical\w*|duplicated word)\b",
    re.IGNORECASE,
)
# A critical finding stands above every other, and a low one takes the room that the others leave.
SEVERITY = {"critical": 13, "high": 2, "medium": 0, "low": -10}


def score(finding: Finding) -> int:
    """How strongly the evidence speaks, and how much is at stake."""
    points = finding.verdict.points + ELSEWHERE * any(item.path != finding.path for item in finding.evidence)
    points += AGREEMENT if len({(source.kind, source.name, source.role) for source in finding.sources}) > 1 else 0
    return points + SEVERITY[finding.severity]


def rank(
    placed_findings: Iterable[PlacedFinding], quota: int, held_marks: Collection[str] = ()
) -> tuple[PlacedFinding, ...]:
    """Best first. Of equal ones those of a check come by path and line, those of a model as it named them: it begins with what matters. Beyond the quota, a slip of the pen, a trifle or `held_marks` (fingerprints), collapsed. Critical findings are exempt from the quota."""
    sorted_findings = sorted(placed_findings, key=lambda p: _order(p.finding))
    aloud_count, out = 0, []
    for item in sorted_findings:
        slip = _slip(item.finding)
        critical = item.finding.severity == "critical" and not slip
        quiet = slip or _trifle(item.finding) or item.finding.fingerprint in held_marks
        aloud = critical or (not quiet and aloud_count < quota)
        aloud_count += aloud and not critical
        out.append(item if aloud else replace(item, place="folded"))
    return tuple(sorted(out, key=lambda p: p.place == "folded"))


def _order(finding: Finding) -> tuple[int, int, bool, str, int]:
    place = (finding.path, finding.start) if finding.rule else ("", 0)
    return -score(finding), severity_rank(finding.severity), not finding.rule, *place


def _slip(finding: Finding) -> bool:
    """Whether it is about a mere slip of the pen in what people alone read: a comment, or a document."""
    lines = [line for line in finding.quote.split("\n") if line.strip()]
    for_people = is_prose(finding.path) or all(is_comment(line, finding.path) for line in lines)
    return for_people and bool(_SLIP.search(finding.title))


def _trifle(finding: Finding) -> bool:
    """Of low severity, unless a second call says that its author would change the code; or a rule's suspicion that nothing has turned into a fact."""
    if finding.severity == "low":
        return finding.verdict is not Verdict.CONFIRMED
    return bool(finding.rule) and finding.verdict.open
