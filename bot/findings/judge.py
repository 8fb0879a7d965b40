"""What may be reported: findings that code has proven or a second call has confirmed. The rest is counted and listed on demand.

A finding on which the second call gave no verdict is said too, marked as unconfirmed: it must not vanish without a word.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType

from bot.findings import rules
from bot.findings.memory import Recollection, outlasting, recall, revive
from bot.findings.merge import merge
from bot.findings.suppress import IgnoreList
from bot.findings.verify import Ask, Precedents, verify
from bot.ports import Tree
from bot.render import count
from bot.values import (
    ArchivedFinding,
    ChangedFile,
    Dependents,
    Earlier,
    Finding,
    OwnerRule,
    PullRequest,
    Severity,
    Silence,
    Source,
    SuppressedFinding,
    Unit,
    Verdict,
    at_least,
)

Dismissal = tuple[Finding, str]  # with the reason
MOST_LEARNINGS = 5  # sentences that one second opinion is shown
MOST_ANSWERED = 3  # findings of one review that one sentence silences


@dataclass(frozen=True, slots=True)
class JudgedFindings:
    """The findings that may be reported, and what became of the others."""

    reportable_findings: tuple[Finding, ...]
    dropped_count: int  # reported in this round and neither proven nor confirmed
    unproven: tuple[Finding, ...] = ()  # of these, the ones that nobody refuted
    still: tuple[Finding, ...] = ()  # said in an earlier round and still there
    fixed_findings: tuple[Finding, ...] = ()
    suppressed_findings: tuple[SuppressedFinding, ...] = ()
    unheard: tuple[Finding, ...] = ()  # of those that are said, the ones on which no second opinion came
    why: tuple[str, ...] = ()  # it did not come, as sentences
    refuted_findings: tuple[Finding, ...] = ()  # in this round, by a second opinion or by code
    refuted_marks: frozenset[str] = (
        frozenset()
    )  # identities of what a second opinion has refuted, new or reported before


async def judge(
    findings: Sequence[Finding],
    tree: Tree,
    dependents: Dependents,
    ask: Ask | None,
    *,
    files: Sequence[ChangedFile] = (),
    ignore_list: IgnoreList = IgnoreList(),  # noqa: B008 - frozen
    earlier: Earlier | None = None,
    reread: Collection[tuple[str, int, int]] = (),
    pull: PullRequest | None = None,
    before: Mapping[str, str] = MappingProxyType({}),
    least: Severity = "low",
    leaks: Sequence[Finding] = (),
    archive: Sequence[ArchivedFinding] = (),
    full: bool = False,
    silence: Callable[[Source, Finding], Silence | None] = lambda _source, _finding: "unseen",
    units: Sequence[Unit] = (),
) -> JudgedFindings:
    """Merge, remember, silence, verify. Without `ask` nobody gives a second opinion, and unproven findings are reported as such.

    `least`: less severe findings are kept back afterwards, so nobody pays for an opinion on them: they are unconfirmed, until a
    round in which they would be shown. `archive`: what models reported in earlier rounds; `full`: a person asked to read everything again.
    """
    dismissed = _dismissed(ignore_list, earlier, archive)
    quiet_marks = frozenset(one.identity for one, _ in dismissed if ignore_list.is_silent(one))
    merged_findings = tuple(one for one in merge(findings) if one.identity not in quiet_marks)
    recollection = Recollection(merged_findings, (), (), ())
    if earlier is not None:
        quiet_past, past = _parted(earlier, quiet_marks)
        recollection = await recall(past, merged_findings, tree, files, reread, before, silence)
        # Nothing new is taken for what somebody has dismissed because its line is like it: that is decided by what it claims.
        recollection = _join(recollection, await recall(quiet_past, (), tree, files, reread, before, silence))
    recollection = outlasting(recollection, leaks)
    archive = tuple(row for row in archive if row.finding.identity not in quiet_marks)
    if pull is not None and archive:
        here = (pull.head, pull.base)
        recollection = await revive(recollection, archive, here, tree, files, reread, silence, full=full)
    if earlier is not None:  # what nobody was told of is not told to be fixed
        recollection = replace(
            recollection,
            fixed_findings=tuple(f for f in recollection.fixed_findings if f.identity not in earlier.silenced_marks),
        )
    new, silenced_findings = ignore_list.split(recollection.new)
    still, silenced_too = ignore_list.split(recollection.still)
    doubtful, silenced_as_well = ignore_list.split(recollection.doubtful)
    new, repeats = _without_repeats(new, dismissed)
    suppressed_findings = (*silenced_findings, *silenced_too, *silenced_as_well, *repeats)
    if ask is None:
        reportable_findings = tuple(f for f in new if f.verdict.stands)
        refuted_findings = tuple(f for f in new if not f.verdict.stands)
        return JudgedFindings(
            reportable_findings,
            len(refuted_findings),
            (),
            (*still, *doubtful),
            recollection.fixed_findings,
            suppressed_findings,
            refuted_findings=refuted_findings,
        )
    quiet = tuple(replace(f, unconfirmed=True) for f in new if not at_least(f.severity, least) and f.verdict.open)
    new = tuple(f for f in new if at_least(f.severity, least) or not f.verdict.open)
    unseen = tuple(f for f in new if _is_masked(f))
    new = tuple(f for f in new if not _is_masked(f))
    without_opinion = tuple(f for f in doubtful if not at_least(f.severity, least) or _is_masked(f))
    raised_findings = tuple(
        f for f in still if at_least(f.severity, least) and f.verdict.open and not f.number
    )  # kept back until now
    doubtful = (*(f for f in doubtful if f not in without_opinion), *raised_findings)
    still = (*(f for f in still if f not in raised_findings), *without_opinion)
    open_findings = [*new, *(replace(finding, verdict=Verdict.UNPROVEN) for finding in doubtful)]

    precedents = partial(_precedents, ignore_list=ignore_list, dismissals=dismissed, units=units)
    verification = await verify(open_findings, tree, dependents, ask, files, pull, precedents)
    by_words = _within_limit(verification.silenced_findings)
    suppressed_findings = (*suppressed_findings, *by_words)
    new, doubtful, verdicts = _without_answered(new, doubtful, verification.findings, by_words)
    reportable_findings = tuple(f for f in verdicts[: len(new)] if f.is_shown)
    unproven = tuple(f for f in verdicts[: len(new)] if f.verdict.open and not f.is_shown)
    again = list(zip(doubtful, verdicts[len(new) :], strict=True))
    fixed_findings = tuple(replace(finding, status="fixed") for finding, now in again if not now.verdict.stands)
    judged_again = (_update(finding, now) for finding, now in again if now.verdict.stands)
    open_ones = tuple(f for f in judged_again if f.number or f.is_shown)
    unheard = tuple(finding for finding in reportable_findings if finding.unconfirmed)
    refuted_findings = tuple(f for f in verdicts[: len(new)] if not f.verdict.stands)
    why = Counter(verification.unheard[finding.fingerprint] for finding in unheard)
    return JudgedFindings(
        (*reportable_findings, *unseen, *quiet),
        dropped_count=len(new) - len(reportable_findings),
        unproven=unproven,
        still=(*still, *open_ones),
        fixed_findings=(*recollection.fixed_findings, *fixed_findings),
        suppressed_findings=suppressed_findings,
        unheard=unheard,
        refuted_findings=refuted_findings,
        refuted_marks=frozenset(one.identity for one in (*refuted_findings, *fixed_findings)),
        why=tuple(
            f"{count(number, 'finding')} without a second opinion, shown as unconfirmed: {reason}"
            for reason, number in why.items()
        ),
    )


def _dismissed(
    ignore_list: IgnoreList, earlier: Earlier | None, archive: Sequence[ArchivedFinding]
) -> tuple[Dismissal, ...]:
    """What models have reported of this change and people have dismissed, each once, with the reason."""
    all_findings = (*(earlier.findings if earlier is not None else ()), *(row.finding for row in archive))
    distinct = {finding.identity: finding for finding in all_findings if not finding.proven}
    rows = ((finding, ignore_list.reason_of(finding)) for finding in distinct.values())
    return tuple((finding, reason) for finding, reason in rows if reason is not None)


def _precedents(
    finding: Finding, *, ignore_list: IgnoreList, dismissals: Sequence[Dismissal], units: Sequence[Unit]
) -> Precedents:
    """What people have said that may answer a finding. What was reported and is open again is no repeat of something else."""
    in_scope = tuple(one for one in ignore_list.learnings if rules.reaches(one, finding, units))[:MOST_LEARNINGS]
    if not dismissals or finding.number:
        return Precedents(in_scope)
    from bot.findings import dismissal  # loaded only where somebody has dismissed something

    return Precedents(in_scope, dismissal.near(finding, dismissals, units))


def _join(recollection: Recollection, quiet: Recollection) -> Recollection:
    """With what has become of the findings that people have silenced: they stay silent, whatever is doubtful about them."""
    return replace(
        recollection,
        still=(*recollection.still, *quiet.still, *quiet.doubtful),
        fixed_findings=(*recollection.fixed_findings, *quiet.fixed_findings),
    )


def _without_answered(
    new: Sequence[Finding],
    doubtful: Sequence[Finding],
    verdicts: Sequence[Finding],
    by_words: Sequence[SuppressedFinding],
) -> tuple[tuple[Finding, ...], tuple[Finding, ...], tuple[Finding, ...]]:
    """The new findings, the doubtful ones and the verdicts on both, without what people's words have answered."""
    marks = {(one.finding.fingerprint, one.finding.start) for one in by_words}
    is_left = [(finding.fingerprint, finding.start) not in marks for finding in (*new, *doubtful)]
    return (
        tuple(finding for finding, left in zip(new, is_left[: len(new)], strict=True) if left),
        tuple(finding for finding, left in zip(doubtful, is_left[len(new) :], strict=True) if left),
        tuple(finding for finding, left in zip(verdicts, is_left, strict=True) if left),
    )


