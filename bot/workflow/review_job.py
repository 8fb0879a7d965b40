"""A review as a server's job: money is reserved in the database, and the result is stored."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial

from bot import config, github
from bot.brief import Brief
from bot.config import policy
from bot.config.policy import No
from bot.errors import GitError, HostError, HostRefused, OverLimit, SupersededError, UsageError
from bot.github import Host
from bot.jobs import Job
from bot.outputs import facts, json_file
from bot.payloads import MadeReview
from bot.publish import checks, notice
from bot.publish.checks import CheckEnding
from bot.render import line, load, visible
from bot.storage import FinishedReview, Grant, StoredFinding
from bot.values import Ending, Finding, Follow, PullRequest, ReviewAsk
from bot.values.ask import ASKED
from bot.values.review import Lack
from bot.workflow import (
    ci_failures,
    conclusions,
    journals,
    packages,
    push_count,
    refresh_job,
    replies,
    spending,
    unread,
)
from bot.workflow.learning import Lessons
from bot.workflow.pull_state import PullState
from bot.workflow.review_run import (
    SUPERSEDED,
    Funds,
    ReviewResult,
    ReviewRun,
    ReviewTools,
    end_check,
    refused,
    run_review,
)
from bot.workflow.services import Services, remember_failure
from rlm.errors import BudgetSpent, ProviderError, ReplUnavailable

FORBIDDEN = 403
KNOWN = "this commit was reviewed before, and nothing has changed since."
LASTING = (UsageError, GitError, ProviderError, BudgetSpent, ReplUnavailable, OverLimit)
TITLE = 200  # characters of a pull request's title in a list


async def run(ask: ReviewAsk, job: Job, services: Services) -> None:
    """Review what was asked for and say so on GitHub. Gone through again after a crash, it pays for no finished call twice, and posts nothing twice."""
    services.prepare()  # while GitHub is asked: it takes the longer of the two, not both
    async with github.open_pull(services.identity, ask.pull, services.pace) as host:
        try:
            await _run(ask, host, job, services)
        except HostError as error:
            await unread.begin(ask, job.id, host, services, str(error))
            raise


async def _run(ask: ReviewAsk, host: Host, job: Job, services: Services) -> None:
    store = services.store
    is_kept = await store.reviews.has(job.id)  # by an earlier attempt
    state = await services.read_pull(host)
    if is_kept and not await _has_begun(ask, job, services):
        await refresh_job.refresh(state, await services.settings_of(state), host, services, job.delivery)
        return
    if state.facts.state == "open":
        await store.reviews.close(ask.pull, None)
    ask = await replies.as_permitted(ask, host)
    try:
        settings = await services.resolve(state.file, state.organization)
    except UsageError as error:
        await _end_unreadable(ask, host, state, job, services, str(error))
        await remember_failure(ask, str(error), store)
        return
    bound = policy.bound(ask, state.facts, stranger=state.stranger)
    if ask.comment is not None and bound.trigger not in ASKED and state.facts.state == "open":
        await replies.tell_moved(ask, ask.comment, state.facts, host)
    pushes = await push_count.count_pushes(host, bound, job.id, settings.pause_after)
    run = ReviewRun(job.id, bound, host, state, settings, pushes)
    await _review(run, job, services, again=is_kept or ask.trigger in ASKED)


async def _has_begun(ask: ReviewAsk, job: Job, services: Services) -> bool:
    """Whether an earlier try of this job has a check run that is not ended."""
    return job.id in [run for run, _ in await services.store.checks.of(ask.pull)]


async def _review(run: ReviewRun, job: Job, services: Services, *, again: bool) -> None:
    """Decide, review, and see to what follows. `again`: also if this change has its review."""
    pull, memory, store = run.ask.pull, DatabaseMemory(run, services), services.store
    words = await conclusions.silences(pull, store)
    decision = run.decide()
    has_begun = bool(await store.checks.of(pull))  # this review, or one whose place it takes
    if isinstance(decision, No):
        if has_begun or not decision.quiet:
            await _end_check(run, await refused(run, decision, memory), job, services)
        return
    if not again and await memory.is_known(job.delivery):
        if has_begun:
            await _end_check(run, ReviewResult(await memory.check_ending(), KNOWN), job, services)
        return
    result = await run_review(run, decision, memory, _tools(run, job, services))
    if isinstance(result.fault, SupersededError):
        raise result.fault
    if result.fault is not None:
        await remember_failure(run.ask, str(result.fault), store)
    head = run.state.facts.head_sha
    if result.posted is not None and run.settings.ci and await ci_failures.is_due(run.host, head):
        await services.jobs.submit(Follow(pull, head), f"ci-{job.id}")
    if await conclusions.silences(pull, store) != words:  # people have spoken while it was made
        await services.jobs.submit(Follow(pull), f"words-{job.delivery}")


async def _end_unreadable(
    ask: ReviewAsk, host: Host, state: PullState, job: Job, services: Services, reason: str
) -> None:
    """Make a check run that says why the settings cannot be used."""
    conclusion = await conclusions.of_head(ask.pull, state.facts, None, services.store)
    if not conclusion.is_reviewed:
        conclusion = CheckEnding(policy.unreadable(*state.files))
    run = ReviewRun(job.id, ask, host, state, config.resolve({}, None, services.settings))
    await _end_check(run, ReviewResult(conclusion, reason), job, services)


async def _end_check(run: ReviewRun, result: ReviewResult, job: Job, services: Services) -> None:
    """Say in a check run why there is no review; by a comment if there can be none and a review was due."""
    lack = CheckLack(run, services)
    async with _check_run(run, lack, job, services) as check:
        await end_check(run, check, result)
        if check is None and not result.is_left_out and run.state.facts.state == "open":
            await lack.tell(result.says)


@dataclass(slots=True)
class CheckLack:
    """Why this review has no check run. Not frozen: it is known once GitHub has been asked."""

    run: ReviewRun
    services: Services
    why: str = ""

    @property
    def note(self) -> str:
        """A sentence for the summary."""
        return f"There is no check run: {self.why}." if self.why else ""

    async def tell(self, says: str) -> None:
        """Say by a comment what no check run can say."""
        async with self.services.alone_with_checks(self.run.ask.pull):
            await notice.put(self.run.host, load(), says, self.why)


def _tools(run: ReviewRun, job: Job, services: Services) -> ReviewTools:
    """How a server reviews: with tokens of its own and money reserved in the database, in a child process that ends when the job does."""
    lack = CheckLack(run, services)
    return ReviewTools(
        check_run=partial(_check_run, run, lack, job, services),
        fetch=partial(services.fetch, run.ask.pull, run.state),
        consumers=partial(packages.fetch_users, run, services),
        funds=partial(_funds, run, services),
        no_review_reason=services.no_review_reason,
        make=services.review,
        comments=services.comments,
        # Other errors, and a refusal of GitHub's, are faults of the moment: the job is repeated.
        final=(HostRefused, *LASTING) if job.last else LASTING,
        is_current=job.current,
        is_replaced=partial(_is_replaced, run, job, services),
        unless_cancelled=job.unless_cancelled,
        lacks_check=lambda: lack.note,
        tell=lack.tell,
    )


@asynccontextmanager
async def _check_run(run: ReviewRun, lack: CheckLack, job: Job, services: Services) -> AsyncIterator[int | None]:
    """The check run of this job, remembered until it is ended; those that others left on earlier heads are ended now.

    None if GitHub takes none: without the permission at once, for another reason in the last try.
    """
    open_checks, host, pull = services.store.checks, run.host, run.ask.pull
    check: int | None = None
    async with services.alone_with_checks(pull):
        if not await job.current():  # the newer review may have begun its own
            raise SupersededError(SUPERSEDED)
        try:
            check = await checks.start(host, run.state.facts.head_sha, run.check_owner)
        except HostRefused as refusal:
            if refusal.status != FORBIDDEN and not job.last:
                raise
            lack.why = refusal.reason
        else:
            await open_checks.add(pull, check, run.id, time.time())
    if check is None:
        yield None
        return
    for other, left in await open_checks.of(pull):
        with suppress(HostError):
            if left != check:
                await checks.end_without_review(host, left, other, SUPERSEDED, CheckEnding("cancelled"))
                await open_checks.remove(pull, left)
    yield check
    await open_checks.remove(pull, check)


async def _is_replaced(run: ReviewRun, job: Job, services: Services) -> bool:
    """Whether a newer review goes on in the check run of this one or ends it, or has done so."""
    return not await _has_begun(run.ask, job, services) or bool(await services.jobs.reviews(run.ask.pull))


@asynccontextmanager
async def _funds(run: ReviewRun, services: Services, brief: Brief) -> AsyncIterator[Funds]:
    """What the caps in the database leave, reserved for this review."""
    if not services.model(run.settings):
        yield Funds(model=False)
        return
    forks = run.settings.triggers.fork_reviews_per_day if run.is_strangers_push else None
    reservation = spending.reserve(run.ask.pull, brief.journal, run.settings, services, job=run.id, forks=forks)
    async with reservation as grant:
        if isinstance(grant, Grant):
            yield Funds(grant.usd)
        else:
            yield Funds(refusal=f"Reviewed without a model: {spending.sentence(grant)}")


@dataclass(frozen=True, slots=True)
class DatabaseMemory:
    """What a server's database knows of the earlier reviews of a pull request."""

    run: ReviewRun
    services: Services

    async def is_known(self, delivery: str) -> bool:
        """Whether the last review was of this change (a late delivery, a catch-up, a pull request opened again): its check shows then what it comes to now."""
        pull, state, host = self.run.ask.pull, self.run.state, self.run.host
        last = await self.services.store.reviews.last(pull)
        if conclusions.reviewed_change(last) != (state.bases.merge_base, state.facts.head_sha, state.facts.base_ref):
            return False
        if not await checks.is_shown(host, state.facts.head_sha, await self.check_ending()):
            await refresh_job.refresh(state, self.run.settings, host, self.services, delivery)
        return True

    async def brief(self, pull: PullRequest) -> Brief:
        """The review to make, built upon the stored one, under the rules in force."""
        run, asked, store = self.run, self.run.ask.pull, self.services.store
        await Lessons(asked, run.host, load(), store).learn()
        dismissals, rules = await conclusions.silences(asked, store)
        return replace(
            run.state.brief(pull, run.settings, journals.name(run.ask, pull.head, pull.base, run.id)),
            full=run.ask.full,
            run=bool(self.services.settings.run),
            dismissals=dismissals,
            rules=rules,
            earlier=await store.reviews.memory(asked, run.id),
        )

    async def check_ending(self, lacks: Lack = "unreviewed", own: Ending | None = None) -> CheckEnding:
        """By the stored reviews of the head."""
        run = self.run
        return await conclusions.of_head(run.ask.pull, run.state.facts, run.settings, self.services.store, lacks, own)

    async def keep(self, made: MadeReview, ending: Ending, start: float, *, is_posted: bool) -> None:
        """Store a review that holds, and count it. What could not be posted, the next round says."""
        memory, pull, reviews = made.memory, self.run.ask.pull, self.services.store.reviews
        if not is_posted and memory is not None:
            unsaid = [item.finding.number for item in made.review.reported if item.place != "folded"]
            memory = await asyncio.to_thread(json_file.with_unsaid, memory, unsaid)
        row = _row(self.run, made, ending, start)
        if not await reviews.has(self.run.id):
            self.services.record_metrics(made.review, f"{pull.owner}/{pull.name}", row.state)
        await reviews.keep(replace(row, memory=memory))
        await self.services.store.failures.clear(pull.key)


