"""A review of one pull request, in a server's job and in a step of a workflow: from the policy to the last word in its check run."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from bot.brief import Brief
from bot.config import policy
from bot.config.policy import Go, No
from bot.errors import DeepRepoError, NothingToReview, SupersededError
from bot.outputs.posts import Comments
from bot.payloads import MadeReview
from bot.publish import checks, publish
from bot.values import Review
from bot.workflow import looking, pausing
from bot.workflow.backend import Backend, CheckRun, ReviewResult, ReviewRun
from bot.workflow.progress import progress

SUPERSEDED = "Stopped before its end: the pull request was pushed to, closed or made a draft meanwhile, or somebody cancelled the review."
NOTHING = "the head adds nothing to the base branch."
KNOWN = "this change has its review already."


async def review(
    run: ReviewRun, backend: Backend, stored_review: MadeReview | None = None, *, again: bool
) -> ReviewResult:
    """Review the pull request and post the result. Repeated after a crash, it pays and posts nothing twice.

    `stored_review`: what an earlier try of this run has made, and not posted to its end. `again`: also if this change has its review already. Raises the errors that are not final for `backend`.
    """
    run = replace(run, pushes=await pausing.count_pushes(run.host, run.ask, run.id, run.settings.pause_after))
    if stored_review is not None:
        return await _post_again(run, backend, stored_review)
    waits = (run.pushes.most or 0) if run.pushes.is_spent else 0
    state = run.state
    decision = policy.decide(
        state.facts, run.ask, run.settings, is_paused=state.paused, pushes=waits, stranger=state.stranger
    )
    if isinstance(decision, No):
        result = await _declined(run, backend, decision)
        if not decision.quiet:
            await backend.decline(run, result)
        return result
    if not again and await backend.is_known(run):
        return ReviewResult("skipped", KNOWN)
    start, made_review = time.time(), None
    async with backend.check(run) as check:
        try:
            made_review = await backend.unless_cancelled(_make(run, backend, decision, check))
            result = (
                await _declined(run, backend, made_review)
                if isinstance(made_review, No)
                else await _post(run, backend, made_review, start)
            )
        except NothingToReview:
            verdict = await backend.verdict(run, "nothing", None)
            result = ReviewResult(verdict.ending, NOTHING, verdict=verdict)
        except SupersededError as error:
            result = await _broken_off(run, backend, error)
        except backend.final as error:
            verdict = await backend.verdict(run, "unreviewed", None)
            result = ReviewResult(run.ending_without_review, str(error), fault=error, verdict=verdict)
        await check.end(result, made_review.page if isinstance(made_review, MadeReview) else "")
    return result


async def _post_again(run: ReviewRun, backend: Backend, made_review: MadeReview) -> ReviewResult:
    """Post a stored review: what is there already is left as it is."""
    async with backend.check(run) as check:
        result = await _post(run, backend, made_review)
        await check.end(result, made_review.page)
    return result


async def _declined(run: ReviewRun, backend: Backend, no: No) -> ReviewResult:
    """The end of a review that the policy refuses. Of a pull request that is closed nobody waits for one."""
    if run.state.facts.state != "open":
        return ReviewResult("skipped", no.reason)
    verdict = await backend.verdict(run, no.lacks, None)
    return ReviewResult(verdict.ending, no.reason, verdict=verdict, is_left_out=no.lacks == "left out")


async def _broken_off(run: ReviewRun, backend: Backend, error: SupersededError) -> ReviewResult:
    """The end of a review that is not wanted any more: what an earlier one of this head came to stands."""
    verdict = await backend.verdict(run, "unreviewed", None)
    stands = verdict if verdict.is_reviewed else checks.CheckEnding("cancelled")
    return ReviewResult("cancelled", SUPERSEDED, fault=error, verdict=stands)


async def _make(run: ReviewRun, backend: Backend, decision: Go, check: CheckRun) -> MadeReview | No:
    """The review of the fetched change, or why there is none after all. What was fetched is gone before anything is posted."""
    async with backend.fetch(run) as local_pull:
        several_bases = await looking.has_several_bases(run.host, local_pull, run.state.bases)
        pull = replace(local_pull, several_bases=several_bases)
        brief = await backend.brief(run, pull)
        refusal = await _refusal_by_paths(run, backend, brief)
        if refusal is not None:
            return refusal
        brief = _with_note(_with_note(brief, run.pushes.note), run.state.note)
        if decision.offline:
            brief = _offline(brief, decision.reason)
        async with backend.consumers(run) as fetched:
            consumers = replace(fetched, organization=run.state.organization)
            brief = _with_note(replace(brief, consumers=consumers), consumers.note)
            async with _with_funds(run, backend, brief) as funded, progress(check.show) as say:
                return await backend.review(run, funded, say)


async def _refusal_by_paths(run: ReviewRun, backend: Backend, brief: Brief) -> No | None:
    """Why `triggers.paths` leaves the change out. With several merge bases its diff does not show all of it, so it is reviewed."""
    if not policy.asks_for_paths(run.settings, run.ask.trigger) or brief.pull.several_bases:
        return None
    return await backend.no_review_reason(brief, run.ask.trigger)


@asynccontextmanager
async def _with_funds(run: ReviewRun, backend: Backend, brief: Brief) -> AsyncIterator[Brief]:
    """The review with what the day leaves it to spend; without any model if a cap of the day is reached."""
    if brief.settings.strategy == "offline":
        yield brief
        return
    async with backend.funds(run, brief) as funds:
        if funds.refusal:
            yield _offline(brief, funds.refusal)
            return
        if funds.model and run.settings.linked_issues:
            brief = replace(brief, pull=replace(brief.pull, issues=await looking.issues(run.host)))
        yield funds.within(brief)


def _offline(brief: Brief, why: str) -> Brief:
    return _with_note(replace(brief, settings=brief.settings.with_flags(strategy="offline")), why)


def _with_note(brief: Brief, why: str) -> Brief:
    return replace(brief, note=" ".join(filter(None, (why, brief.note))))


async def _post(run: ReviewRun, backend: Backend, made_review: MadeReview, start: float | None = None) -> ReviewResult:
    """Put the review on the pull request. If its comments cannot be posted, it is in the check run or the job summary alone.

    It is stored whatever becomes of its comments, unless it is superseded. `start`: when it was begun; None if it is stored.
    """
    review_done = made_review.review

    def comments(one: Review) -> Comments:  # rendered anew only if GitHub has refused places
        return made_review.comments if one == review_done else backend.comments(run, one)

    ending, fault = checks.conclude(review_done), None
    try:
        outcome = await publish(run.host, review_done, comments, run.id, backend.current, run.pushes.facts)
    except SupersededError as superseded_error:
        return replace(await _broken_off(run, backend, superseded_error), review=review_done)
    except DeepRepoError as error:
        outcome, fault = None, error
    if start is not None:
        await backend.keep(run, ending, made_review, start, outcome is not None)
    if fault is not None and not isinstance(fault, backend.final):
        raise fault
    verdict = await backend.verdict(run, "unreviewed", ending)
    return ReviewResult(ending, "", review_done, outcome, fault, verdict)
