"""What may be reported: findings that code has proven or a second call has confirmed. The rest is counted and listed on demand.

A finding on which the second call gave no verdict is said too, marked as unconfirmed: it must not vanish without a word.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Literal, get_args

from bot.findings import rules
from bot.findings.memory import Recollection, outlasting, recall
from bot.findings.merge import identify, merge, same
from bot.findings.suppress import IgnoreList
from bot.findings.verify import Ask, Precedents, Verification, verify
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
    contested_findings: tuple[Finding, ...] = ()  # of the refuted ones, those whose ground running can decide


Outcome = Literal["due", "reported", "unproven", "refuted", "still", "fixed", "unmentioned"]


@dataclass(frozen=True, slots=True)
class Fate:
    """What becomes of one finding: `due` is a second opinion that nobody has given yet."""

    finding: Finding
    outcome: Outcome
    unheard: str | None = None  # why no second opinion came on a finding that is reported nevertheless
    is_earlier: bool = False  # of an earlier round

    @property
    def to_verify(self) -> Finding:
        """The finding as the second opinion is asked about it: what was reported before is open again."""
        return replace(self.finding, verdict=Verdict.UNPROVEN) if self.is_earlier else self.finding


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
    quiet_marks = frozenset(one.identity for one, _ in dismissed if ignore_list.is_silent(one))
    rejected_marks = frozenset(one.identity for one, _ in dismissed) - quiet_marks  # which stay reported themselves
    merged_findings = tuple(one for one in _merge(findings, dismissed) if one.identity not in quiet_marks)
    remember = partial(
        recall, tree=tree, files=files, reread=reread, before=before, silence=silence, is_other=_other(dismissed)
    )
    recollection = await _recollect(merged_findings, earlier, quiet_marks, rejected_marks, remember)
    recollection, suppressed_findings = _suppress(recollection, ignore_list, dismissed, earlier)
    recollection, silenced_leaks = _with_leaks(recollection, ignore_list, leaks, suppressed_findings)
    suppressed_findings = (*suppressed_findings, *silenced_leaks)
    if ask is None:
        return _fold(_settle(recollection), suppressed_findings)
    fates = _sort(recollection, least)
    precedents = partial(_precedents, ignore_list=ignore_list, dismissals=dismissed, units=units)
    due = [fate.to_verify for fate in fates if fate.outcome == "due"]
    verification = await verify(due, tree, dependents, ask, files, pull, precedents)
    by_words = _within_limit(verification.silenced_findings)
    judgement = _fold(_decide(fates, verification, by_words), (*suppressed_findings, *by_words))
    contested_findings = tuple(f for f in judgement.refuted_findings if f.identity in verification.contested_marks)
    return replace(judgement, contested_findings=contested_findings)


def overrule(judgement: JudgedFindings, findings: Collection[Finding]) -> JudgedFindings:
    """The judgement after a test has shown some of the contested findings: what is reproduced is not refuted."""
    marks = frozenset(one.identity for one in findings)
    if not marks:
        return judgement
    return replace(
        judgement,
        reportable_findings=(*judgement.reportable_findings, *findings),
        dropped_count=judgement.dropped_count - len(marks),
        refuted_findings=tuple(one for one in judgement.refuted_findings if one.identity not in marks),
    )


def _merge(findings: Iterable[Finding], dismissals: Sequence[Dismissal]) -> tuple[Finding, ...]:
    """Each defect once. Beside a claim that somebody has dismissed only those are one that tell the same: else one would silence the other."""
    if not dismissals:
        return merge(findings)
    from bot.findings import dismissal  # loaded only where somebody has dismissed something

    rows = [identify(finding) for finding in findings]
    proven = [one for one in rows if one.proven]
    beside = [
        one for one in rows if dismissal.is_beside(one, dismissals) and not any(same(one, each) for each in proven)
    ]
    others = [one for one in rows if one not in beside]
    return (*merge(others), *dismissal.merge_by_story(beside, dismissals))


def _other(dismissals: Sequence[Dismissal]) -> Callable[[Finding, Finding], bool]:
    """What tells whether a finding at an earlier one's place is a dismissed claim instead."""
    if not dismissals:
        return lambda _finding, _past: False
    from bot.findings import dismissal

    return partial(dismissal.tells_dismissed, dismissals=dismissals)


async def _recollect(
    findings: tuple[Finding, ...],
    earlier: Earlier | None,
    quiet_marks: frozenset[str],
    rejected_marks: frozenset[str],
    remember: Callable[[Earlier, Sequence[Finding]], Awaitable[Recollection]],
) -> Recollection:
    """What the round before has reported, beside this round's findings.

    Nothing new is taken for what somebody has dismissed because its line is like it: that is decided by what it claims.
    """
    if earlier is None:
        return Recollection(findings, (), (), ())
    quiet_past, past = _parted(earlier, quiet_marks)
    rejected_past, past = _parted(past, rejected_marks)
    fingerprints = {one.fingerprint for one in rejected_past.findings}
    same = [
        one for one in findings if one.identity in rejected_marks or (one.proven and one.fingerprint in fingerprints)
    ]
    now = await remember(past, [one for one in findings if one not in same])
    if same or rejected_past.findings:
        now = _add(now, _in_own_words(await remember(rejected_past, same), rejected_past.findings))
    return _join(now, await remember(quiet_past, ()))


