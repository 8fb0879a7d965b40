"""A review as a server's job: what it saw first is recorded, money is reserved in the database, and the result is stored."""

from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

from bot import github
from bot.config import policy
from bot.config.policy import No
from bot.errors import (
    BudgetSpent,
    DeepRepoError,
    GitError,
    HostRefused,
    OverLimit,
    ProviderError,
    ReplUnavailable,
    Superseded,
    UsageError,
)
from bot.github import Host
from bot.outputs.posts import Comments
from bot.payloads import Change, Made
from bot.ports import Job
from bot.publish import checks
from bot.values import Ending, PullFacts, PullRef, PullRequest, Review, ReviewAsk
from bot.values.daily import Exhausted
from bot.workflow import asking, journals, keeping, learning, paging, reviewing, spending
from bot.workflow.backend import CheckRun, Funds, ReviewResult, ReviewRun
from bot.workflow.fetching import fetched
from bot.workflow.looking import look
from bot.workflow.parts import Services
from bot.workflow.progress import Say

Result = TypeVar("Result")


async def review(ask: ReviewAsk, job: Job, parts: Services) -> None:
    """Review what was asked for and say so on GitHub. Gone through again after a crash, it pays and posts nothing twice."""
    async with github.opened(parts.identity, ask.pull, parts.pace) as host:
        if await parts.store.reviews.has(job.id):
            await parts.store.checks.ended(job.id)
            await paging.follow(ask.pull, host, parts)
            return
        seen = await look(ask.pull, host, job, parts)
        ask = await asking.allowed(ask, host, job)
        backend, bound = ServerBackend(job, parts), policy.bound(ask, seen.facts, stranger=seen.stranger)
        try:
            settings = await parts.resolve(seen.file, seen.bound)
        except UsageError as error:
            await backend.left(ask, host, seen.facts, str(error), policy.unreadable(seen.file, seen.bound))
            await parts.failed(ask, str(error))
            return
        if ask.comment is not None and bound.trigger not in policy.ASKED and seen.facts.state == "open":
            await asking.moved(ask, ask.comment, seen.facts, host, settings)
        run = ReviewRun(job.id, bound, host, seen, settings)
        result = await reviewing.review(run, backend, again=ask.trigger in policy.ASKED)
        if isinstance(result.fault, Superseded):
            raise result.fault
        if result.outcome is not None and await _words(ask.pull, parts):  # people may have spoken while it was made
            await paging.follow(ask.pull, host, parts)
        if result.fault is not None:
            await parts.failed(ask, str(result.fault))


async def _words(pull: PullRef, parts: Services) -> bool:
    """Whether anything is silenced in this pull request."""
    return bool(await keeping.ignored(pull, parts.store) or await parts.store.rules.confirmed(pull.repository))


