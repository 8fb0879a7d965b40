"""A review of one pull request, in a server's job and in a step of a workflow: from the policy to the last word in its check run."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from bot.config import policy
from bot.config.policy import Go, No
from bot.errors import NothingToReview, Superseded
from bot.outputs.posts import Comments
from bot.payloads import Change, Made
from bot.publish import checks, publish
from bot.values import Review
from bot.workflow import looking, pausing
from bot.workflow.backend import Backend, CheckRun, ReviewResult, ReviewRun
from bot.workflow.progress import progress

SUPERSEDED = "Stopped before its end: the pull request was pushed to, closed or made a draft meanwhile, or somebody cancelled the review."
NOTHING = "the head adds nothing to the base branch."
KNOWN = "this change has its review already."


async def review(run: ReviewRun, backend: Backend, *, again: bool) -> ReviewResult:
    """Review the pull request and post the result. Repeated after a crash, it pays and posts nothing twice.

    `again`: also if this change has its review already. Raises the errors that are not final for `backend`.
    """
    run = replace(run, pushes=await pausing.counted(run.host, run.ask, run.id, run.settings["pause_after"]))
    waits = (run.pushes.most or 0) if run.pushes.spent else 0
    decision = policy.decide(run.seen.facts, run.ask, run.settings.conditions, paused=run.seen.paused, pushes=waits)
    if isinstance(decision, No):
        await backend.decline(run, decision)
        return _declined(run, decision)
    if not again and await backend.known(run):
        return ReviewResult("skipped", KNOWN)
    started, made = time.time(), None
    async with backend.check(run) as check:
        try:
            made = await backend.unless_cancelled(_made(run, backend, decision, check))
            result = _declined(run, made) if isinstance(made, No) else await _posted(run, backend, made)
        except NothingToReview:
            result = ReviewResult("success", NOTHING)
        except Superseded as error:
            result = ReviewResult("cancelled", SUPERSEDED, fault=error)
        except backend.final as error:
            result = ReviewResult(run.unreviewed, str(error), fault=error)
        await check.end(result, made.page if isinstance(made, Made) else "")
        if isinstance(made, Made) and result.holds:
            await backend.keep(run, result, made, started)
    return result


def _declined(run: ReviewRun, no: No) -> ReviewResult:
    """The end of a review that the policy refuses. Of a pull request that is closed nobody waits for one."""
    fails = run.seen.facts.state == "open" and policy.unreviewed(run.settings, no.lacks) == "failure"
    return ReviewResult("failure" if fails else "skipped", no.reason)


async def _made(run: ReviewRun, backend: Backend, decision: Go, check: CheckRun) -> Made | No:
    """The review of the fetched change, or why there is none after all. What was fetched is gone before anything is posted."""
    async with backend.fetched(run) as pull:
        refused = await backend.untouched(run, pull) if any(one.paths for _, one in run.settings.conditions) else None
        if refused is not None:
            return refused
        change = _noted(await backend.change(run, pull), run.pushes.note)
        if decision.offline:
            change = _offline(change, decision.reason)
        async with _funded(run, backend, change) as funded, progress(check.show) as say:
            return await backend.review(run, funded, say)


@asynccontextmanager
async def _funded(run: ReviewRun, backend: Backend, change: Change) -> AsyncIterator[Change]:
    """The review with what the day leaves it to spend; without any model if a cap of the day is reached."""
    if change.flags.get("strategy") == "offline":
        yield change
        return
    async with backend.funds(run, change) as funds:
        if funds.refused:
            yield _offline(change, funds.refused)
            return
        if funds.model and run.settings["linked_issues"]:
            change = replace(change, pull=replace(change.pull, issues=await looking.issues(run.host)))
        if funds.usd is not None and funds.usd < run.settings["usd"]:
            yield replace(change, flags={**change.flags, "usd": funds.usd})
        else:
            yield change


def _offline(change: Change, why: str) -> Change:
    return _noted(replace(change, flags={**change.flags, "strategy": "offline"}), why)


def _noted(change: Change, why: str) -> Change:
    return replace(change, note=" ".join(filter(None, (why, change.note))))


async def _posted(run: ReviewRun, backend: Backend, made: Made) -> ReviewResult:
    """Put the review on the pull request. If its comments cannot be posted, it is in the check run or the job summary alone."""
    done = made.review

    def comments(one: Review) -> Comments:  # rendered anew only if GitHub has refused places
        return made.comments if one == done else backend.comments(run, one)

    try:
        outcome = await publish(run.host, done, comments, run.id, backend.current, run.pushes.facts)
    except Superseded as moved:
        return ReviewResult("cancelled", SUPERSEDED, done, fault=moved)
    except backend.final as error:
        return ReviewResult(checks.conclusion(done), "", done, fault=error)
    return ReviewResult(checks.conclusion(done), "", done, outcome)