def _in_own_words(recollection: Recollection, rejected_findings: Sequence[Finding]) -> Recollection:
    """What somebody has rejected and is still open, in the words that were rejected: in a reader's new ones it would be said again."""
    before = {one.identity: one for one in rejected_findings}

    def own(now: Finding) -> Finding:
        past = before.get(now.identity)
        if past is None or now.proven:
            return now
        return replace(now, title=past.title, why=past.why, consequence=past.consequence, trigger=past.trigger)

    return replace(recollection, still=tuple(map(own, recollection.still)))


def _add(one: Recollection, other: Recollection) -> Recollection:
    return Recollection(
        (*one.new, *other.new),
        (*one.still, *other.still),
        (*one.doubtful, *other.doubtful),
        (*one.fixed_findings, *other.fixed_findings),
    )


def _suppress(
    recollection: Recollection, ignore_list: IgnoreList, dismissals: Sequence[Dismissal], earlier: Earlier | None
) -> tuple[Recollection, tuple[SuppressedFinding, ...]]:
    """What is left after the owner's words, and what they silence. What nobody was told of is not told to be fixed."""
    new, silenced_findings = ignore_list.split(recollection.new)
    still, silenced_too = ignore_list.split(recollection.still)
    doubtful, silenced_as_well = ignore_list.split(recollection.doubtful)
    new, repeats = _without_repeats(new, dismissals)
    silenced_marks = earlier.silenced_marks if earlier is not None else ()
    fixed_findings = tuple(f for f in recollection.fixed_findings if f.identity not in silenced_marks)
    rest = Recollection(new, still, doubtful, fixed_findings)
    return rest, (*silenced_findings, *silenced_too, *silenced_as_well, *repeats)


def _with_leaks(
    recollection: Recollection,
    ignore_list: IgnoreList,
    leaks: Sequence[Finding],
    suppressed_findings: Sequence[SuppressedFinding],
) -> tuple[Recollection, tuple[SuppressedFinding, ...]]:
    """With the leaks that nobody silences where they are, whatever is silenced elsewhere; and the other ones, each secret once."""
    told, silenced_leaks = ignore_list.split(leaks)
    known = {proof for row in suppressed_findings for proof in row.finding.proofs}
    revoked = {proof for row in (*suppressed_findings, *silenced_leaks) if row.is_word for proof in row.finding.proofs}
    left = tuple(one for one in told if not (one.proofs and one.proofs <= revoked))
    return outlasting(recollection, left), tuple(row for row in silenced_leaks if not row.finding.proofs <= known)


def _settle(recollection: Recollection) -> Sequence[Fate]:
    """The fates if nobody gives a second opinion."""
    return [
        *(Fate(f, "reported" if f.verdict.stands else "refuted") for f in recollection.new),
        *(Fate(f, "still") for f in (*recollection.still, *recollection.doubtful)),
        *(Fate(f, "fixed") for f in recollection.fixed_findings),
    ]


def _sort(recollection: Recollection, least: Severity) -> Sequence[Fate]:
    """The fates before the second opinions: it is due for what is open, severe enough, and may be shown to a model.

    What is below the bar is unconfirmed. What was kept back in an earlier round and reaches the bar now is raised: asked for the first time.
    """
    visible = [f for f in recollection.new if not f.verdict.open or at_least(f.severity, least)]
    below = [f for f in recollection.new if f.verdict.open and not at_least(f.severity, least)]
    raised_findings = [f for f in recollection.still if at_least(f.severity, least) and f.verdict.open and not f.number]
    without_opinion = [
        f for f in recollection.doubtful if not at_least(f.severity, least) or (f.is_masked and f.verdict.open)
    ]
    again = (*(f for f in recollection.doubtful if f not in without_opinion), *raised_findings)
    return [
        *(Fate(f, "still") for f in recollection.still if f not in raised_findings),
        *(Fate(f, "still") for f in without_opinion),
        *(Fate(f, "fixed") for f in recollection.fixed_findings),
        *(Fate(f, "due") for f in visible if not (f.is_masked and f.verdict.open)),
        *(Fate(f, "due", is_earlier=True) for f in again),
        *(Fate(f, "reported") for f in visible if f.is_masked and f.verdict.open),
        *(Fate(replace(f, unconfirmed=True), "reported") for f in below),
    ]


def _decide(fates: Sequence[Fate], verification: Verification, by_words: Sequence[SuppressedFinding]) -> Iterator[Fate]:
    """The fates after the second opinions, without what people's words have answered."""
    marks = {(one.finding.fingerprint, one.finding.start) for one in by_words}
    verdicts = iter(verification.findings)
    for fate in fates:
        if fate.outcome != "due":
            yield fate
            continue
        now = next(verdicts)
        if (fate.finding.fingerprint, fate.finding.start) not in marks:
            yield _judge_again(fate.finding, now) if fate.is_earlier else _judge_new(now, verification.unheard)


