"""A review as a server's job: what it saw first is recorded, money is reserved in the database, and the result is stored."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from bot import github
from bot.brief import Brief
from bot.config import policy
from bot.errors import (
    BudgetSpent,
    GitError,
    HostRefused,
    OverLimit,
    ProviderError,
    ReplUnavailable,
    SupersededError,
    UsageError,
)
from bot.github import Host
from bot.payloads import MadeReview
from bot.ports import Job
from bot.publish import checks
from bot.publish.checks import CheckEnding
from bot.values import Ending, Follow, PullFacts, PullRequest, ReviewAsk
from bot.values.daily import CapReached
from bot.values.review import Lack
from bot.workflow import (
    asking,
    ci_failures,
    concluding,
    journals,
    keeping,
    learning,
    packages,
    paging,
    reviewing,
    spending,
)
from bot.workflow.backend import Backend, CheckRun, Funds, ReviewResult, ReviewRun
from bot.workflow.fetching import fetch
from bot.workflow.looking import PullState, look
from bot.workflow.parts import Services

LASTING = (UsageError, GitError, ProviderError, BudgetSpent, ReplUnavailable, OverLimit)


async def review(ask: ReviewAsk, job: Job, parts: Services) -> None:
    """Review what was asked for and say so on GitHub. Gone through again after a crash, it pays and posts nothing twice."""
    async with github.open_pull(parts.identity, ask.pull, parts.pace) as host:
        await _review(ask, host, job, parts)


async def _review(ask: ReviewAsk, host: Host, job: Job, parts: Services) -> None:
    is_stored = await parts.store.reviews.has(job.id)
    if is_stored and job.id not in [run for run, _ in await parts.store.checks.of(ask.pull)]:
        await paging.follow(ask.pull, host, parts, job.id.rpartition("~")[2])
        return
    state = await look(ask.pull, host, job, parts)
    if state.facts.state == "open":
        await parts.store.reviews.close(ask.pull, None)
    ask = await asking.as_allowed(ask, host)
    side, bound = ServerSide(job, parts), policy.bound(ask, state.facts, stranger=state.stranger)
    try:
        settings = await parts.resolve(state.file, state.organization)
    except UsageError as error:
        await side.end_unreadable(ask, host, state, str(error))
        await parts.remember_failure(ask, str(error))
        return
    if ask.comment is not None and bound.trigger not in policy.ASKED and state.facts.state == "open":
        await asking.tell_moved(ask, ask.comment, state.facts, host, settings)
    run = ReviewRun(job.id, bound, host, state, settings)
    words = await keeping.words(ask.pull, parts.store)
    made_review = await paging.read_stored(run, parts) if is_stored else None
    result = await reviewing.review(run, side.backend(), made_review, again=ask.trigger in policy.ASKED)
    if isinstance(result.fault, SupersededError):
        raise result.fault
    if result.review is not None:
        await paging.schedule_same_head(ask.pull, state.facts.head_sha, parts, job.id.rpartition("~")[2])
    if result.outcome is not None:
        await _follow_up(run, parts, was_stored=is_stored)
    if is_stored or await keeping.words(ask.pull, parts.store) != words:  # people have spoken while it was made
        await parts.submit(Follow(ask.pull), f"words-{job.id.rpartition('~')[2]}")
    if result.fault is not None:
        await parts.remember_failure(ask, str(result.fault))


async def _follow_up(run: ReviewRun, parts: Services, *, was_stored: bool) -> None:
    """What is due once a review is posted. `was_stored`: an earlier try has stored it, and could not post it."""
    if was_stored:
        await keeping.note_posted(run.ask.pull, run.id, parts.store)
    if run.settings.ci and await ci_failures.is_due(run.host, run.state.facts.head_sha):
        await parts.submit(Follow(run.ask.pull, run.state.facts.head_sha), f"ci-{run.id}")


@dataclass(frozen=True, slots=True)
class ServerSide:
    """What a review in a job of a server is given."""

    job: Job
    parts: Services

    def backend(self) -> Backend:
        """All of it. What is final is shown in the check run; other errors, and a refusal of GitHub's, are faults of the moment: the job is repeated."""
        return Backend(
            final=(HostRefused, *LASTING) if self.job.last else LASTING,
            decline=self.decline,
            verdict=self.verdict,
            check=self.check,
            fetch=lambda run: fetch(run.ask.pull, run.state.facts, run.state.bases, self.parts),
            no_review_reason=self.parts.no_review_reason,
            consumers=lambda run: packages.fetch_users(run, self.parts),
            brief=self.brief,
            funds=self.funds,
            review=lambda _, brief, say: self.parts.review(brief, say),
            comments=lambda _, review: self.parts.comments(review),
            is_known=self.is_known,
            unless_cancelled=self.job.unless_cancelled,
            current=self.job.current,
            keep=self.keep,
        )

    async def decline(self, run: ReviewRun, result: ReviewResult) -> None:
        """Report it in a check run."""
        verdict = result.verdict or CheckEnding(result.conclusion)
        await self._left(run.ask, run.host, run.state.facts, result.says, verdict, is_left_out=result.is_left_out)

    async def end_unreadable(self, ask: ReviewAsk, host: Host, state: PullState, reason: str) -> None:
        """Make a check run that says why the settings cannot be used."""
        verdict = await concluding.of_head(ask.pull, state.facts, None, self.parts.store)
        if not verdict.is_reviewed:
            verdict = CheckEnding(policy.unreadable(*state.files))
        await self._left(ask, host, state.facts, reason, verdict)

    async def _left(
        self,
        ask: ReviewAsk,
        host: Host,
        facts: PullFacts,
        reason: str,
        verdict: CheckEnding,
        *,
        is_left_out: bool = False,
    ) -> None:
        number = await self._begin(ask, host, facts, verdict.ending)
        await checks.end_without_review(host, number, self.job.id, reason, verdict, is_left_out=is_left_out)
        await self.parts.store.checks.remove(self.job.id)

    async def verdict(self, run: ReviewRun, lacks: Lack, own: Ending | None) -> CheckEnding:
        """By the stored reviews of the head."""
        return await concluding.of_head(run.ask.pull, run.state.facts, run.settings, self.parts.store, lacks, own)

    async def is_known(self, run: ReviewRun) -> bool:
        """Whether the last review was of this change: a late delivery, a catch-up, a pull request that is opened again."""
        facts, last = run.state.facts, await self.parts.store.reviews.last(run.ask.pull)
        here = (run.state.bases.merge_base, facts.head_sha, facts.base_ref)
        if concluding.place(last) != here:
            return False
        delivery = self.job.id.rpartition("~")[2]
        if not await checks.is_shown(run.host, facts.head_sha, await self.verdict(run, "unreviewed", None)):
            await paging.follow(run.ask.pull, run.host, self.parts, delivery)
        await paging.schedule_same_head(run.ask.pull, facts.head_sha, self.parts, delivery)
        return True

    @asynccontextmanager
    async def check(self, run: ReviewRun) -> AsyncIterator[CheckRun]:
        """The check run of this job, remembered until it is ended."""
        number = await self._begin(run.ask, run.host, run.state.facts, run.ending_without_review, run.language)
        yield CheckRun(run, number)
        await self.parts.store.checks.remove(self.job.id)

    async def _begin(
        self, ask: ReviewAsk, host: Host, facts: PullFacts, broken_ending: Ending, language: str = "en"
    ) -> int:
        owner = checks.CheckOwner(self.job.id, language, broken_ending)
        number = await checks.start(host, facts.head_sha, owner)
        await keeping.remember_check(ask.pull, host, number, self.job.id, self.parts.store)
        return number

    async def brief(self, run: ReviewRun, pull: PullRequest) -> Brief:
        """The review to make, built upon the stored one, under the rules in force."""
        if await learning.learn(run.ask.pull, run.host, run.language, self.parts.store, self.job.stored_at):
            await paging.schedule_others(run.ask.pull, self.parts, self.job.id)
        return replace(
            run.state.brief(pull, run.settings, journals.name(run.ask, pull.head, pull.base, self.job.id)),
            full=run.ask.full,
            run=bool(self.parts.settings.run),
            ignored_findings=await keeping.ignored_findings(run.ask.pull, self.parts.store),
            rules=await self.parts.store.rules.in_force(run.ask.pull.repository),
            earlier=await self.parts.store.reviews.memory(run.ask.pull),
        )

    @asynccontextmanager
    async def funds(self, run: ReviewRun, brief: Brief) -> AsyncIterator[Funds]:
        """What the caps in the database leave, reserved for this review."""
        if not self.parts.model(run.settings):
            yield Funds(model=False)
            return
        forks = run.settings.triggers.fork_reviews_per_day if run.is_automatic else None
        reservation = spending.reserve(
            run.ask.pull, brief.journal, run.settings, self.parts, job=self.job.id, forks=forks
        )
        async with reservation as grant:
            if isinstance(grant, CapReached):
                yield Funds(refusal=f"Reviewed without a model: {spending.sentence(grant)}")
            else:
                yield Funds(grant.usd)

    async def keep(
        self, run: ReviewRun, ending: Ending, made_review: MadeReview, start: float, is_posted: bool
    ) -> None:
        """Store a review that holds, and count it."""
        memory = made_review.memory
        if not is_posted and memory is not None:
            memory = await asyncio.to_thread(keeping.with_unsaid, memory, made_review.review)
        row = keeping.review_row(
            run.ask,
            self.job.id,
            made_review.review,
            ending,
            start,
            made_review.json_text,
            memory,
            fork=run.state.facts.fork,
            journal=journals.name(run.ask, made_review.review.pull.head, made_review.review.pull.base, self.job.id),
        )
        await self.parts.store.reviews.keep(row)
        await self.parts.store.failures.clear(run.ask.pull.key)
        self.parts.record_metrics(made_review.review, f"{run.ask.pull.owner}/{run.ask.pull.name}")
