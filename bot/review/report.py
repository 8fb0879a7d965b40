"""Put a review's report together from its findings, verdicts and coverage."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from itertools import compress

from bot import diff, render
from bot.findings import copies, origins, places, placing, rounds, suggest
from bot.machine import build
from bot.review import incremental, own_checks, walkthrough
from bot.review.judging import JudgedFindings
from bot.review.overlooked import overlooked
from bot.review.session import Session
from bot.sections.overlooked import OVERLOOKED
from bot.sections.walkthrough import WALKTHROUGH
from bot.values import Cut, Finding, PlacedFinding, ReportSettings, Review, StrategyChoice, Transcript
from bot.values.review import Cause
from deeprepo.rlm.errors import (
    BadAnswer,
    Overloaded,
    PromptRefused,
    PromptTooLong,
    ProviderDown,
    ProviderError,
    ProviderRefused,
    QuotaExhausted,
    RateLimited,
)

UNANSWERED = (
    "No model answered for {}. A filter at the provider may have blocked the answer, or the model may not be suitable: "
    "try another one."
)
NAMED = 5  # files in that note
UNJUDGED = "The linked issues were not checked, because no model saw the whole change."
MODELS_LOST = "The model review was stopped ({why}), so this review contains only static checks."
GUIDANCE_CUT = "Models did not read all of your guidance. Left out: {}."


async def place(
    judgement: JudgedFindings,
    session: Session,
    prove: Callable[[Sequence[PlacedFinding], Session], Awaitable[Sequence[PlacedFinding]]] | None,
) -> tuple[PlacedFinding, ...]:
    """Return all findings: first those to report, best first, with tested suggestions, then the others. `prove` tries to prove findings."""
    subject, settings = session.survey, session.survey.brief.settings
    past, least = subject.past, settings.minimum_severity
    findings = rounds.final_findings(judgement.findings, least, past.known)
    if past.known is not None:
        is_pushed = past.known.head != subject.brief.pull.head  # else the base has changed, or a person asked again
        paths = {file.path for file in subject.files}
        findings = origins.with_origins(findings, past.since, paths, is_pushed=is_pushed)
    statuses = ("new", "still") if past.round.full else ("new",)
    findings = [
        places.at_best(finding, subject.files)
        if finding.status in ("new", "still") and len(finding.places) > 1
        else finding
        for finding in findings
    ]
    is_said = [
        finding.status in statuses or (finding.status == "still" and bool(finding.tracking.added))
        for finding in findings
    ]
    said = [*compress(findings, is_said)]
    placed_findings = await _placed(said, session)
    if prove is not None:
        placed_findings = tuple(await prove(placed_findings, session))
    quota = placing.room(subject.files) if settings.quota is None else settings.quota
    ranked_findings = placing.rank(
        placed_findings,
        quota,
        past.collapsed_fingerprints(
            said, [one for one in findings if one.status == "still"], subject.files, settings.bars
        ),
    )
    return (
        *(
            replace(each, finding=copies.with_copies(each.finding, subject.files))
            if each.finding.basis.has_model
            else each
            for each in ranked_findings
        ),
        *await _shown_before(
            [finding for finding, said_now in zip(findings, is_said, strict=True) if not said_now], session
        ),
    )


async def _shown_before(findings: Sequence[Finding], session: Session) -> tuple[PlacedFinding, ...]:
    """Return findings without a place. Open ones keep a replacement that can be committed, for a later fix."""
    return tuple(
        replace(each, place="", refused="")
        if each.finding.status == "still" and each.replacement is not None
        else PlacedFinding(each.finding)
        for each in await _placed(findings, session)
    )


async def _placed(findings: Sequence[Finding], session: Session) -> tuple[PlacedFinding, ...]:
    placed_findings = placing.place(findings, session.survey.files)
    if all(finding.suggestion is None for finding in findings):
        return placed_findings
    return await suggest.suggest(placed_findings, session.survey.tree)


async def conclude(
    session: Session,
    strategy: StrategyChoice,
    transcript: Transcript,
    judgement: JudgedFindings,
    findings: tuple[PlacedFinding, ...],
    seconds: float,
) -> Review:
    """Put the review together."""
    subject, settings = session.survey, session.survey.brief.settings
    past, earlier, budget = subject.past, subject.past.earlier, session.calls.budget
    findings, numbered_findings = rounds.assign_numbers(findings, past.known.numbers if past.known else ())
    open_findings = [
        placed_finding.finding for placed_finding in findings if placed_finding.finding.status in ("new", "still")
    ]
    coverage_now = subject.tracker.coverage().without_shown(open_findings)
    issue_reports = tuple(replace(issue, round=subject.past.round.number) for issue in transcript.issues)
    issue_reports = issue_reports or (earlier.issues if earlier else ())
    parts = dict(session.results.parts)
    if settings.requirements:
        parts |= await own_checks.results(session)
    parts[OVERLOOKED.key] = await overlooked(session, open_findings)
    if settings.walkthrough:
        parts[WALKTHROUGH.key] = walkthrough.made(session, coverage_now, open_findings)
    return Review(
        pull=subject.pull,
        files=subject.files,
        strategy=StrategyChoice(strategy.name, "; ".join(filter(None, (strategy.reason, transcript.reason)))),
        findings=findings,
        coverage=coverage_now,
        cost=budget.cost(),
        seconds=seconds,
        summary=transcript.summary or (earlier.summary if earlier else ""),
        notes=_notes(session, transcript, judges_issues=bool(issue_reports)),
        cut=_cut(session, transcript),
        issues=issue_reports,
        settings=ReportSettings(
            tone=settings.tone,
            fail_on=settings.fail_on,
            strict=settings.strict,
            request_changes=None if settings.request_changes == "off" else settings.request_changes,
            approve=settings.approve,
            templates=subject.guidance.templates,
            minimum=settings.minimum_severity,
            doubts=settings.doubts,
        ),
        dropped=session.results.refused_count + len(judgement.findings_with_status("refuted", "unproven")),
        turns=transcript.turns,
        version=build.name(),
        round=replace(
            subject.past.round,
            numbers=numbered_findings,
            read=incremental.read_units(subject.tracker, judgement.unheard),
        ),
        consumers=subject.consumers.reports,
        parts=parts,
    )


def _cut(session: Session, transcript: Transcript) -> Cut:
    """Return what kept models from reviewing the whole change, and why."""
    brief, refused, failure = session.survey.brief, session.calls.budget.refused, session.calls.failure
    is_over = bool(brief.lost) or any(file.path in brief.left_out for file in session.survey.files)
    is_partial = transcript.partial or is_over or brief.is_capped
    cause: Cause = "quota" if brief.is_capped else ""
    if transcript.fault == "provider" and failure is not None:
        cause = _cause(failure)
    elif is_partial and (refused or is_over):
        cause = cause or "too_large"
    says = (str(failure or "") or refused) if transcript.fault == "provider" else ""
    return Cut(is_partial, transcript.fault, says, cause if is_partial else "")


def _cause(error: ProviderError) -> Cause:
    match error:
        case PromptTooLong():
            return "too_large"
        case Overloaded() | ProviderDown():
            return "provider"
        case QuotaExhausted() | RateLimited():
            return "quota"
        case PromptRefused():
            return "declined"
        case ProviderRefused():
            return "setup"
    return ""


def _notes(session: Session, transcript: Transcript, *, judges_issues: bool) -> tuple[str, ...]:
    subject = session.survey
    submodules = (file.path for file in subject.files if file.skip == diff.SUBMODULE)
    notes = (
        *filter(None, (MODELS_LOST.format(why=subject.brief.lost) if subject.brief.lost else "", subject.brief.note)),
        *([UNJUDGED] if subject.pull.issues and not judges_issues else ()),
        *filter(None, [subject.consumers.summary]),
        *subject.brief.settings.warnings,
        *subject.ignore_list.warnings,
        *_guidance_left_out(session),
        *_unanswered(session),
        *subject.past.notes,
        *session.results.notes,
        *session.calls.budget.notes,
        *transcript.notes,
        *(f"The new commit of the submodule `{path}` was not reviewed." for path in submodules),
    )
    return tuple(dict.fromkeys(notes))


def _unanswered(session: Session) -> Iterator[str]:
    """Yield the note about files that no usable answer names, unless the provider failed or a limit was reached."""
    unread = session.survey.tracker.unread()
    if not any(isinstance(error, BadAnswer | PromptRefused) for _, error in session.calls.failures):
        never_asked = {unit.id for unit in session.survey.tracker.unread(never_asked=True)}
        unread = tuple(unit for unit in unread if unit.id not in never_asked)
    paths = list(dict.fromkeys(unit.path for unit in unread))
    more = f" and {render.count(len(paths) - NAMED, 'more file')}" if len(paths) > NAMED else ""
    if paths:
        yield UNANSWERED.format(", ".join(map(render.name, paths[:NAMED])) + more)


def _guidance_left_out(session: Session) -> Iterator[str]:
    if session.reader is None:
        return
    window = session.calls.sizes.window(session.reader)
    if left_out := session.survey.guidance.within(window).left_out:
        yield GUIDANCE_CUT.format("; ".join(left_out))
