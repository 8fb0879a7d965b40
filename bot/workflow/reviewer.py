"""Review one pull request, in a server's job or a GitHub Actions step, from the decision to the check run."""

import asyncio
import logging
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace

from bot.brief import Brief
from bot.config import Config, policy
from bot.config.policy import SkipReview, StartReview
from bot.errors import DeepRepoError, HostError, HostRefused, NothingToReview, SupersededError, public
from bot.features.approval import posted as approval
from bot.features.description import posted as description
from bot.features.tickets.described import ticket_texts
from bot.github import Host
from bot.outputs.posts import Comments
from bot.payloads import MadeReview
from bot.render import code, load
from bot.stored import reviews
from bot.values import CheckConclusion, PullRequest, Review, ReviewAsk
from bot.values.ask import ASKED
from bot.values.consumer import Consumers
from bot.values.progress import Progress, ProgressCallback, ReviewProgress
from bot.values.review import NoReviewReason
from bot.workflow import pull_state
from bot.workflow.publish import PublishResult, checks, publish
from bot.workflow.publish.checks import HeadStatus
from bot.workflow.publish.publication import other_reviewers, summaries
from bot.workflow.pull_state import PullState, PushCount

EVERY = 10.0  # seconds between two updates
log = logging.getLogger("deeprepo.review")


@asynccontextmanager
async def progress(
    update: Callable[[Progress], Awaitable[None]], every: float = EVERY
) -> AsyncIterator[ProgressCallback]:
    """Collect a review's progress and pass on the newest.

    Coverage and static findings are passed on immediately, a step every `every` seconds. A failed update
    stops nothing.
    """
    newest, news = Progress(), asyncio.Event()

    def say(message: str | ReviewProgress) -> None:
        nonlocal newest
        if isinstance(message, str):
            newest = Progress(newest.reading, message)
        else:
            newest = Progress(message, newest.step)
            news.set()

    async def tell() -> None:
        last_shown = Progress()
        while True:
            with suppress(TimeoutError):
                # In Python 3.11 `wait_for` can miss a cancellation that arrives with the event.
                async with asyncio.timeout(every):
                    await news.wait()
            news.clear()
            if newest != last_shown:
                last_shown = newest
                try:
                    await update(last_shown)
                except HostError as error:
                    log.info("progress could not be updated", extra={"facts": {"reason": str(error)}})

    telling = asyncio.create_task(tell())
    try:
        yield say
    finally:
        telling.cancel()
        await asyncio.gather(telling, return_exceptions=True)


SUPERSEDED = "The review was stopped, because the pull request changed, was closed or became a draft, or because someone cancelled the review."
ADDS_NOTHING = "the head adds no changes to the base branch."


@dataclass(frozen=True, slots=True)
class ReviewRun:
    """One review: the pull request, the ask and the settings. `id` does not change between attempts."""

    id: str
    ask: ReviewAsk
    host: Host
    state: PullState
    settings: Config
    pushes: PushCount = field(default_factory=PushCount)
    follows: bool = False  # whether it only updates earlier findings and is no review of this head

    @property
    def is_strangers_push(self) -> bool:
        """Whether a stranger pushed without a request. Such reviews have a separate daily cap."""
        return self.state.stranger and self.ask.trigger not in ASKED

    @property
    def check_owner(self) -> checks.CheckOwner:
        """The owner that its check run's marker names."""
        return checks.CheckOwner(self.id, policy.conclusion_without_review(self.settings))

    def decide(self) -> StartReview | SkipReview:
        """Return whether the policy allows the review."""
        state, most = self.state, (self.pushes.most or 0) if self.pushes.is_spent else 0
        return policy.decide(
            state.facts, self.ask, self.settings, is_paused=state.paused, pushes=most, stranger=state.stranger
        )