def _row(run: ReviewRun, made: MadeReview, ending: Ending, start: float) -> FinishedReview:
    """The row of a review."""
    review, said = made.review, ("new", "still", "fixed", "silenced")
    finding_rows = [_finding_row(row.finding) for row in review.findings if row.finding.status in said]
    fixed = review.having("fixed")
    silenced = ((one.identity, one.silencing.rule) for one in review.having("silenced") if one.silencing is not None)
    return FinishedReview(
        id=run.id,
        pull=run.ask.pull,
        head=review.pull.head,
        trigger=run.ask.trigger,
        round=review.round.number,
        started=start,
        finished=time.time(),
        conclusion=ending,
        strategy=review.strategy.name,
        calls=review.cost.calls,
        tokens=review.cost.usage.input + review.cost.usage.output,
        usd=review.cost.usd,
        output=made.json_text.encode(),
        fork=run.state.facts.fork,
        accepted=frozenset(one.identity for one in fixed if one.how == "accepted"),
        by_rule={mark: rule.number for mark, rule in silenced if rule is not None and rule.learned},
        title=line(visible(review.pull.title))[:TITLE],
        state=review.cut.fault or facts.conclusion(review),
        found=len(review.reported),
        still=len(review.still),
        fixed=len(fixed),
        journal=journals.name(run.ask, review.pull.head, review.pull.base, run.id),
        findings=tuple({row.fingerprint: row for row in reversed(finding_rows)}.values()),
    )


def _finding_row(finding: Finding) -> StoredFinding:
    """The row of a finding. A model's words may hold characters that no database takes."""
    path, title = visible(finding.path), line(finding.title)
    return StoredFinding(finding.identity, finding.status, finding.severity, finding.kind, finding.source, path, title)
