"""What people have dismissed stays dismissed: a later finding that makes the same claim in other words is recognised by its mechanism.

Code recognises one whose every quoted line was quoted before and whose words tell the same story. What is only near is a question to the second
opinion, which sees the dismissed claims of that place. Another finding in the same file is neither.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from bot.findings import quotes
from bot.findings.cause import alike
from bot.findings.merge import merge, name_story, same
from bot.values import Finding, Unit

MOST = 3  # dismissed claims that one second opinion is shown
NEAR = 40  # lines between two findings of one place outside of any definition
SAME = 0.75  # of the telling words of the shorter of two claims, for code to take one for the other
LEAST_CHARS = 4  # letters and digits of a line that says where something is
_NAME = re.compile(r"[A-Za-z_$][\w$]{2,60}+(?=\()|`([A-Za-z_$][\w$.]{2,60}+)")
Dismissal = tuple[Finding, str]  # with the reason


def quoted_lines(finding: Finding) -> frozenset[str]:
    """The lines that a finding quotes as code or as evidence, without what is a matter of taste."""
    texts = (finding.quote, *(item.quote for item in finding.evidence))
    rows = (quotes.fold(row) for text in texts for row in quotes.rows_of(text))
    return frozenset(row for row in rows if sum(char.isalnum() for char in row) >= LEAST_CHARS)


def find_repeated(finding: Finding, dismissals: Sequence[Dismissal]) -> Dismissal | None:
    """The dismissed claim that a model's finding makes again, as far as code can tell; a new line of evidence makes it another."""
    lines = quoted_lines(finding)
    return next(
        (
            (before, reason)
            for before, reason in dismissals
            if before.path == finding.path
            and not (finding.proven or finding.is_masked)
            and lines
            and lines <= quoted_lines(before)
            and alike(_words(before), _words(finding), SAME)
            and _names(finding) <= _names(before) | _code(before)
        ),
        None,
    )


def is_one_story(finding: Finding, before: Finding) -> bool:
    """Whether two findings of one line tell the same: their titles almost do, or title and reason together. Half of a title is soon shared."""
    return alike(finding.title, before.title, SAME) or alike(_words(finding), _words(before))


def is_beside(finding: Finding, dismissals: Sequence[Dismissal]) -> bool:
    """Whether a model's finding quotes a line that a dismissed claim has quoted: what it claims decides which of several it is, not the line."""
    if finding.proven or finding.is_masked:
        return False
    lines = quoted_lines(finding)
    return any(before.path == finding.path and lines & quoted_lines(before) for before, _ in dismissals)


def is_one_defect(finding: Finding, other: Finding, dismissals: Sequence[Dismissal]) -> bool:
    """Whether two findings are one defect; beside a dismissed claim only if they tell one story."""
    if not same(finding, other):
        return False
    if finding.proven or other.proven or is_one_story(finding, other):
        return True
    return not (is_beside(finding, dismissals) or is_beside(other, dismissals))


def merge_by_story(findings: Iterable[Finding], dismissals: Sequence[Dismissal]) -> list[Finding]:
    """Findings beside dismissed claims, each story once and under a name of its own. A line and a category do not make two of them one."""
    distinct_findings: list[Finding] = []
    for finding in findings:
        alone = enumerate(distinct_findings)
        at = next((at for at, other in alone if is_one_defect(finding, other, dismissals)), None)
        if at is None:
            distinct_findings.append(finding)
        else:
            distinct_findings[at] = merge((distinct_findings[at], finding))[0]
    dismissed_findings = {before.identity: before for before, _ in dismissals}
    counts = Counter(one.fingerprint for one in distinct_findings)

    def name(finding: Finding) -> Finding:
        before = dismissed_findings.get(finding.identity)
        is_dismissed = before is not None and is_one_story(finding, before)
        is_unique = before is None and counts[finding.fingerprint] == 1
        return finding if is_dismissed or is_unique else name_story(finding)

    return list({one.identity: one for one in map(name, distinct_findings)}.values())


def tells_dismissed(finding: Finding, past: Finding, dismissals: Sequence[Dismissal]) -> bool:
    """Whether a finding tells what was dismissed beside an earlier finding, rather than the earlier finding itself."""
    if finding.proven or finding.is_masked:
        return False
    lines, own = quoted_lines(finding), _common(finding, past)
    others = (before for before, _ in dismissals if before.path == finding.path and before.identity != past.identity)
    return any(lines & quoted_lines(before) and _common(finding, before) >= own for before in others)


def _common(one: Finding, other: Finding) -> float:
    """The part of its telling words that a claim shares with another one."""
    words, others = (set(re.findall(r"\w{4,}", _words(each).lower())) for each in (one, other))
    return len(words & others) / max(1, min(len(words), len(others)))


def near(finding: Finding, dismissals: Sequence[Dismissal], units: Iterable[Unit]) -> tuple[Dismissal, ...]:
    """The dismissed claims of the finding's place, the nearest first: of one line or definition, or about the same called function."""
    if finding.proven or finding.is_masked:
        return ()
    spans = [(unit.start, unit.end) for unit in units if unit.path == finding.path and unit.side == finding.side]
    lines, names = quoted_lines(finding), _names(finding)

    def rank(before: Finding) -> int | None:
        """How near one is; None if it is not."""
        if before.path != finding.path:
            return None
        if lines & quoted_lines(before):
            return 0
        if any(start <= before.start <= end and start <= finding.start <= end for start, end in spans):
            return 1
        if names & _names(before):
            return 2
        return 3 if abs(before.start - finding.start) <= NEAR else None

    ranked = [(place, at) for at, (before, _) in enumerate(dismissals) if (place := rank(before)) is not None]
    return tuple(dismissals[at] for _, at in sorted(ranked)[:MOST])


def _words(finding: Finding) -> str:
    return f"{finding.title} {finding.why}"


def _names(finding: Finding) -> frozenset[str]:
    """The functions and names of code that a claim speaks of."""
    text = f"{finding.title} {finding.why} {finding.trigger}"
    return frozenset((match[1] or match[0]).rpartition(".")[2] for match in _NAME.finditer(text))


def _code(finding: Finding) -> frozenset[str]:
    """The words of the lines that a claim quotes."""
    return frozenset(re.findall(r"\w+", " ".join(quoted_lines(finding))))