@dataclass(frozen=True, slots=True)
class ReviewResult:
    """The outcome of a review. `head` is the conclusion for its head."""

    head: HeadStatus
    says: str = ""  # why there is no review
    made: MadeReview | None = None
    posted: PublishResult | None = None  # None if nothing was posted
    fault: DeepRepoError | None = None  # what prevented the review or its comments
    is_left_out: bool = False  # whether the owner's settings leave this head out

    @property
    def conclusion(self) -> CheckConclusion:
        """The conclusion of its check."""
        return self.head.conclusion

    @property
    def review(self) -> Review | None:
        """The review itself, if there is one."""
        return self.made.review if self.made is not None else None


@dataclass(frozen=True, slots=True)
class Funds:
    """What a review may spend under the daily caps: US dollars (None: its own budget), or a refusal."""

    usd: float | None = None
    refusal: str = ""
    is_capped: bool = False  # whether a daily cap is the reason
    model: bool = True  # whether a model is configured

    def within(self, brief: Brief) -> Brief:
        """Return the brief with its budget limited to these funds."""
        return replace(brief, settings=brief.settings.within(self.usd))


def _with_earlier_findings_only(review: Review, why: str) -> Review:
    """Return the review with only earlier findings. The head's code counts as not checked."""
    readings = tuple(
        replace(row, state="unread", by="", checked="", read="", reason=why) if row.kind == "unit" else row
        for row in review.coverage.readings
    )
    known = tuple(each for each in review.findings if each.finding.status != "new")
    coverage = replace(review.coverage, readings=readings, is_follow_up=True)
    return replace(review, findings=known, coverage=coverage, parts={})


def _has_open_findings(earlier: bytes | None) -> bool:
    """Return whether the last review has open findings.

    An unreadable review counts as having none, so nothing is closed.
    """
    with suppress(reviews.UnreadableError):
        return earlier is not None and bool(reviews.earlier(earlier).findings)
    return False