@dataclass(frozen=True, slots=True)
class ServerBackend:
    """What a review in a job of a server is given."""

    job: Job
    parts: Services

    @property
    def final(self) -> tuple[type[DeepRepoError], ...]:
        """The errors that the check run shows. Others are faults of the moment: the job is repeated."""
        return (HostRefused, UsageError, GitError, ProviderError, BudgetSpent, ReplUnavailable, OverLimit)

    async def decline(self, run: ReviewRun, no: No) -> None:
        """Report it in the check run."""
        if not no.quiet:
            await self.left(run.ask, run.host, run.seen.facts, no.reason, policy.unreviewed(run.settings, no.lacks))

    async def left(self, ask: ReviewAsk, host: Host, facts: PullFacts, reason: str, ending: Ending) -> None:
        """Make a check run that says why there is no review."""
        number = await self._begun(ask, host, facts, ending)
        await checks.ended(host, number, self.job.id, reason, ending, head=facts.head_sha, declined=True)
        await self.parts.store.checks.ended(self.job.id)

    async def known(self, run: ReviewRun) -> bool:
        """Whether the last review was of this change: a late delivery, a catch-up."""
        facts, last = run.seen.facts, keeping.place(await self.parts.store.reviews.last(run.ask.pull))
        if last != (run.seen.bases.merge_base, facts.head_sha, facts.base_ref):
            return False
        state = await checks.settle(run.host, facts, run.language)
        outcome = state.outcome((run.ask.pull.number, facts.base_ref))
        return outcome.reviewed is not None and outcome.without is None

    @asynccontextmanager
    async def check(self, run: ReviewRun) -> AsyncIterator[CheckRun]:
        """The check run of this job, remembered until it is ended."""
        yield CheckRun(run, await self._begun(run.ask, run.host, run.seen.facts, run.unreviewed, run.language))
        await self.parts.store.checks.ended(self.job.id)

    async def _begun(self, ask: ReviewAsk, host: Host, facts: PullFacts, broken: Ending, language: str = "en") -> int:
        base, head = facts.base_ref, facts.head_sha
        number = await checks.start(host, head, self.job.id, language, base=base, broken=broken)
        await keeping.begun(ask.pull, host, number, self.job.id, self.parts.store)
        return number

    async def unless_cancelled(self, work: Awaitable[Result]) -> Result:
        """Await it while the job is wanted."""
        return await self.job.unless_cancelled(work)

    @asynccontextmanager
    async def fetched(self, run: ReviewRun) -> AsyncIterator[PullRequest]:
        """The change, fetched with a token of its own."""
        async with fetched(run.ask.pull, run.seen.facts, run.seen.bases, self.parts) as pull:
            yield pull

    async def untouched(self, run: ReviewRun, pull: PullRequest) -> No | None:
        """Why there is no review, now that the changed files are known; found out in a child process."""
        return await self.parts.untouched(pull, run.settings, run.ask.trigger)

    async def change(self, run: ReviewRun, pull: PullRequest) -> Change:
        """The review to make, built upon the stored one, under the rules in force."""
        if await learning.learn(run.ask.pull, run.host, run.language, self.parts.store):
            await paging.schedule_others(run.ask.pull, self.parts, self.job.id)
        return Change(
            pull=pull,
            flags={"foreign": run.seen.stranger},
            journal=journals.name(run.ask, pull.head, pull.base, self.job.id),
            earlier=await self.parts.store.reviews.last(run.ask.pull),
            full=run.ask.full,
            ignored=await keeping.ignored(run.ask.pull, self.parts.store),
            rules=await self.parts.store.rules.confirmed(run.ask.pull.repository),
            bound=run.seen.bound,
        )

    @asynccontextmanager
    async def funds(self, run: ReviewRun, change: Change) -> AsyncIterator[Funds]:
        """What the caps in the database leave, reserved for this review."""
        if not self.parts.model(run.settings):
            yield Funds(model=False)
            return
        forks = run.settings.triggers.fork_reviews_per_day if run.unasked else None
        reserved = spending.reserved(
            run.ask.pull, change.journal, run.settings, self.parts, job=self.job.id, forks=forks
        )
        async with reserved as grant:
            if isinstance(grant, Exhausted):
                yield Funds(refused=f"Reviewed without a model: {spending.sentence(grant)}")
            else:
                yield Funds(grant.usd)

    async def review(self, _: ReviewRun, change: Change, say: Say) -> Made:
        """The review with all its texts, from a child process."""
        return await self.parts.review(change, say)

    def comments(self, _: ReviewRun, review: Review) -> Comments:
        """The comments, from a child process."""
        return self.parts.comments(review)

    async def current(self) -> bool:
        """Whether the job is still wanted."""
        return await self.job.current()

    async def keep(self, run: ReviewRun, result: ReviewResult, made: Made, started: float) -> None:
        """Store a review that was posted, and count it."""
        if result.outcome is not None:
            row = keeping.finished(
                run.ask,
                self.job.id,
                made.review,
                result.conclusion,
                started,
                made.written,
                fork=run.seen.facts.fork,
                journal=journals.name(run.ask, made.review.pull.head, made.review.pull.base, self.job.id),
            )
            await self.parts.store.reviews.keep(row)
            await self.parts.store.failures.clear(run.ask.pull.key)
        self.parts.told(made.review, f"{run.ask.pull.owner}/{run.ask.pull.name}")
