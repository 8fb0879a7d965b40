"""A review of one pull request: from whether there is one at all to the last word in its check run."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from bot import github, policy
from bot.config import Config
from bot.errors import (
    BudgetSpent,
    GitError,
    HostRefused,
    NothingToReview,
    OverLimit,
    ProviderError,
    ReplUnavailable,
    Superseded,
    UsageError,
)
from bot.github import Host
from bot.outputs.posts import Comments
from bot.payloads import Change, Made
from bot.policy import Go, No
from bot.ports import Job
from bot.publish import PublishResult, checks, publish
from bot.storage import Exhausted
from bot.values import Ending, Review, ReviewAsk
from bot.workflow import asking, journals, keeping, spending
from bot.workflow.fetching import fetched
from bot.workflow.looking import PullState, look
from bot.workflow.parts import Services
from bot.workflow.progress import progress

# Faults whose sentence the check run shows.
SAID = (HostRefused, UsageError, GitError, ProviderError, BudgetSpent, ReplUnavailable, OverLimit)


@dataclass(frozen=True, slots=True)
class ReviewRun:
    """One review in progress."""

    ask: ReviewAsk  # as it holds for this head
    job: Job
    host: Host
    parts: Services
    seen: PullState

    @property
    def head(self) -> str:
        """The commit that is reviewed."""
        return self.seen.facts.head_sha


async def review(ask: ReviewAsk, job: Job, parts: Services) -> None:
    """Review what was asked for and say so on GitHub. Gone through again after a crash, it pays and posts nothing twice."""
    async with github.opened(parts.identity, ask.pull, parts.pace) as host:
        if await parts.store.reviews.has(job.id):
            await parts.store.checks.ended(job.id)
            return
        seen = await look(ask.pull, host, job, parts)
        visit = ReviewRun(policy.bound(ask, seen.facts), job, host, parts, seen)
        try:
            settings = await parts.resolve(visit.seen.file)
        except UsageError as error:
            await _left(visit, str(error))
            return
        await _moved(visit, ask, settings)
        decision = policy.decide(visit.seen.facts, visit.ask, settings.triggers, paused=visit.seen.paused)
        if isinstance(decision, No):
            if not decision.quiet:
                await _left(visit, decision.reason)
        elif ask.trigger in policy.ASKED or not await _known(visit):
            await _checked(visit, settings, decision)


async def _moved(visit: ReviewRun, ask: ReviewAsk, settings: Config) -> None:
    """Say below the command that it holds for another commit than the one that is the head now."""
    if visit.ask is not ask and ask.comment is not None and visit.seen.facts.state == "open":
        await asking.moved(ask.comment, ask.head, visit.head, visit.host, settings)


async def _known(visit: ReviewRun) -> bool:
    """Whether this very change has its review already: a late delivery, a catch-up."""
    last = keeping.place(await visit.parts.store.reviews.last(visit.ask.pull))
    return last == (visit.seen.bases.merge_base, visit.head)


async def _left(visit: ReviewRun, reason: str) -> None:
    """There is no review, and the check run says why."""
    number = await _begun(visit)
    await checks.ended(visit.host, number, visit.job.id, reason)
    await visit.parts.store.checks.ended(visit.job.id)


async def _begun(visit: ReviewRun, language: str = "en") -> int:
    """The check run of this job, remembered until it is ended."""
    number = await checks.start(visit.host, visit.head, visit.job.id, language)
    await keeping.begun(visit.ask.pull, visit.host, number, visit.job.id, visit.parts.store)
    return number


async def _checked(visit: ReviewRun, settings: Config, decision: Go) -> None:
    """The review within its check run, which is ended whatever happens."""
    language = settings["language"]
    number = await _begun(visit, language)

    async def end(says: str, ending: Ending = "neutral") -> None:
        await checks.ended(visit.host, number, visit.job.id, says, ending, language)

    try:
        await _published(visit, number, settings, decision)
    except NothingToReview:
        await end("the head adds nothing to the base branch.", "success")
    except Superseded:
        await end(keeping.SUPERSEDED, "cancelled")
        await visit.parts.store.checks.ended(visit.job.id)
        raise
    except SAID as error:
        await end(str(error))
    await visit.parts.store.checks.ended(visit.job.id)


async def _published(visit: ReviewRun, number: int, settings: Config, decision: Go) -> None:
    """Fetch and review, publish, keep: the straight line of a server."""
    job, host, parts = visit.job, visit.host, visit.parts
    started = time.time()
    made = await job.unless_cancelled(_reviewed(visit, number, settings, decision))
    if isinstance(made, No):
        await checks.ended(host, number, job.id, made.reason)
        return
    done = made.review

    def comments(one: Review) -> Comments:  # rendered anew only where GitHub has refused places
        return made.comments if one == done else parts.comments(one)

    try:
        outcome = await publish(host, done, comments, job.id, job.current)
    except HostRefused as refused:  # a locked conversation, a permission withheld: it stands in the check run alone
        await checks.done(host, number, job.id, done, PublishResult(0, 0, "", (str(refused),)), made.page)
        parts.told(done, f"{visit.ask.pull.owner}/{visit.ask.pull.name}")
        return
    ending = await checks.done(host, number, job.id, done, outcome, made.page)
    await parts.store.reviews.keep(
        keeping.finished(visit.ask, job.id, done, ending, started, made.written, fork=visit.seen.facts.fork)
    )
    parts.told(done, f"{visit.ask.pull.owner}/{visit.ask.pull.name}")


async def _reviewed(visit: ReviewRun, number: int, settings: Config, decision: Go) -> Made | No:
    """The review of the fetched change, or why there is none after all. What was fetched is gone before anything is posted."""
    ask, job, host, parts = visit.ask, visit.job, visit.host, visit.parts

    async def shown(says: str) -> None:
        await checks.progress(host, number, job.id, says, settings["language"])

    async with fetched(ask.pull, visit.seen.facts, visit.seen.bases, parts) as pull:
        refused = await parts.untouched(pull, settings, ask.trigger) if settings.triggers.paths else None
        if refused is not None:
            return refused
        change = Change(
            pull=pull,
            flags={"strategy": "offline"} if decision.offline else {},
            journal=journals.name(ask, visit.head, visit.seen.bases.merge_base, job.id),
            earlier=await parts.store.reviews.last(ask.pull),
            full=ask.full,
            note=decision.reason,
            ignored=await keeping.ignored(ask.pull, parts.store),
        )
        async with _paid(visit, change, settings) as allowed, progress(shown) as say:
            return await parts.review(allowed, say)


@asynccontextmanager
async def _paid(visit: ReviewRun, change: Change, settings: Config) -> AsyncIterator[Change]:
    """The review with what the day leaves it to spend; without any model if a cap of the day is reached."""
    ask, parts = visit.ask, visit.parts
    if change.flags.get("strategy") == "offline" or not parts.model(settings):
        yield change
        return
    unasked = visit.seen.facts.fork and ask.trigger not in policy.ASKED
    forks = settings.triggers.fork_reviews_per_day if unasked else None
    async with spending.reserved(ask.pull, change.journal, settings, parts, job=visit.job.id, forks=forks) as grant:
        if isinstance(grant, Exhausted):
            note = f"Reviewed without a model: {spending.sentence(grant)}"
            yield replace(change, flags={"strategy": "offline"}, note=note)
        elif grant.usd < settings["usd"]:
            yield replace(change, flags={"usd": grant.usd})
        else:
            yield change