def _parted(earlier: Earlier, quiet_marks: frozenset[str]) -> tuple[Earlier, Earlier]:
    """The round before with what people have silenced alone, and without it."""
    quiet = tuple(one for one in earlier.findings if one.identity in quiet_marks)
    others = tuple(one for one in earlier.findings if one.identity not in quiet_marks)
    return replace(earlier, findings=quiet), replace(earlier, findings=others)


def _within_limit(silenced_findings: Sequence[SuppressedFinding]) -> tuple[SuppressedFinding, ...]:
    """What is silenced, without what one sentence answers beyond a few findings: it is too broad, and they are reported."""
    counts: Counter[OwnerRule | None] = Counter()
    left = list[SuppressedFinding]()
    for one in silenced_findings:
        counts[one.rule] += 1
        if one.rule is None or counts[one.rule] <= MOST_ANSWERED:
            left.append(one)
    return tuple(left)


def _without_repeats(
    findings: Sequence[Finding], dismissals: Sequence[Dismissal]
) -> tuple[tuple[Finding, ...], tuple[SuppressedFinding, ...]]:
    """The findings without those that make a dismissed claim again, as far as code can tell, and these."""
    if not dismissals:
        return tuple(findings), ()
    from bot.findings import dismissal

    rows = [(finding, dismissal.find_repeated(finding, dismissals)) for finding in findings]
    left = tuple(finding for finding, before in rows if before is None)
    return left, tuple(
        SuppressedFinding(finding, before[1], "repeat") for finding, before in rows if before is not None
    )


def _is_masked(finding: Finding) -> bool:
    """Whether a model would judge a secret that it is not shown, by the words that its author wrote beside it."""
    return finding.category == "secret" and finding.verdict.open and any(s.kind != "model" for s in finding.sources)


def _update(before: Finding, now: Finding) -> Finding:
    """A finding of an earlier round with what the second call says of it now."""
    verdict = now.verdict if now.verdict.is_shown else before.verdict
    return replace(before, verdict=verdict, unconfirmed=before.unconfirmed and now.unconfirmed)