def _judge_new(now: Finding, unheard: Mapping[str, str]) -> Fate:
    if now.is_shown:
        return Fate(now, "reported", unheard[now.fingerprint] if now.unconfirmed else None)
    return Fate(now, "unproven" if now.verdict.open else "refuted")


def _judge_again(before: Finding, now: Finding) -> Fate:
    """The fate of a finding of an earlier round. One that nobody has seen yet, and that is unproven still, is not mentioned."""
    if not now.verdict.stands:
        return Fate(replace(before, status="fixed"), "fixed")
    updated = _update(before, now)
    return Fate(updated, "still" if updated.number or updated.is_shown else "unmentioned")


def _fold(fates: Iterable[Fate], suppressed_findings: tuple[SuppressedFinding, ...]) -> JudgedFindings:
    """The fates as lists, each in the order of the fates."""
    lists: dict[Outcome, list[Finding]] = {outcome: [] for outcome in get_args(Outcome)}
    fates = list(fates)
    for fate in fates:
        lists[fate.outcome].append(fate.finding)
    reasons = Counter(fate.unheard for fate in fates if fate.unheard is not None)
    return JudgedFindings(
        tuple(lists["reported"]),
        dropped_count=len(lists["unproven"]) + len(lists["refuted"]),
        unproven=tuple(lists["unproven"]),
        still=tuple(lists["still"]),
        fixed_findings=tuple(lists["fixed"]),
        suppressed_findings=suppressed_findings,
        unheard=tuple(fate.finding for fate in fates if fate.unheard is not None),
        refuted_findings=tuple(lists["refuted"]),
        why=tuple(
            f"{count(number, 'finding')} without a second opinion, shown as unconfirmed: {reason}"
            for reason, number in reasons.items()
        ),
    )


def one_defect(dismissals: Sequence[Dismissal]) -> Callable[[Finding, Finding], bool] | None:
    """What takes two findings of one review for one where people have dismissed claims; None where they have not."""
    if not dismissals:
        return None
    from bot.findings import dismissal

    return partial(dismissal.is_one_defect, dismissals=dismissals)


def dismissed_claims(ignore_list: IgnoreList, earlier: Earlier | None) -> tuple[Dismissal, ...]:
    """What models have reported of this change and people have dismissed, each once, with the reason."""
    all_findings = earlier.findings if earlier is not None else ()
    distinct = {finding.identity: finding for finding in all_findings if not finding.proven}
    rows = ((finding, ignore_list.reason_of(finding)) for finding in distinct.values())
    return tuple((finding, reason) for finding, reason in rows if reason is not None)


def _precedents(
    finding: Finding, *, ignore_list: IgnoreList, dismissals: Sequence[Dismissal], units: Sequence[Unit]
) -> Precedents:
    """What people have said that may answer a finding. What was reported and is open again is no repeat of something else."""
    old_path = ignore_list.old_paths.get(finding.path)
    in_scope = tuple(one for one in ignore_list.learnings if rules.reaches(one, finding, units, old_path))[
        :MOST_LEARNINGS
    ]
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


def _update(before: Finding, now: Finding) -> Finding:
    """A finding of an earlier round with what the second call says of it now."""
    verdict = now.verdict if now.verdict.is_shown else before.verdict
    return replace(before, verdict=verdict, unconfirmed=before.unconfirmed and now.unconfirmed)


def say_again(judgement: JudgedFindings, unsaid_numbers: Collection[int], *, is_full: bool) -> JudgedFindings:
    """With what is still open among what is reported: all of it if everything was asked for (`is_full`), else what could not be posted before."""
    still = [replace(one, status="new") if one.number in unsaid_numbers else one for one in judgement.still]
    again = [one for one in still if is_full or one.number in unsaid_numbers]
    return replace(
        judgement,
        reportable_findings=(*judgement.reportable_findings, *again),
        still=tuple(one for one in still if one not in again),
    )


def keep_back(judgement: JudgedFindings, least: Severity) -> tuple[JudgedFindings, tuple[Finding, ...]]:
    """The findings of at least this severity, and the open ones below it.

    A finding without a number was never shown: once it is severe enough it is a new one, and nobody is told that it is fixed.
    """
    unseen = tuple(replace(finding, status="new") for finding in judgement.still if not finding.number)
    reportable, still = (
        (*judgement.reportable_findings, *unseen),
        tuple(finding for finding in judgement.still if finding.number),
    )
    kept_judgement = replace(
        judgement,
        reportable_findings=tuple(finding for finding in reportable if at_least(finding.severity, least)),
        still=tuple(finding for finding in still if at_least(finding.severity, least)),
        fixed_findings=tuple(finding for finding in judgement.fixed_findings if finding.number),
    )
    return kept_judgement, tuple(finding for finding in (*reportable, *still) if not at_least(finding.severity, least))
