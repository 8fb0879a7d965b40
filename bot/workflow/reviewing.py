"""A review of one pull request, in a server's job and in a step of a workflow: from the policy to the last word in its check run."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from bot.config import policy
from bot.config.policy import Go, No
from bot.errors import DeepRepoError, NothingToReview, SupersededError
from bot.outputs.posts import Comments
from bot.payloads import Change, MadeReview
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
    if policy.asks_for_last(run.settings) and run.state.facts.state == "open":
        run = replace(run, last=await backend.last_ending(run))
    waits = (run.pushes.most or 0) if run.pushes.is_spent else 0
    decision = policy.decide(
        run.state.facts, run.ask, run.settings.conditions, is_paused=run.state.paused, pushes=waits
    )
    if isinstance(decision, No):
        decision = policy.weigh(run.settings, decision, run.last)
    if isinstance(decision, No):
        await backend.decline(run, decision)
        return _decline(run, decision)
    if not again and await backend.is_meant(run):
        return ReviewResult("skipped", KNOWN)
    start, made_review = time.time(), None
    async with backend.check(run) as check:
        try:
            made_review = await backend.unless_cancelled(_make(run, backend, decision, check))
            result = (
                _decline(run, made_review)
                if isinstance(made_review, No)
                else await _post(run, backend, made_review, start)
            )
        except NothingToReview:
            result = ReviewResult("success", NOTHING)
        except SupersededError as error:
            result = ReviewResult("cancelled", SUPERSEDED, fault=error)
        except backend.final as error:
            result = ReviewResult(run.ending_without_review, str(error), fault=error)
        await check.end(result, made_review.page if isinstance(made_review, MadeReview) else "")
    return result


async def _post_again(run: ReviewRun, backend: Backend, made_review: MadeReview) -> ReviewResult:
    """Post a stored review: what is there already is left as it is."""
    async with backend.check(run) as check:
        result = await _post(run, backend, made_review)
        await check.end(result, made_review.page)
    return result


def _decline(run: ReviewRun, no: No) -> ReviewResult:
    """The end of a review that the policy refuses. Of a pull request that is closed nobody waits for one."""
    fails = (
        run.state.facts.state == "open" and policy.ending_without_review(run.settings, no.lacks, run.last) == "failure"
    )
    return ReviewResult("failure" if fails else "skipped", no.reason, rules=policy.rules_of(run.settings, no))


async def _make(run: ReviewRun, backend: Backend, decision: Go, check: CheckRun) -> MadeReview | No:
    """The review of the fetched change, or why there is none after all. What was fetched is gone before anything is posted."""
    async with backend.fetch(run) as local_pull:
        several_bases = await looking.has_several_bases(run.host, local_pull, run.state.bases)
        pull = replace(local_pull, several_bases=several_bases)
        change = await backend.change(run, pull)
        refusal = await _refusal_by_paths(run, backend, change)
        weighed_decision = decision if refusal is None else policy.weigh(run.settings, refusal, run.last)
        if isinstance(weighed_decision, No):
            return weighed_decision
        change = _with_note(change, run.pushes.note)
        if weighed_decision.offline:
            change = _offline(change, weighed_decision.reason)
        async with backend.consumers(run) as consumers:
            change = _with_note(replace(change, consumers=consumers), consumers.note if consumers is not None else "")
            async with _with_funds(run, backend, change) as change_with_funds, progress(check.show) as say:
                return await backend.review(run, change_with_funds, say)


async def _refusal_by_paths(run: ReviewRun, backend: Backend, change: Change) -> No | None:
    """Why `triggers.paths` leaves the change out. Nothing is left out unless all commits of the change are known."""
    if not policy.asks_for_paths(run.settings.conditions, run.ask.trigger) or change.pull.several_bases:
        return None
    commits = await looking.own_commits(run.host, change.pull, run.state.bases)
    return None if commits is None else await backend.no_review_reason(run, change, commits)


@asynccontextmanager
async def _with_funds(run: ReviewRun, backend: Backend, change: Change) -> AsyncIterator[Change]:
    """The review with what the day leaves it to spend; without any model if a cap of the day is reached."""
    if change.flags.get("strategy") == "offline":
        yield change
        return
    async with backend.funds(run, change) as funds:
        if funds.refusal:
            yield _offline(change, funds.refusal)
            return
        if funds.model and run.settings.linked_issues:
            change = replace(change, pull=replace(change.pull, issues=await looking.issues(run.host)))
        yield funds.within(change, run.settings.usd)


def _offline(change: Change, why: str) -> Change:
    return _with_note(replace(change, flags={**change.flags, "strategy": "offline"}), why)


def _with_note(change: Change, why: str) -> Change:
    return replace(change, note=" ".join(filter(None, (why, change.note))))


async def _post(run: ReviewRun, backend: Backend, made_review: MadeReview, start: float | None = None) -> ReviewResult:
    """Put the review on the pull request. If its comments cannot be posted, it is in the check run or the job summary alone.

    It is stored whatever becomes of its comments, unless it is superseded. `start`: when it was begun; None if it is stored.
    """
    review_done = made_review.review

    def comments(one: Review) -> Comments:  # rendered anew only if GitHub has refused places
        return made_review.comments if one == review_done else backend.comments(run, one)

    ending, fault = checks.conclusion(review_done), None
    try:
        outcome = await publish(run.host, review_done, comments, run.id, backend.current, run.pushes.facts)
    except SupersededError as superseded_error:
        return ReviewResult("cancelled", SUPERSEDED, review_done, fault=superseded_error)
    except DeepRepoError as error:
        outcome, fault = None, error
    if start is not None:
        await backend.keep(run, ending, made_review, start, is_posted=outcome is not None)
    if fault is not None and not isinstance(fault, backend.final):
        raise fault
    return ReviewResult(ending, "", review_done, outcome, fault)
