"""A review as a server's job: money is reserved in the database, and the result is stored."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, replace

from bot import config, github, verdict
from bot.brief import Brief
from bot.config import policy
from bot.config.policy import SkipReview, StartReview
from bot.errors import (
    GitError,
    HostError,
    HostLocked,
    HostRefused,
    NothingToReview,
    OverLimit,
    SupersededError,
    UsageError,
    public,
)
from bot.github import Host
from bot.machine.processes import finish_before_cancel
from bot.payloads import Rendered
from bot.render import line, load, visible
from bot.storage import FinishedReview, Grant, StoredFinding
from bot.stored import states
from bot.values import CheckConclusion, Finding, Follow, PullRequest, ReviewJob
from bot.values.change import is_object_id
from bot.values.consumer import Audience, Consumers
from bot.values.job import ASKED
from bot.values.review import NoReviewReason
from bot.wiring import access, child
from bot.workflow import conclusions, data_folder, pull_state, refresh_job, replies, reviewing, spending
from bot.workflow.consumers import fetch_for_job
from bot.workflow.jobs import Attempt
from bot.workflow.publish import checks, notice
from bot.workflow.publish.checks import CheckOwner, HeadStatus
from bot.workflow.reviewing import ADDS_NOTHING, SUPERSEDED, Funds, Outcome, ReviewRun
from bot.workflow.server import Server, record_failure
from deeprepo.rlm.errors import BudgetSpent, ProviderError, ReplUnavailable

KNOWN = "this commit was already reviewed, and nothing has changed since."
LASTING = (UsageError, GitError, HostLocked, ProviderError, BudgetSpent, ReplUnavailable, OverLimit)


async def run(job: ReviewJob, attempt: Attempt, server: Server) -> None:
    """Review a pull request and report the result on GitHub.

    A run after a crash neither pays for a finished call again nor posts anything twice.
    """
    child.start_fork_server()  # starts while GitHub is asked, so both happen at the same time
    async with github.open_pull(server.identity, job.pull, server.pace) as host:
        try:
            await _run(job, host, attempt, server)
        except HostError as error:
            await begin(job, attempt.id, host, server, public(error))
            raise


async def _run(job: ReviewJob, host: Host, attempt: Attempt, server: Server) -> None:
    store = server.store
    is_kept = await store.reviews.has(attempt.id)  # by an earlier attempt
    state = await server.read_pull(host)
    if is_kept and not await _has_begun(job, attempt, server):
        await refresh_job.refresh(state, await server.settings_of(state), host, server, attempt.delivery)
        return
    if state.facts.state == "open":
        await store.reviews.close(job.pull, None)
    job = await replies.with_permitted_trigger(job, host)
    settings = await server.resolve(state.file, state.shared)
    bound = policy.bound(job, state.facts, stranger=state.stranger)
    if job.comment is not None and bound.trigger not in ASKED and state.facts.state == "open":
        await replies.post_moved_reply(job, job.comment, state.facts, host)
    pushes = await pull_state.count_pushes(host, bound, attempt.id, settings.pause_after)
    run = ReviewRun(attempt.id, bound, host, state, settings, pushes)
    await _review(JobReview(run, attempt, server), again=is_kept or job.trigger in ASKED)


async def _has_begun(job: ReviewJob, attempt: Attempt, server: Server) -> bool:
    return attempt.id in [run for run, _ in await server.store.checks.of(job.pull)]


async def _review(reviewer: "JobReview", *, again: bool) -> None:
    """Decide, review and follow up. `again`: review even if this change already has a review."""
    run, attempt, server = reviewer.run, reviewer.attempt, reviewer.server
    pull, store = run.job.pull, server.store
    words = await conclusions.silences(pull, store)
    decision = run.decide()
    has_begun = bool(await store.checks.of(pull))  # by this review or one that it replaces
    if isinstance(decision, SkipReview):
        result, head = await reviewer.refused(decision), run.state.facts.head_sha
        if not (again or has_begun) and await checks.gives_reason(run.host, head, result.says, result.head):
            return
        result = await reviewer.refused(await reviewer.follow_up(decision))
        is_told = not has_begun and await checks.gives_reason(run.host, head, result.says, result.head)
        if has_begun or not (decision.quiet or (is_told and not again)):
            await reviewer.say_without_review(result)
        return
    if not again and await reviewer.is_known():
        if has_begun:
            await reviewer.say_without_review(Outcome(await reviewer.head_status(), KNOWN))
        return
    result = await reviewer.review(decision)
    if isinstance(result.fault, SupersededError):
        raise result.fault
    if result.fault is not None:
        await record_failure(run.job, str(result.fault), store)
    if await conclusions.silences(pull, store) != words:  # people have commented during the review
        await server.jobs.submit(Follow(pull), f"words-{attempt.delivery}")


@dataclass(slots=True)
class JobReview:
    """Reviews in a child process that ends with the job, with money reserved in the database."""

    run: ReviewRun
    attempt: Attempt
    server: Server
    check_refusal: str = ""  # why this review has no check run, once GitHub has been asked

    async def review(self, decision: StartReview) -> Outcome:
        """Make the review and post it. Raises the errors after which a later attempt may succeed.

        A run after a crash neither pays for a finished call again nor posts anything twice. If the comments
        cannot be posted, the review is only in the check run.
        """
        start, made = time.time(), None
        # Other errors and GitHub's refusals repeat the job.
        final = (HostRefused, *LASTING) if self.attempt.last else LASTING
        async with self.check_run() as check:
            try:
                found = await self.attempt.unless_cancelled(self._make(decision, check))
                if isinstance(found, SkipReview):
                    result = await self.refused(await self.follow_up(found))
                else:
                    made = found
                    conclusion = verdict.of(made.review).check
                    posted, fault = await reviewing.post(self.run, made, self.server.comments, self.attempt.current)
                    await self._keep(made, conclusion, start, is_posted=posted is not None)
                    if fault is not None and not isinstance(fault, final):
                        raise fault
                    result = Outcome(await self.head_status(just_made=conclusion), "", made, posted, fault)
            except NothingToReview:
                result = Outcome(await self.head_status("nothing"), ADDS_NOTHING)
            except SupersededError as error:  # the conclusion of an earlier review of this head stays
                if await self._is_replaced():
                    raise
                status = await self.head_status()
                status = status if status.is_reviewed else HeadStatus("cancelled")
                result = Outcome(status, SUPERSEDED, made, fault=error)
            except final as error:
                result = Outcome(await self.head_status(), public(error), fault=error)
            await reviewing.end_check(self.run, check, result)
            if check is None and result.posted is None and not isinstance(result.fault, SupersededError):
                await self._tell(result.says or str(result.fault))
        return result

    async def _make(self, decision: StartReview, check: int | None) -> Rendered | SkipReview:
        """The fetched files are then deleted."""
        run, server = self.run, self.server
        async with server.fetch(run.job.pull, run.state) as pull:
            brief = await self.brief(await reviewing.with_several_bases(run, pull))
            if reviewing.asks_for_paths(run, brief):
                refusal = await server.no_review_reason(brief, run.job.trigger)
                if refusal is not None:
                    return refusal
            is_free = reviewing.is_offline(decision, brief) or not access.can_ask(run.settings)
            async with (
                fetch_for_job(run, server.identity, server.pace, server.folder)
                if run.settings.consumers
                else nullcontext(Consumers(Audience())) as consumers,
                nullcontext(Funds(model=False)) if is_free else self._funds(brief) as funds,
                reviewing.show_progress(run, check) as say,
            ):
                brief = await reviewing.funded(run, brief, decision, funds, consumers, self._check_lack)
                return await server.review(brief, say)

    async def follow_up(self, skip: SkipReview) -> SkipReview:
        """Close earlier findings that this head fixed, if a rule excludes it. Return whether another one holds it."""
        if not await reviewing.has_summary_to_follow(self.run, skip):
            return skip
        async with self.server.fetch(self.run.job.pull, self.run.state) as pull:
            brief = reviewing.follow_up_brief(await self.brief(pull), skip)
            with suppress(NothingToReview):
                if brief is not None:
                    made = await self.server.review(brief, lambda _: None)
                    comments, is_current = self.server.comments, self.attempt.current
                    return await reviewing.post_follow_up(self.run, made.review, skip, comments, is_current)
        return skip

    async def refused(self, skip: SkipReview) -> Outcome:
        """Return the result of a review that the policy refuses. A closed pull request is skipped."""
        if self.run.state.facts.state != "open":
            return Outcome(HeadStatus("skipped"), skip.reason)
        return Outcome(await self.head_status(skip.lacks), skip.reason, lacks=skip.lacks)

    async def say_without_review(self, result: Outcome) -> None:
        """Show why there is no review in a check run, or in a comment if a review was due."""
        async with self.check_run() as check:
            await reviewing.end_check(self.run, check, result)
            if check is None and result.lacks != "left out" and self.run.state.facts.state == "open":
                await self._tell(result.says)

    @asynccontextmanager
    async def check_run(self) -> AsyncIterator[int | None]:
        """Start this job's check run, which is stored until it is ended, and end those left on earlier heads.

        Yields None if GitHub accepts none: immediately if the permission is missing, else in the last try.
        """
        run, attempt, server = self.run, self.attempt, self.server
        open_checks, host, pull = server.store.checks, run.host, run.job.pull
        check: int | None = None
        async with server.lock_checks(pull):
            if not await attempt.current():  # the newer review may have started its own
                raise SupersededError(SUPERSEDED)
            try:
                check = await finish_before_cancel(self._start_check())
            except HostRefused as refusal:
                if not refusal.is_forbidden and not attempt.last:
                    raise
                self.check_refusal = refusal.reason
        if check is None:
            yield None
            return
        for other, left in await open_checks.of(pull):
            with suppress(HostError):
                if left != check:
                    await checks.end_without_review(host, left, other, SUPERSEDED, HeadStatus("cancelled"))
                    await open_checks.remove(pull, left)
        yield check
        await open_checks.remove(pull, check)

    async def _start_check(self) -> int:
        """Start the check run and store its number. Interrupted in between, nothing would ever end it."""
        run = self.run
        check = await checks.start(run.host, run.state.facts.head_sha, run.check_owner)
        await self.server.store.checks.add(run.job.pull, check, run.id, time.time())
        return check

    @asynccontextmanager
    async def _funds(self, brief: Brief) -> AsyncIterator[Funds]:
        run, server = self.run, self.server
        forks = run.settings.triggers.fork_reviews_per_day if run.is_strangers_push else None
        reservation = spending.reserve(run.job.pull, brief.journal, run.settings, server, job=run.id, forks=forks)
        async with reservation as grant:
            if isinstance(grant, Grant):
                yield Funds(grant.usd)
            else:
                yield Funds(refusal=f"Reviewed with static checks only: {spending.refusal(grant)}", is_capped=True)

    async def is_known(self) -> bool:
        """Return whether this change was already reviewed, and bring its check up to date.

        This happens after a late delivery, a catch-up, or a reopened pull request.
        """
        pull, state, host = self.run.job.pull, self.run.state, self.run.host
        last = await self.server.store.reviews.last(pull)
        if conclusions.reviewed_change(last) != (state.bases.merge_base, state.facts.head_sha, state.facts.base_ref):
            return False
        if not await checks.is_shown(host, state.facts.head_sha, await self.head_status()):
            await refresh_job.refresh(state, self.run.settings, host, self.server, self.attempt.delivery)
        return True

    async def brief(self, pull: PullRequest) -> Brief:
        """Return what to review, based on the stored review and the rules in force."""
        run, asked, store = self.run, self.run.job.pull, self.server.store
        dismissals, rules = await conclusions.silences(asked, store)
        return replace(
            run.state.brief(pull, run.settings, data_folder.journal_name(run.job, pull.head, pull.base, run.id)),
            full=run.job.full,
            vouched=run.is_vouched,
            allowed=self.server.settings.permissions(),
            dismissals=dismissals,
            rules=rules,
            earlier=await store.reviews.memory(asked, run.id),
        )

    async def head_status(
        self, lacks: NoReviewReason = "unreviewed", just_made: CheckConclusion | None = None
    ) -> HeadStatus:
        """Return the head's conclusion from its stored reviews."""
        run = self.run
        return await conclusions.of_head(
            run.job.pull, run.state.facts, run.settings, self.server.store, lacks, just_made
        )

    async def _keep(self, made: Rendered, conclusion: CheckConclusion, start: float, *, is_posted: bool) -> None:
        """Store and count a review. The next review reports what could not be posted."""
        memory, pull, reviews = made.memory, self.run.job.pull, self.server.store.reviews
        if not is_posted and memory is not None:
            unsaid = [item.finding.number for item in made.review.reported if item.place != "folded"]
            memory = await asyncio.to_thread(states.with_unsaid, memory, unsaid)
        finished_review = _row(self.run, made, conclusion, start)
        if not await reviews.has(self.run.id):
            self.server.count_review(made.review, finished_review.state)
        await reviews.save(replace(finished_review, memory=memory))
        await self.server.store.failures.clear(pull.key)

    @property
    def _check_lack(self) -> str:
        return f"No check run could be created: {self.check_refusal}." if self.check_refusal else ""

    async def _is_replaced(self) -> bool:
        """Return whether a newer review uses, ends or has ended this one's check run."""
        run, server = self.run, self.server
        return not await _has_begun(run.job, self.attempt, server) or bool(await server.jobs.reviews(run.job.pull))

    async def _tell(self, says: str) -> None:
        """Post a comment if there is no check run."""
        async with self.server.lock_checks(self.run.job.pull):
            await notice.put(self.run.host, load(), says, self.check_refusal)


