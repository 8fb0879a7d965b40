"""Review one pull request, in a server's job or a GitHub Actions step, from the decision to the check run."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial

from bot import verdict
from bot.brief import Brief
from bot.config import Config, policy
from bot.config.policy import SkipReview, StartReview
from bot.errors import DeepRepoError, HostError, HostRefused, SupersededError, public
from bot.github import Host
from bot.outputs.posts import Comments
from bot.payloads import Rendered
from bot.render import code, load
from bot.stored import reviews
from bot.values import CheckConclusion, PullRequest, Review, ReviewJob
from bot.values.consumer import Consumers
from bot.values.job import ASKED
from bot.values.progress import Progress, ProgressCallback, Reading
from bot.values.review import NoReviewReason
from bot.workflow import pull_state
from bot.workflow.publish import PublishResult, approval, checks, description, is_always_current, publish
from bot.workflow.publish.checks import HeadStatus
from bot.workflow.publish.publication import other_reviewers, summaries
from bot.workflow.pull_state import PullState, PushCount
from bot.workflow.tickets import ticket_texts

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

    def say(message: str | Reading) -> None:
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
IsCurrent = Callable[[], Awaitable[bool]]
ADDS_NOTHING = "the head adds no changes to the base branch."


@dataclass(frozen=True, slots=True)
class ReviewRun:
    """One review: the pull request, the job and the settings. `id` does not change between attempts."""

    id: str
    job: ReviewJob
    host: Host
    state: PullState
    settings: Config
    pushes: PushCount = field(default_factory=PushCount)
    follows: bool = False  # whether it only updates earlier findings and is no review of this head

    @property
    def is_strangers_push(self) -> bool:
        """Whether a stranger pushed without a request. Such reviews have a separate daily cap."""
        return self.state.stranger and self.job.trigger not in ASKED

    @property
    def is_vouched(self) -> bool:
        """Whether a maintainer asked for a review of this very head, by a command, a button or a label."""
        job, head = self.job, self.state.facts.head_sha
        return job.trigger in ASKED or (job.trigger == "labeled" and bool(job.actor) and job.head == head)

    @property
    def check_owner(self) -> checks.CheckOwner:
        """The owner that its check run's marker names."""
        return checks.CheckOwner(self.id, policy.conclusion_without_review(self.settings))

    def decide(self) -> StartReview | SkipReview:
        """Return whether the policy allows the review."""
        state, most = self.state, (self.pushes.most or 0) if self.pushes.is_spent else 0
        return policy.decide(
            state.facts, self.job, self.settings, is_paused=state.paused, pushes=most, stranger=state.stranger
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a review. `head` is the conclusion for its head."""

    head: HeadStatus
    says: str = ""  # why there is no review
    made: Rendered | None = None
    posted: PublishResult | None = None  # None if nothing was posted
    fault: DeepRepoError | None = None  # what prevented the review or its comments
    lacks: NoReviewReason = "unreviewed"  # without a review: whether the settings exclude this head

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


async def with_several_bases(run: ReviewRun, pull: PullRequest) -> PullRequest:
    """Return the fetched change, marked if it has several merge bases."""
    return replace(pull, several_bases=await pull_state.has_several_bases(run.host, pull, run.state.bases))


def asks_for_paths(run: ReviewRun, brief: Brief) -> bool:
    """Return whether the changed files decide if there is a review.

    With several merge bases the diff misses part of the change, so paths do not exclude it.
    """
    return policy.asks_for_paths(run.settings, run.job.trigger) and not brief.pull.several_bases


def is_offline(decision: StartReview, brief: Brief) -> bool:
    """Return whether the review needs no money, because no model is asked."""
    return decision.offline or brief.settings.strategy == "offline"


async def funded(
    run: ReviewRun, brief: Brief, decision: StartReview, funds: Funds, consumers: Consumers, check_lack: str = ""
) -> Brief:
    """Return the brief with what the review may spend, the texts that models read, and the notes for its reader.

    `check_lack` says why there is no check run.
    """
    if decision.offline or funds.refusal:
        brief = replace(brief, settings=brief.settings.with_flags(strategy="offline"), is_capped=funds.is_capped)
    elif funds.model:
        issues = await pull_state.linked_issues(run.host) if run.settings.linked_issues else brief.pull.issues
        texts = filter(None, (brief.pull.body, await ticket_texts(run.settings, run.state)))
        brief = replace(brief, pull=replace(brief.pull, issues=issues, body="\n\n".join(texts)))
    others = ", ".join(map(code, await other_reviewers(run.host)))
    doubled = load().say("another_reviewer", others=others) if others else ""
    notes = check_lack, funds.refusal, decision.reason, run.state.note, run.pushes.note, doubled, brief.note
    return replace(funds.within(brief), note=" ".join(filter(None, notes)), consumers=consumers)


@asynccontextmanager
async def show_progress(
    run: ReviewRun, check: int | None, log: Callable[[str], None] = lambda _: None
) -> AsyncIterator[ProgressCallback]:
    """Show a review's progress in its check run, if there is one, and each step in a log."""

    async def show(now: Progress) -> None:
        if now.step:
            log(now.step)
        if check is not None:
            await checks.progress(run.host, check, run.check_owner, now)

    async with progress(show) as say:
        yield say


async def post(
    run: ReviewRun, made: Rendered, render: Callable[[Review], Comments], is_current: IsCurrent = is_always_current
) -> tuple[PublishResult | None, DeepRepoError | None]:
    """Post the review. Return what was posted, and the error if something could not be.

    `render` renders the comments again, after GitHub refused locations. `is_current` is asked before each write.
    Raises SupersededError.
    """

    def comments(review: Review) -> Comments:
        return made.comments if review == made.review else render(review)

    posted = None
    try:
        posted = await publish(run.host, made.review, comments, run.id, is_current, run.pushes.facts)
        posted = replace(posted, notes=(*posted.notes, *await _update_pull(made.review, run)))
    except SupersededError:
        raise
    except DeepRepoError as error:
        return posted, error
    return posted, None


async def _update_pull(review: Review, run: ReviewRun) -> tuple[str, ...]:
    notes = list[str]()
    updates = {"approval_refused": partial(approval.update, review, run.host, run.settings, run.state)}
    if run.settings.description:
        updates = {"description_refused": partial(description.update, review, run.host), **updates}
    for refused, update in updates.items():
        try:
            await update()
        except HostError as error:
            why = error.reason if isinstance(error, HostRefused) else str(error)
            notes.append(load().say(refused, why=why))
    return tuple(notes)


async def end_check(run: ReviewRun, check: int | None, result: Outcome) -> None:
    """End the check run, if there is one, with the review or with the reason for no review."""
    if check is None:
        return
    if result.made is not None and not isinstance(result.fault, SupersededError):
        unposted = (public(result.fault),) if result.fault is not None else ()
        posted = result.posted or PublishResult(0, 0, "", unposted)
        await checks.end_with_review(run.host, check, run.id, result.made.review, posted, result.head, result.made.page)
    else:
        await checks.end_without_review(run.host, check, run.id, result.says, result.head, lacks=result.lacks)


async def has_summary_to_follow(run: ReviewRun, skip: SkipReview) -> bool:
    """Return whether a head that a rule excludes still updates earlier findings."""
    return skip.is_followed and bool(await summaries(run.host))


def follow_up_brief(brief: Brief, skip: SkipReview) -> Brief | None:
    """Return how to find out which earlier findings this head fixed, or None if none is open.

    No model is asked and nothing new is reported. Nothing is stored, so the head still counts as not reviewed.
    """
    if not _has_open_findings(brief.earlier):
        return None
    note = load().say("follow_up", why=skip.reason)
    return replace(brief, settings=brief.settings.with_flags(strategy="offline"), note=note)


async def post_follow_up(
    run: ReviewRun,
    review: Review,
    skip: SkipReview,
    render: Callable[[Review], Comments],
    is_current: IsCurrent = is_always_current,
) -> SkipReview:
    """Close the earlier findings that the head fixed. One that is still open and fails the check holds the head."""
    followed = _with_earlier_findings_only(review, load().say("follow_up_left"))
    with suppress(HostRefused):
        await publish(run.host, followed, render, run.id, is_current, run.pushes.facts)
    facts = verdict.of(replace(followed, parts=review.parts)).facts
    is_held = skip.lacks == "left out" and bool(facts & {"finding", "requirement"})
    return replace(skip, lacks="held", reason=f"{skip.reason} {load().say('held')}") if is_held else skip
