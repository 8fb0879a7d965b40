"""What may be reported: findings that code has proven or a second call has confirmed. The rest is counted and listed on demand.

A finding on which the second call gave no verdict is said too, marked as unconfirmed: it must not vanish without a word.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType

from bot.findings import rules
from bot.findings.merge import merge, unite
from bot.findings.rounds import Recollection, outlasting, recall
from bot.findings.suppress import IgnoreList, silenced
from bot.findings.verify import Ask, Precedents, verify
from bot.ports import Tree
from bot.render import count
from bot.values import (
    ChangedFile,
    Dependents,
    Earlier,
    Finding,
    OwnerRule,
    PullRequest,
    Severity,
    Silence,
    Source,
    Status,
    Unit,
    Verdict,
    at_least,
)

Dismissal = tuple[Finding, str]  # with the reason
MOST_LEARNINGS = 5  # sentences that one second opinion is shown
MOST_DISMISSED = 3  # dismissed claims of its file that one second opinion is shown
MOST_ANSWERED = 3  # findings of one review that one sentence silences


@dataclass(frozen=True, slots=True)
class JudgedFindings:
    """Every finding with what has become of it, those that may be said and those that may not."""

    findings: tuple[Finding, ...]
    unheard: tuple[Finding, ...] = ()  # of the new ones, those on which no second opinion came
    why: tuple[str, ...] = ()  # it did not come, as sentences

    def having(self, *statuses: Status) -> tuple[Finding, ...]:
        """The findings of these statuses."""
        return tuple(one for one in self.findings if one.status in statuses)

    @property
    def unproven(self) -> tuple[Finding, ...]:
        """What nobody has confirmed or refuted."""
        return tuple(one for one in self.having("refuted") if one.verdict.open)


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
    silence: Callable[[Source, Finding], Silence | None] = lambda _source, _finding: "unseen",
    units: Sequence[Unit] = (),
) -> JudgedFindings:
    """Merge, remember, silence, verify. Without `ask` nobody gives a second opinion, and unproven findings are reported as such.

    `least`: less severe findings are kept back afterwards, so nobody pays for an opinion on them: they are unconfirmed, until a
    round in which they would be shown.
    """
    dismissed = dismissed_claims(ignore_list, earlier)
    merged_findings = merge(findings)
    recollection = Recollection(merged_findings)
    if earlier is not None:
        recollection = await recall(earlier, merged_findings, tree, files, reread, before, silence)
    recollection, suppressed_findings = _suppress(recollection, ignore_list, earlier, leaks)
    if ask is None:
        return JudgedFindings((*_settle(recollection), *suppressed_findings))
    settled, due = _sort(recollection, least)
    precedents = partial(_precedents, ignore_list=ignore_list, dismissals=dismissed, units=units)
    asked = [each if each.status == "new" else replace(each, verdict=Verdict.UNPROVEN) for each in due]
    opinions = await verify(asked, tree, dependents, ask, files, pull, precedents)
    said = dict[bool, list[Finding]]({True: [], False: []})  # of new findings, and of earlier ones
    same = dict[str, str]()  # new finding -> another one that tells the same, by their fingerprints
    unheard, by_words = list[Finding](), list[Finding]()
    reasons, answers = Counter[str](), Counter[OwnerRule | None]()
    for one, opinion in zip(due, opinions, strict=True):
        now, silencing, is_new = opinion.finding, opinion.silencing, one.status == "new"
        if silencing is not None:
            answers[silencing.rule] += 1
            if silencing.rule is None or answers[silencing.rule] <= MOST_ANSWERED:  # more: the sentence is too broad
                by_words.append(silenced(one, silencing))
                continue
        if is_new and now.is_shown and now.unconfirmed:
            unheard.append(now)
            reasons[opinion.unheard] += 1
        same |= {one.fingerprint: opinion.same_as} if is_new and now.is_shown and opinion.same_as else {}
        told = (now if now.is_shown else replace(now, status="refuted")) if is_new else _judge_again(one, now)
        said[is_new] += [told] if told is not None else []
    return JudgedFindings(
        (*_united(said[True], same), *settled, *said[False], *suppressed_findings, *by_words),
        tuple(unheard),
        tuple(
            f"{count(number, 'finding')} without a second opinion, shown as unconfirmed: {reason}"
            for reason, number in reasons.items()
        ),
    )


def _united(told: Sequence[Finding], same: Mapping[str, str]) -> list[Finding]:
    """The findings, each that tells the same as another one in its place."""
    shown = {one.fingerprint: one for one in told if one.status == "new"}
    for mark, other in same.items():
        if mark != other and mark in shown and other in shown:
            shown[other] = unite(shown[other], shown.pop(mark))
    return [shown.get(one.fingerprint, one) for one in told if one.status != "new" or one.fingerprint in shown]


def _suppress(
    recollection: Recollection, ignore_list: IgnoreList, earlier: Earlier | None, leaks: Sequence[Finding]
) -> tuple[Recollection, tuple[Finding, ...]]:
    """What is left after the owner's words, and what they silence. What nobody was told of is not told to be fixed.

    With the leaks that nobody silences where they are, whatever is silenced elsewhere, each secret once.
    """
    groups = recollection.new, recollection.still, recollection.doubtful, leaks
    (new, quiet), (still, quiet_too), (doubtful, quiet_as_well), (told, quiet_leaks) = map(ignore_list.split, groups)
    silenced_findings = (*quiet, *quiet_too, *quiet_as_well)
    silenced_marks = earlier.silenced_marks if earlier is not None else ()
    fixed_findings = tuple(one for one in recollection.fixed_findings if one.identity not in silenced_marks)
    known = {proof for one in silenced_findings for proof in one.proofs}
    revoked = {proof for one in (*silenced_findings, *quiet_leaks) if one.is_revoked for proof in one.proofs}
    left = [one for one in told if not (one.proofs and one.proofs <= revoked)]
    rest = outlasting(Recollection(new, still, doubtful, fixed_findings), left)
    return rest, (*silenced_findings, *(one for one in quiet_leaks if not one.proofs <= known))


def _settle(recollection: Recollection) -> list[Finding]:
    """The findings if nobody gives a second opinion."""
    new = (one if one.verdict.stands else replace(one, status="refuted") for one in recollection.new)
    return [*new, *recollection.still, *recollection.doubtful, *recollection.fixed_findings]


def _sort(recollection: Recollection, least: Severity) -> tuple[list[Finding], list[Finding]]:
    """What is settled; and the new and the earlier findings about which a second opinion is due: open, severe enough, and shown to models.

    What is below the bar is unconfirmed. What was kept back in an earlier round and reaches the bar now is asked about for the first time.
    """
    settled, due = list[Finding](), list[Finding]()
    for one in recollection.new:
        if one.verdict.open and not at_least(one.severity, least):
            settled.append(replace(one, unconfirmed=True))
        else:
            (settled if one.is_masked and one.verdict.open else due).append(one)
    for one in recollection.doubtful:
        is_due = at_least(one.severity, least) and not (one.is_masked and one.verdict.open)
        (due if is_due else settled).append(one)
    for one in recollection.still:
        is_raised = at_least(one.severity, least) and one.verdict.open and not one.number
        (due if is_raised else settled).append(one)
    return [*settled, *recollection.fixed_findings], due


def _judge_again(before: Finding, now: Finding) -> Finding | None:
    """What has become of a finding of an earlier round. One that nobody has seen yet, and that is unproven still, is not mentioned."""
    if not now.verdict.stands:
        return replace(before, status="fixed", how="")
    verdict = now.verdict if now.verdict.is_shown else before.verdict
    updated = replace(before, verdict=verdict, unconfirmed=before.unconfirmed and now.unconfirmed)
    return updated if updated.number or updated.is_shown else None


def dismissed_claims(ignore_list: IgnoreList, earlier: Earlier | None) -> tuple[Dismissal, ...]:
    """What models have reported of this change and people have dismissed, each once, with the reason."""
    all_findings = earlier.findings if earlier is not None else ()
    distinct = {finding.identity: finding for finding in all_findings if not finding.proven}
    rows = ((finding, ignore_list.reason_of(finding)) for finding in distinct.values())
    return tuple((finding, reason) for finding, reason in rows if reason is not None)


def _precedents(
    finding: Finding, *, ignore_list: IgnoreList, dismissals: Sequence[Dismissal], units: Sequence[Unit]
) -> Precedents:
    """What people have said that may answer a finding, by its id. What was reported and is open again is no repeat of something else."""
    in_scope = [one for one in ignore_list.learnings if rules.reaches(one, finding, units)]
    here = [row for row in dismissals if row[0].path == finding.path]
    if finding.number or finding.proven or finding.is_masked:
        here = []
    nearest = sorted(here, key=lambda row: abs(row[0].start - finding.start))
    sentences = {f"S{at}": one for at, one in enumerate(in_scope[:MOST_LEARNINGS], 1)}
    return {**sentences, **{f"D{at}": row for at, row in enumerate(nearest[:MOST_DISMISSED], 1)}}


def at_end(judgement: JudgedFindings, least: Severity, unsaid_numbers: Collection[int]) -> JudgedFindings:
    """The findings as the review says them: what is less severe is below; what could not be posted before is new, as is what was never shown.

    A finding without a number was never shown: nobody is told that it is fixed.
    """
    rows = []
    for one in judgement.findings:
        if one.status == "fixed" and not one.number:
            continue
        if one.status in ("new", "still") and not at_least(one.severity, least):
            rows.append(replace(one, status="below"))
        elif one.status == "still" and (not one.number or one.number in unsaid_numbers):
            rows.append(replace(one, status="new", how=""))
        else:
            rows.append(one)
    return replace(judgement, findings=tuple(rows))