def _row(run: ReviewRun, made: Rendered, conclusion: CheckConclusion, start: float) -> FinishedReview:
    review, statuses = made.review, ("new", "still", "fixed", "silenced")
    finding_rows = [
        _finding_row(placed_finding.finding)
        for placed_finding in review.findings
        if placed_finding.finding.status in statuses
    ]
    fixed = review.findings_with_status("fixed")
    silenced = (
        (finding.identity, finding.tracking.silencing.rule)
        for finding in review.findings_with_status("silenced")
        if finding.tracking.silencing is not None
    )
    return FinishedReview(
        id=run.id,
        pull=run.job.pull,
        head=review.pull.head,
        trigger=run.job.trigger,
        round=review.round.number,
        started=start,
        finished=time.time(),
        conclusion=conclusion,
        strategy=review.strategy.name,
        calls=review.cost.calls,
        tokens=review.cost.usage.input + review.cost.usage.output,
        usd=review.cost.usd,
        output=made.json_text.encode(),
        fork=run.state.facts.fork,
        by_rule={mark: rule.number for mark, rule in silenced if rule is not None and rule.learned},
        title=line(visible(review.pull.title)),
        state=verdict.of(review).status,
        found=len(review.new_findings),
        still=len(review.open_findings) - len(review.new_findings),
        fixed=len(fixed),
        findings=tuple({finding.fingerprint: finding for finding in reversed(finding_rows)}.values()),
    )