@dataclass(slots=True)
class Reviewer(ABC):
    """Makes the review of one run and posts it.

    `workflow.review_job.ServerReviewer` and `action.review_step.StepReviewer` implement what differs between
    a server's job and a GitHub Actions step, and how each remembers earlier reviews.
    """

    run: ReviewRun

    async def review(self, decision: StartReview) -> ReviewResult:
        """Make the review and post it. Raises the errors that are not final.

        A run after a crash neither pays for a finished call again nor posts anything twice. If the comments
        cannot be posted, the review is only in the check run or the job summary.
        """
        start, made = time.time(), None
        async with self.check_run() as check:
            try:
                found = await self.unless_cancelled(self._make(decision, check))
                if isinstance(found, SkipReview):
                    await self.follow_up(found)
                    result = await self.refused(found)
                else:
                    made = found
                    result = await self._post(made, start)
            except NothingToReview:
                result = ReviewResult(await self.head_status("nothing"), ADDS_NOTHING)
            except SupersededError as error:  # the conclusion of an earlier review of this head stays
                if await self.is_replaced():
                    raise
                status = await self.head_status()
                status = status if status.is_reviewed else HeadStatus("cancelled")
                result = ReviewResult(status, SUPERSEDED, made, fault=error)
            except self.final as error:
                result = ReviewResult(await self.head_status(), public(error), fault=error)
            with suppress(HostError) if self.is_check_run_optional else nullcontext():
                await self.end_check(check, result)
            if check is None and result.posted is None and not isinstance(result.fault, SupersededError):
                await self.tell(result.says or str(result.fault))
        return result

    async def follow_up(self, skip: SkipReview) -> None:
        """Close earlier findings that this head fixed, if a rule excludes the head from a review.

        No model is asked and nothing new is reported. Nothing is stored, so the head still counts as not
        reviewed.
        """
        if not skip.is_followed or not await summaries(self.run.host):
            return
        self.run = run = replace(self.run, follows=True)
        async with self.fetch() as pull:
            brief = await self.brief(pull)
            if not _has_open_findings(brief.earlier):
                return
            note = load().say("follow_up", why=skip.reason)
            brief = replace(brief, settings=brief.settings.with_flags(strategy="offline"), note=note)
            with suppress(NothingToReview):
                review = (await self.make(brief, lambda _: None)).review
                with suppress(HostRefused):
                    followed = _with_earlier_findings_only(review, load().say("follow_up_left"))
                    await publish(run.host, followed, self.comments, run.id, self.is_current, run.pushes.facts)

    async def refused(self, skip: SkipReview) -> ReviewResult:
        """Return the result of a review that the policy refuses. A closed pull request is skipped."""
        if self.run.state.facts.state != "open":
            return ReviewResult(HeadStatus("skipped"), skip.reason)
        return ReviewResult(await self.head_status(skip.lacks), skip.reason, is_left_out=skip.lacks == "left out")

    async def _make(self, decision: StartReview, check: int | None) -> MadeReview | SkipReview:
        """Fetch and review the change, or return the reason not to. The fetched files are then deleted."""
        run = self.run
        state, settings = run.state, run.settings

        async def show(now: Progress) -> None:
            if now.step:
                self.log(now.step)
            if check is not None:
                await checks.progress(run.host, check, run.check_owner, now)

        async with self.fetch() as pull:
            several_bases = await pull_state.has_several_bases(run.host, pull, state.bases)
            brief = await self.brief(replace(pull, several_bases=several_bases))
            # With several merge bases the diff misses part of the change, so paths do not exclude it.
            if policy.asks_for_paths(settings, run.ask.trigger) and not several_bases:
                refusal = await self.no_review_reason(brief)
                if refusal is not None:
                    return refusal
            is_offline = decision.offline or brief.settings.strategy == "offline"
            funding = nullcontext(Funds(model=False)) if is_offline else self.funds(brief)
            async with self.consumers() as consumers, funding as funds, progress(show) as say:
                if decision.offline or funds.refusal:
                    settings = brief.settings.with_flags(strategy="offline")
                    brief = replace(brief, settings=settings, is_capped=funds.is_capped)
                elif funds.model:
                    issues = await pull_state.linked_issues(run.host) if settings.linked_issues else brief.pull.issues
                    texts = filter(None, (brief.pull.body, await ticket_texts(run)))
                    brief = replace(brief, pull=replace(brief.pull, issues=issues, body="\n\n".join(texts)))
                others = ", ".join(map(code, await other_reviewers(run.host)))
                doubled = load().say("another_reviewer", others=others) if others else ""
                of_run = self.check_lack, funds.refusal, decision.reason, state.note, run.pushes.note
                brief = replace(
                    funds.within(brief),
                    note=" ".join(filter(None, (*of_run, doubled, brief.note))),
                    consumers=consumers,
                )
                return await self.make(brief, say)

    async def _post(self, made: MadeReview, start: float) -> ReviewResult:
        """Post the review, and store it even if its comments fail. `start` is when it started."""
        run = self.run

        def comments(review: Review) -> Comments:  # renders again only after GitHub refused locations
            return made.comments if review == made.review else self.comments(review)

        conclusion, posted, fault = checks.conclude(made.review), None, None
        try:
            posted = await publish(run.host, made.review, comments, run.id, self.is_current, run.pushes.facts)
            posted = replace(posted, notes=(*posted.notes, *await self._update_pull(made.review)))
        except SupersededError:
            raise
        except DeepRepoError as error:
            fault = error
        await self.keep(made, conclusion, start, is_posted=posted is not None)
        if fault is not None and not isinstance(fault, self.final):
            raise fault
        return ReviewResult(await self.head_status(just_made=conclusion), "", made, posted, fault)

    async def _update_pull(self, review: Review) -> tuple[str, ...]:
        """Update the description and the approval. Return a sentence for each that GitHub refused."""
        notes = list[str]()
        for update, refused in ((description.update, "description_refused"), (approval.update, "approval_refused")):
            try:
                await update(review, self.run)
            except HostError as error:
                why = error.reason if isinstance(error, HostRefused) else str(error)
                notes.append(load().say(refused, why=why))
        return tuple(notes)

    async def end_check(self, check: int | None, result: ReviewResult) -> None:
        """End the check run, if there is one, with the review or with the reason for no review."""
        run = self.run
        if check is None:
            return
        if result.made is not None and not isinstance(result.fault, SupersededError):
            unposted = (public(result.fault),) if result.fault is not None else ()
            posted = result.posted or PublishResult(0, 0, "", unposted)
            await checks.end_with_review(
                run.host, check, run.id, result.made.review, posted, result.head, result.made.page
            )
        else:
            await checks.end_without_review(
                run.host, check, run.id, result.says, result.head, is_left_out=result.is_left_out
            )

    # What differs between the implementations.

    @abstractmethod
    def check_run(self) -> AbstractAsyncContextManager[int | None]:
        """Start the head's check run and yield its id at GitHub, or None without one. The caller ends it."""

    @abstractmethod
    def fetch(self) -> AbstractAsyncContextManager[PullRequest]:
        """Fetch the change into a temporary store."""

    @abstractmethod
    def consumers(self) -> AbstractAsyncContextManager[Consumers]:
        """Fetch the repositories that use this one into a temporary folder."""

    @abstractmethod
    def funds(self, brief: Brief) -> AbstractAsyncContextManager[Funds]:
        """Grant what the caps allow. The grant counts until the block ends."""

    @abstractmethod
    async def no_review_reason(self, brief: Brief) -> SkipReview | None:
        """Return the reason for no review, now that the changed files are known."""

    @abstractmethod
    async def make(self, brief: Brief, say: ProgressCallback) -> MadeReview:
        """Review the change, in a child process."""

    @abstractmethod
    def comments(self, review: Review) -> Comments:
        """Render the comments. Call it in a thread, because it waits for a process."""

    # What each implementation knows of earlier reviews: from the server's database or the summary comment.

    @abstractmethod
    async def brief(self, pull: PullRequest) -> Brief:
        """Return what to review, based on the last review."""

    @abstractmethod
    async def head_status(
        self, lacks: NoReviewReason = "unreviewed", just_made: CheckConclusion | None = None
    ) -> HeadStatus:
        """Return the head's conclusion, from the new review (`just_made`) or from stored reviews."""

    @abstractmethod
    async def keep(self, made: MadeReview, conclusion: CheckConclusion, start: float, *, is_posted: bool) -> None:
        """Store the review for the next one, before its check run ends.

        `start` is when it started, `is_posted` whether all its comments are posted.
        """

    # Defaults that most implementations use.

    @property
    def final(self) -> tuple[type[DeepRepoError], ...]:
        """The errors that end the review. Other errors are raised, and a later attempt may succeed."""
        return (DeepRepoError,)

    @property
    def is_check_run_optional(self) -> bool:
        """Whether the review goes on if GitHub does not let its check run end."""
        return False

    @property
    def check_lack(self) -> str:
        """Why GitHub accepts no check run; "" if it does."""
        return ""

    async def is_current(self) -> bool:
        """Return whether the review is still wanted. Called before each write."""
        return True

    async def is_replaced(self) -> bool:
        """Return whether a newer review has the check run, once this one is no longer wanted."""
        return False

    async def unless_cancelled(self, making: Awaitable[MadeReview | SkipReview]) -> MadeReview | SkipReview:
        """Await the review, and raise SupersededError soon after it is canceled."""
        return await making

    async def tell(self, says: str) -> None:  # noqa: B027 - most need not
        """Post on the pull request what no check run can show."""

    def log(self, step: str) -> None:  # noqa: B027 - most keep no log
        """Log a step's sentence in addition to the check run."""
