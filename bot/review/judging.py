"""Decide which findings of a review are reported.

A finding is reported if static analysis proved it, a confirmation (another model call) found it true, or a root
or several passes reported it. A confirmation is only requested where it can change what people see. Dismissed
findings are counted and can be listed. A finding without a verdict is reported as unconfirmed, so that it
doesn't vanish silently.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from bot.findings import placing, silencing
from bot.findings.merge import merge
from bot.findings.rounds import leaks_without_finding, make_fingerprints_unique, recall, update_doubtful
from bot.render import count
from bot.review.session import Session
from bot.review.survey import Survey
from bot.values import (
    Absence,
    EarlierReview,
    Finding,
    OwnerRule,
    Severity,
    Source,
    Status,
    Verdict,
    at_least,
    severity_rank,
)
from bot.values.finding import AGREED

if TYPE_CHECKING:
    from bot.findings.confirm import Ask, Confirmation, Precedents

DismissedClaim = tuple[Finding, str]  # a dismissed finding and the reason
MOST_LEARNINGS = 5  # learnings shown to one confirmation
MOST_DISMISSED = 3  # dismissed claims about the same file shown to one confirmation
SPARE = 4  # claims confirmed in addition to the places in full, since some are refuted
MOST_ANSWERED = 3  # findings of one review that one learning may silence


@dataclass(frozen=True, slots=True)
class JudgedFindings:
    """All findings with their status, both those to report and the others."""

    findings: tuple[Finding, ...]
    unheard: tuple[Finding, ...] = ()  # new findings that could not be confirmed
    why: tuple[str, ...] = ()  # the reasons, as sentences
    notes: tuple[str, ...] = ()  # sentences for the reader

    def findings_with_status(self, *statuses: Status) -> tuple[Finding, ...]:
        """Return the findings with one of these statuses."""
        return tuple(finding for finding in self.findings if finding.status in statuses)


async def judge_findings(session: Session, *, ask: bool = True) -> JudgedFindings:
    """Return all findings with their status. Without `ask`, request no more confirmations."""
    confirming = session.confirming.answers if session.confirming is not None and ask else None
    return await judge(session.survey, session.results.findings, confirming, session.absence)


def report_findings_so_far(session: Session) -> None:
    """Report the findings so far that need no confirmation, and the number of those that do."""
    survey = session.survey
    least = survey.brief.settings.minimum_severity
    precedents = partial(_precedents, survey=survey, dismissals=_dismissed_claims(survey))
    found = [one for one in session.results.findings if at_least(one.severity, least) and not one.is_remark]
    due = [one for one in found if _is_due(one, survey, precedents)]
    sure = [one for one in found if one not in due and (one.verdict.is_shown or _is_agreed(one))]
    session.say(survey.reading(sure, len(due) if session.confirming is not None else 0, is_checked=True))


async def judge(
    survey: Survey,
    findings: Sequence[Finding],
    ask: "Ask | None",
    absence: Callable[[Source, Finding], Absence | None] = lambda _source, _finding: "unseen",
) -> JudgedFindings:
    """Merge findings, match them with earlier reviews, silence and confirm them.

    Without `ask` there are no confirmations, and unproven findings are reported as such. Earlier
    confirmations are reused. Findings below the minimum severity are not confirmed, since they are not shown.
    They stay unconfirmed until a review would show them.
    """
    past, least = survey.past, survey.brief.settings.minimum_severity
    found = list(merge(findings))
    if past.known is not None:
        reread = [(unit.path, unit.start, unit.end) for unit in survey.tracker.fresh() if unit.side == "head"]
        found = await recall(past.known, found, survey.tree, survey.files, reread, past.before, absence, past.since)
    of_other_build = sum(finding.status == "unproven" for finding in found)
    found = make_fingerprints_unique(found)
    found = _silence(found, survey)
    precedents = partial(_precedents, survey=survey, dismissals=_dismissed_claims(survey))
    due = [index for index, finding in enumerate(found) if ask is not None and _is_due(finding, survey, precedents)]
    due = _select_for_confirmation(due, found, survey, precedents)
    asked = [found[at].with_verdict(Verdict.UNPROVEN) for at in due]
    judged: list[Finding | None] = [
        _without_confirmation(finding, ask is not None and not at_least(finding.severity, least)) for finding in found
    ]
    unheard = list[Finding]()
    reasons, answers = Counter[str](), Counter[OwnerRule | None]()
    if ask is not None and asked:
        # imported here, because a review without a model needs no confirmations
        from bot.findings.confirm import confirm

        rows = await confirm(asked, survey.tree, survey.dependents, ask, survey.files, survey.pull, precedents)
        for at, confirmation in zip(due, rows, strict=True):
            one, now, answer = found[at], confirmation.finding, confirmation.silencing
            if one.is_challenged:  # the proof holds, whatever models answer; they only decide how it is shown
                judged[at] = one.without_challenge() if now.is_shown and confirmation.is_wanted else one
                continue
            if answer is not None:
                answers[answer.rule] += 1
                is_too_broad = answer.rule is not None and answers[answer.rule] > MOST_ANSWERED
                if not is_too_broad:
                    judged[at] = silencing.silenced(one, answer)
                    continue
            if one.status != "new":
                is_new = past.since.has_changed(confirmation.ground)
                judged[at] = update_doubtful(one, now, confirmation.unsettled, is_ground_new=is_new)
                continue
            judged[at] = _update_new(one, confirmation)
            if now.basis.unconfirmed:
                unheard.append(now)
                reasons[confirmation.unheard] += 1
    return JudgedFindings(
        tuple(finding for finding in judged if finding is not None),
        tuple(unheard),
        tuple(f"{count(number, 'finding')} could not be confirmed: {reason}" for reason, number in reasons.items()),
        _of_other_build(past.known, of_other_build),
    )


def _of_other_build(earlier: EarlierReview | None, number: int) -> tuple[str, ...]:
    if earlier is None or not number:
        return ()
    other = f", which another build (deeprepo {earlier.other_build}) made" if earlier.other_build else ""
    of_other = f"{count(number, 'finding')} of the last review{other}"
    return (
        f"{of_other}: no longer checked, or no longer reported although the code is unchanged; that fixes nothing.",
    )


def _update_new(before: Finding, confirmation: "Confirmation") -> Finding:
    """Return a new finding after its confirmation.

    If the confirmation could not decide, a finding stays, marked as unsettled, if several passes reported it, or
    if one of several passes did and it is serious or from the root's model with the code around the change.
    """
    now = confirmation.finding
    if now.is_shown and confirmation.is_wanted:
        return now
    if not now.verdict.is_undecided:
        return now.with_status("refuted")
    is_kept = before.basis.votes >= AGREED or (
        (before.serious or before.basis.has_root) and before.basis.votes and before.basis.readings >= AGREED
    )
    if confirmation.unsettled and is_kept:
        return now.with_verdict(now.verdict, unsettled=confirmation.unsettled)
    return now.with_status("unproven")


def _silence(found: Sequence[Finding], survey: Survey) -> list[Finding]:
    """Apply the owner's ignore list and rules to the findings.

    Findings that were silenced before are not reported as fixed. Leaks in earlier commits are added, each
    secret once, unless its finding is silenced as revoked.
    """
    past, ignore_list = survey.past, survey.ignore_list
    silenced_identities = past.known.silenced_identities if past.known is not None else ()
    judged = [
        finding if finding.status == "fixed" else ignore_list.judge(finding)
        for finding in found
        if finding.status != "fixed" or finding.identity not in silenced_identities
    ]
    told, quiet_leaks = ignore_list.split(survey.leaks)
    quiet = [finding for finding in judged if finding.status == "silenced"]
    known = {proof for finding in quiet for proof in finding.proofs}
    revoked = {proof for finding in (*quiet, *quiet_leaks) if finding.is_revoked for proof in finding.proofs}
    left = [finding for finding in told if not (finding.proofs and finding.proofs <= revoked)]
    open_ones = [finding for finding in judged if finding.status in ("new", "still")]
    return [
        *judged,
        *leaks_without_finding(left, open_ones),
        *(leak for leak in quiet_leaks if not leak.proofs <= known),
    ]


def _lacks_confirmation(finding: Finding, survey: Survey) -> bool:
    """Return whether a finding lacks a confirmation.

    It must be open or doubtful, reach the minimum severity, and be visible to models. An unconfirmed finding of an
    earlier review is confirmed once it reaches the minimum severity or a threshold.
    """
    least = survey.brief.settings.minimum_severity
    if (finding.is_masked and finding.verdict.is_undecided) or not at_least(finding.severity, least):
        return False
    is_late = not finding.number or (not finding.is_shown and _reaches_threshold(finding.severity, survey))
    is_open = finding.is_new or (finding.status == "still" and is_late)
    is_challenged = finding.is_challenged and finding.status in ("new", "still")
    return finding.status == "doubtful" or is_challenged or (finding.verdict.is_undecided and is_open)


def _is_due(finding: Finding, survey: Survey, precedents: "Callable[[Finding], Precedents]") -> bool:
    """Return whether to confirm a finding that lacks a confirmation.

    Confirmations refute hardly any finding of a root. So they are only made at effort high, if only a worker read the
    file, for findings that reach a threshold or that earlier comments may answer, and for serious ones of others
    or of a later push, unless several passes agree and the finding shows only changed files.
    """
    if not _lacks_confirmation(finding, survey):
        return False
    settings, basis = survey.brief.settings, finding.basis
    is_only_reading = basis.readings < AGREED and (settings.effort == "low" or not basis.has_root)
    if settings.effort == "high" or finding.status != "new" or is_only_reading or precedents(finding):
        return True
    quoted_paths = {finding.path, *(item.path for item in finding.evidence)}
    is_agreed = basis.is_agreed and quoted_paths <= {file.path for file in survey.files}
    is_read_once = survey.past.earlier is not None and basis.readings < AGREED
    is_unseen = finding.serious and (is_read_once or not basis.has_root) and not is_agreed
    return is_unseen or finding.is_challenged or _reaches_threshold(finding.severity, survey)


def _reaches_threshold(severity: Severity, survey: Survey) -> bool:
    """Return whether findings of this severity fail the check or request changes."""
    return any(at_least(severity, bar) for bar in survey.brief.settings.bars)


def _select_for_confirmation(
    due: Sequence[int], found: Sequence[Finding], survey: Survey, precedents: "Callable[[Finding], Precedents]"
) -> list[int]:
    """Return the findings to confirm, the most severe first, since the budget may end before the last.

    Serious ones always are, and those that show a line of an unchanged file.

    Others that only one pass could report are confirmed up to the places in full that surer findings leave, and up to
    `SPARE` more, since some are refuted.
    """
    settings = survey.brief.settings
    ordered = sorted(due, key=lambda at: severity_rank(found[at].severity))
    if settings.effort == "high" or _reaches_threshold("medium", survey):
        return ordered
    places = placing.room(survey.files) if settings.quota is None else settings.quota
    surer = [one for one in found if one.is_new and (one.verdict.is_shown or _is_agreed(one))]
    left = max(0, places - sum(not one.is_remark for one in surer))
    changed_paths = {file.path for file in survey.files}

    def may_wait(one: Finding) -> bool:
        is_lone = one.is_new and one.basis.votes == 1 == one.basis.readings and not one.serious
        return is_lone and not precedents(one) and all(item.path in changed_paths for item in one.evidence)

    lone = [at for at in ordered if may_wait(found[at])]
    beyond = {*lone[max(0, left - (len(due) - len(lone))) + SPARE :]}
    return [at for at in ordered if at not in beyond]


def _is_agreed(finding: Finding) -> bool:
    """Return whether several passes reported a finding that is worth a place in full without a confirmation."""
    return finding.basis.is_agreed and at_least(finding.severity, "medium")


def _without_confirmation(finding: Finding, is_below: bool) -> Finding:
    """Return the status of a finding that is not confirmed.

    `is_below`: it is below the minimum severity, so it is marked unconfirmed.
    """
    if finding.is_challenged:
        return finding.without_challenge()
    if finding.status == "doubtful":
        return finding.with_status("still", finding.tracking.how)
    if finding.status != "new":
        return finding
    if not finding.verdict.is_plausible:
        return finding.with_status("refuted")
    return (
        finding.with_verdict(finding.verdict, unconfirmed=True)
        if is_below and finding.verdict.is_undecided
        else finding
    )


def _dismissed_claims(survey: Survey) -> tuple[DismissedClaim, ...]:
    """Return the models' findings on this change that people have dismissed, each once, with the reason."""
    all_findings = survey.past.known.findings if survey.past.known is not None else ()
    distinct = {finding.identity: finding for finding in all_findings if not finding.proven}
    rows = ((finding, survey.ignore_list.reason_of(finding)) for finding in distinct.values())
    return tuple((finding, reason) for finding, reason in rows if reason is not None)


def _precedents(finding: Finding, *, survey: Survey, dismissals: Sequence[DismissedClaim]) -> "Precedents":
    """Return the learnings and dismissed claims that may apply to a finding, by ID.

    A finding that was reported before and is open again is not compared with dismissed claims.
    """
    in_scope = [
        learning
        for learning in survey.ignore_list.learnings
        if silencing.applies_to_finding(learning, finding, survey.units)
    ]
    here = [row for row in dismissals if row[0].path == finding.path]
    if finding.number or finding.proofs or finding.is_masked:
        here = []
    nearest = sorted(here, key=lambda row: abs(row[0].start - finding.start))
    sentences = {f"S{number}": learning for number, learning in enumerate(in_scope[:MOST_LEARNINGS], 1)}
    return {**sentences, **{f"D{at}": row for at, row in enumerate(nearest[:MOST_DISMISSED], 1)}}