def _finding_row(finding: Finding) -> StoredFinding:
    """A model's text can contain characters that no database accepts."""
    path, title = visible(finding.path), line(finding.title)
    return StoredFinding(finding.identity, finding.status, finding.severity, finding.kind, finding.source, path, title)


BEGIN_SECONDS = 60.0  # seconds; if GitHub is down, the job is soon delayed and this runs again


async def begin(job: ReviewJob, run: str, host: Host, server: Server, why: str) -> str:
    """Start this review's check run, unless it has one or the review exists; return why there can be none.

    The check run is ended later with the reason.
    """
    store = server.store
    if not is_object_id(job.head):
        return "no commit is known"
    try:
        async with asyncio.timeout(BEGIN_SECONDS), server.lock_checks(job.pull):
            if run in [other for other, _ in await store.checks.of(job.pull)] or await store.reviews.has(run):
                return ""
            owner = CheckOwner(run, if_broken=await conclusion(host, server))
            await store.checks.add(job.pull, await checks.start(host, job.head, owner, why), run, time.time())
    except TimeoutError:
        return "GitHub did not answer in time"
    except HostError as error:
        return error.reason if isinstance(error, HostRefused) else public(error)
    return ""


async def conclusion(host: Host, server: Server) -> CheckConclusion:
    """Return the check's conclusion for such a commit: failure if a threshold is set or may be set."""
    base = default = "HEAD"
    with suppress(HostError):
        facts = await host.facts()
        base, default = facts.base_ref, facts.repository.default_branch
    try:
        shared = await server.shared_files(host, f"{host.pull.owner}/{host.pull.name}", is_private=True)
        conclusions = list[CheckConclusion]()
        for branch in dict.fromkeys((base, default)):
            file = await pull_state.settings_at(host, config.FILE, branch)
            conclusions.append(policy.conclusion_without_review(await server.resolve(file, shared)))
    except HostError:
        return policy.conclusion_without_review(None)
    return verdict.worst(conclusions)
