"""A review as a server's job: what it saw first is recorded, money is reserved in the database, and the result is stored."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, replace

from bot import config, github
from bot.brief import Brief
from bot.config import policy
from bot.config.policy import No
from bot.errors import (
    BudgetSpent,
    DeepRepoError,
    GitError,
    HostError,
    HostRefused,
    OverLimit,
    ProviderError,
    ReplUnavailable,
    SupersededError,
    UsageError,
)
from bot.github import Host
from bot.jobs import Job
from bot.outputs import json_file
from bot.outputs.posts import Comments
from bot.payloads import MadeReview
from bot.publish import checks
from bot.publish.checks import CheckEnding
from bot.render import line, load, visible
from bot.storage import FinishedReview, Grant, StoredFinding
from bot.values import Ending, Finding, Follow, PullRequest, Review, ReviewAsk
from bot.values.consumer import Consumers
from bot.values.review import Lack
from bot.workflow import asking, ci_failures, concluding, journals, packages, spending
from bot.workflow.learning import Lessons
from bot.workflow.looking import PullState
from bot.workflow.parts import Services, remember_failure
from bot.workflow.progress import Say
from bot.workflow.reviewing import SUPERSEDED, Funds, ReviewResult, ReviewRun

LASTING = (UsageError, GitError, ProviderError, BudgetSpent, ReplUnavailable, OverLimit)
TITLE = 200  # characters of a pull request's title in a list


async def review(ask: ReviewAsk, job: Job, parts: Services) -> None:
    """Review what was asked for and say so on GitHub. Gone through again after a crash, it pays and posts nothing twice."""
    async with github.open_pull(parts.identity, ask.pull, parts.pace) as host:
        is_stored = await parts.store.reviews.has(job.id)
        if is_stored and job.id not in [run for run, _ in await parts.store.checks.of(ask.pull)]:
            await concluding.follow(ask.pull, host, parts, job.delivery)
            return
        state = await parts.look(ask.pull, host, job)
        if state.facts.state == "open":
            await parts.store.reviews.close(ask.pull, None)
        ask = await asking.as_allowed(ask, host)
        try:
            settings = await parts.resolve(state.file, state.organization)
        except UsageError as error:
            await _end_unreadable(ask, host, state, job, parts, str(error))
            await remember_failure(ask, str(error), parts.store)
            return
        bound = policy.bound(ask, state.facts, stranger=state.stranger)
        if ask.comment is not None and bound.trigger not in policy.ASKED and state.facts.state == "open":
            await asking.tell_moved(ask, ask.comment, state.facts, host, settings)
        words = await concluding.words(ask.pull, parts.store)
        run = ServerRun(job.id, bound, host, state, settings, job, parts)
        result = await run.review(again=ask.trigger in policy.ASKED)
        if isinstance(result.fault, SupersededError):
            raise result.fault
        if result.posted is not None:
            await _follow_up(run, was_stored=is_stored)
        if is_stored or await concluding.words(ask.pull, parts.store) != words:  # people have spoken while it was made
            await parts.jobs.submit(Follow(ask.pull), f"words-{job.delivery}")
        if result.fault is not None:
            await remember_failure(ask, str(result.fault), parts.store)


async def _end_unreadable(ask: ReviewAsk, host: Host, state: PullState, job: Job, parts: Services, reason: str) -> None:
    """Make a check run that says why the settings cannot be used."""
    verdict = await concluding.of_head(ask.pull, state.facts, None, parts.store)
    if not verdict.is_reviewed:
        verdict = CheckEnding(policy.unreadable(*state.files))
    run = ServerRun(job.id, ask, host, state, config.resolve({}, None, parts.settings), job, parts)
    await run.decline(ReviewResult(verdict, reason))


async def _follow_up(run: "ServerRun", *, was_stored: bool) -> None:
    """What is due once a review is posted. `was_stored`: an earlier try has stored it, and could not post it."""
    reviews, pull = run.parts.store.reviews, run.ask.pull
    stored = await reviews.newest(pull) if was_stored else None
    if stored is not None and stored.id == run.id and stored.memory is not None:
        memory = await asyncio.to_thread(json_file.with_unsaid, stored.memory, ())
        await reviews.rewrite(run.id, stored.output, memory)
    if run.settings.ci and await ci_failures.is_due(run.host, run.state.facts.head_sha):
        await run.parts.jobs.submit(Follow(pull, run.state.facts.head_sha), f"ci-{run.id}")


@dataclass
class ServerRun(ReviewRun):
    """A review in a job of a server."""

    job: Job
    parts: Services

    @property
    def final(self) -> tuple[type[DeepRepoError], ...]:
        """What is shown in the check run; other errors, and a refusal of GitHub's, are faults of the moment: the job is repeated."""
        return (HostRefused, *LASTING) if self.job.last else LASTING

    async def decline(self, result: ReviewResult) -> None:
        """Report it in a check run."""
        async with self.check_run():
            await self.end_check(result)

    async def verdict(self, lacks: Lack = "unreviewed", own: Ending | None = None) -> CheckEnding:
        """By the stored reviews of the head."""
        return await concluding.of_head(self.ask.pull, self.state.facts, self.settings, self.parts.store, lacks, own)

    async def stored(self) -> MadeReview | None:
        """What an earlier try of this job has stored; None if the pull request has gone on since."""
        pull, store = self.ask.pull, self.parts.store
        if not await store.reviews.has(self.id):
            return None
        row = await concluding.review_of_head(pull, self.state.facts, store)
        return await concluding.made_again(row, pull, self.parts) if row is not None and row.id == self.id else None

    async def is_known(self) -> bool:
        """Whether the last review was of this change: a late delivery, a catch-up, a pull request that is opened again."""
        facts, last = self.state.facts, await self.parts.store.reviews.last(self.ask.pull)
        if concluding.place(last) != (self.state.bases.merge_base, facts.head_sha, facts.base_ref):
            return False
        if not await checks.is_shown(self.host, facts.head_sha, await self.verdict()):
            await concluding.follow(self.ask.pull, self.host, self.parts, self.job.delivery)
        return True

    @asynccontextmanager
    async def check_run(self) -> AsyncIterator[None]:
        """The check run of this job, remembered until it is ended; those that a dead process left on earlier heads are ended now."""
        open_checks, pull = self.parts.store.checks, self.ask.pull
        self.check = await checks.start(self.host, self.state.facts.head_sha, self.check_owner)
        for other, left in await open_checks.of(pull):
            if other != self.id:
                with suppress(HostError):
                    if left != self.check:
                        await checks.end_without_review(self.host, left, other, SUPERSEDED, CheckEnding("cancelled"))
                    await open_checks.remove(other)
        await open_checks.add(pull, self.check, self.id, time.time())
        yield
        await open_checks.remove(self.id)

    def fetch(self) -> AbstractAsyncContextManager[PullRequest]:
        """The change, fetched with a token of its own."""
        return self.parts.fetch(self.ask.pull, self.state)

    async def brief(self, pull: PullRequest) -> Brief:
        """The review to make, built upon the stored one, under the rules in force."""
        asked, store = self.ask.pull, self.parts.store
        await Lessons(asked, self.host, load(self.settings.language), store).learn()
        ignored_findings, rules = await concluding.words(asked, store)
        return replace(
            self.state.brief(pull, self.settings, journals.name(self.ask, pull.head, pull.base, self.id)),
            full=self.ask.full,
            run=bool(self.parts.settings.run),
            ignored_findings=ignored_findings,
            rules=rules,
            earlier=await store.reviews.memory(asked),
        )

    async def no_review_reason(self, brief: Brief) -> No | None:
        """Ask a child process for the changed files."""
        return await self.parts.no_review_reason(brief, self.ask.trigger)

    def consumers(self) -> AbstractAsyncContextManager[Consumers]:
        """The repositories of the installation, and those that the owner's file names."""
        return packages.fetch_users(self, self.parts)

    @asynccontextmanager
    async def funds(self, brief: Brief) -> AsyncIterator[Funds]:
        """What the caps in the database leave, reserved for this review."""
        if not self.parts.model(self.settings):
            yield Funds(model=False)
            return
        forks = self.settings.triggers.fork_reviews_per_day if self.is_automatic else None
        reservation = spending.reserve(
            self.ask.pull, brief.journal, self.settings, self.parts, job=self.id, forks=forks
        )
        async with reservation as grant:
            if isinstance(grant, Grant):
                yield Funds(grant.usd)
            else:
                yield Funds(refusal=f"Reviewed without a model: {spending.sentence(grant)}")

    async def make(self, brief: Brief, say: Say) -> MadeReview:
        """Make the review in a child process."""
        return await self.parts.review(brief, say)

    def comments(self, review: Review) -> Comments:
        """Render its comments once more."""
        return self.parts.comments(review)

    async def unless_cancelled(self, work: Awaitable[MadeReview | No]) -> MadeReview | No:
        """Await it. Raises SupersededError within a second of the job's own end."""
        return await self.job.unless_cancelled(work)

    async def is_current(self) -> bool:
        """Whether the job is still wanted, and this process the one to do it."""
        return await self.job.current()

    async def keep(self, made: MadeReview, ending: Ending, start: float, *, is_posted: bool) -> None:
        """Store a review that holds, and count it. What could not be posted, the next round says."""
        memory = made.memory
        if not is_posted and memory is not None:
            unsaid = [item.finding.number for item in made.review.reported if item.place != "folded"]
            memory = await asyncio.to_thread(json_file.with_unsaid, memory, unsaid)
        await self.parts.store.reviews.keep(replace(self._row(made, ending, start), memory=memory))
        await self.parts.store.failures.clear(self.ask.pull.key)
        self.parts.record_metrics(made.review, f"{self.ask.pull.owner}/{self.ask.pull.name}")

    def _row(self, made: MadeReview, ending: Ending, start: float) -> FinishedReview:
        """The row of a review."""
        review, said = made.review, ("new", "still", "fixed", "silenced")
        finding_rows = [_finding_row(row.finding) for row in review.findings if row.finding.status in said]
        fixed = review.having("fixed")
        silenced = (
            (one.identity, one.silencing.rule) for one in review.having("silenced") if one.silencing is not None
        )
        return FinishedReview(
            id=self.id,
            pull=self.ask.pull,
            head=review.pull.head,
            trigger=self.ask.trigger,
            round=review.round.number,
            started=start,
            finished=time.time(),
            conclusion=ending,
            strategy=review.strategy.name,
            calls=review.cost.calls,
            tokens=review.cost.usage.input + review.cost.usage.output,
            usd=review.cost.usd,
            output=made.json_text.encode(),
            fork=self.state.facts.fork,
            accepted=frozenset(one.identity for one in fixed if one.how == "accepted"),
            by_rule={mark: rule.number for mark, rule in silenced if rule is not None and rule.learned},
            title=line(visible(review.pull.title))[:TITLE],
            state=review.cut.fault or ("partial" if review.cut.partial else "findings" if review.open else "clean"),
            found=len(review.reported),
            still=len(review.still),
            fixed=len(fixed),
            journal=journals.name(self.ask, review.pull.head, review.pull.base, self.id),
            findings=tuple({row.fingerprint: row for row in reversed(finding_rows)}.values()),
        )


def _finding_row(finding: Finding) -> StoredFinding:
    """The row of a finding. A model's words may hold characters that no database takes."""
    path, title = visible(finding.path), line(finding.title)
    return StoredFinding(finding.identity, finding.status, finding.severity, finding.kind, finding.source, path, title)
