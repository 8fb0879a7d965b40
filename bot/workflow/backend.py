"""What a review of a pull request is given and what it comes to, and what differs between a server's job and a step of a workflow."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from dataclasses import dataclass, field, replace

from bot.brief import Brief
from bot.config import Config, policy
from bot.config.policy import ASKED, No
from bot.errors import DeepRepoError, HostError
from bot.github import Host
from bot.outputs.posts import Comments
from bot.payloads import MadeReview
from bot.publish import PublishResult, checks
from bot.publish.checks import CheckEnding
from bot.values import Ending, PullRequest, Review, ReviewAsk, Trigger
from bot.values.consumer import Consumers
from bot.values.progress import Progress
from bot.values.review import Lack
from bot.workflow.looking import PullState
from bot.workflow.pausing import PushCount
from bot.workflow.progress import Say

Work = MadeReview | No


@dataclass(frozen=True, slots=True)
class ReviewRun:
    """One review in progress. `id` is the same for every attempt to post it."""

    id: str
    ask: ReviewAsk
    host: Host
    state: PullState
    settings: Config
    pushes: PushCount = field(default_factory=PushCount)

    @property
    def is_automatic(self) -> bool:
        """Whether a stranger's push has started it: such reviews have a daily cap of their own."""
        return self.state.stranger and self.ask.trigger not in ASKED

    @property
    def ending_without_review(self) -> Ending:
        """How the check ends if there is no review after all."""
        return policy.without_review(self.settings)

    @property
    def language(self) -> str:
        """Of the comments and of the check run."""
        return str(self.settings.language)

    @property
    def check_owner(self) -> checks.CheckOwner:
        """What its check run states while it is in progress."""
        return checks.CheckOwner(self.id, self.language, self.ending_without_review)


@dataclass(frozen=True, slots=True)
class ReviewResult:
    """The end of a review."""

    conclusion: Ending
    says: str = ""  # why there is no review
    review: Review | None = None
    outcome: PublishResult | None = None  # None: nothing was posted
    fault: DeepRepoError | None = None  # what prevented the review, or its comments
    verdict: CheckEnding | None = None  # what its head comes to, where that is known
    is_left_out: bool = False  # by the owner's own settings

    @property
    def holds(self) -> bool:
        """Whether there is a review, and its head is still the pull request's."""
        return self.review is not None and self.conclusion != "cancelled"


@dataclass(frozen=True, slots=True)
class Funds:
    """What a day's caps leave a review to spend: dollars (None: its own budget), or why no model may be asked."""

    usd: float | None = None
    refusal: str = ""
    model: bool = True  # whether there is one

    def within(self, brief: Brief) -> Brief:
        """The brief with no more to spend than is left."""
        return replace(brief, settings=brief.settings.within(self.usd))


@dataclass(frozen=True, slots=True)
class CheckRun:
    """The check run of a review. `number`: None if the review has no check run. `optional`: GitHub may refuse to end it."""

    run: ReviewRun
    number: int | None
    optional: bool = False
    on_line: Callable[[str], None] = field(default=lambda _: None)  # gets each line of progress

    async def show(self, now: Progress) -> None:
        """Report how far the review is."""
        if now.step:
            self.on_line(now.step)
        if self.number is not None:
            await checks.progress(self.run.host, self.number, self.run.check_owner, now)

    async def end(self, result: ReviewResult, page: str = "") -> None:
        """End it with the review, or with the reason why nothing was reviewed. `page`: the review as Markdown, if it is rendered already."""
        if self.number is None:
            return
        verdict = result.verdict or CheckEnding(result.conclusion)
        with suppress(HostError) if self.optional else nullcontext():
            if result.review is not None and result.holds:
                outcome = result.outcome or PublishResult(0, 0, "", (str(result.fault),))
                await checks.end_with_review(
                    self.run.host, self.number, self.run.id, result.review, outcome, verdict, page
                )
            else:
                await checks.end_without_review(
                    self.run.host, self.number, self.run.id, result.says, verdict, self.run.language,
                    is_left_out=result.is_left_out,
                )  # fmt: skip


async def _untold(_run: ReviewRun) -> bool:
    """Nothing is known of earlier reviews."""
    return False


async def _uncancelled(work: Awaitable[Work]) -> Work:
    """Await it: nobody calls it off."""
    return await work


async def _current() -> bool:
    """Nobody says that it is not wanted any more."""
    return True


async def _unkept(_run: ReviewRun, _ending: Ending, _made: MadeReview, _start: float, _is_posted: bool) -> None:
    """Nothing is stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    """Where a review is made: what it is built upon, what it may spend, and who keeps it."""

    final: tuple[
        type[DeepRepoError], ...
    ]  # errors that end the review; another is raised, and a later attempt may succeed
    decline: Callable[[ReviewRun, ReviewResult], Awaitable[None]]  # tells those who wait why there is no review
    # What the head comes to: with the review that has just been made, else with what is known of it.
    verdict: Callable[[ReviewRun, Lack, Ending | None], Awaitable[CheckEnding]]
    # The check run on the head, which is ended before the context is left, unless an error that is not final leaves it.
    check: Callable[[ReviewRun], AbstractAsyncContextManager[CheckRun]]
    fetch: Callable[[ReviewRun], AbstractAsyncContextManager[PullRequest]]  # into a store that is gone afterwards
    no_review_reason: Callable[[Brief, Trigger], Awaitable[No | None]]  # now that the changed files are known
    consumers: Callable[[ReviewRun], AbstractAsyncContextManager[Consumers]]  # in stores that are gone afterwards
    brief: Callable[[ReviewRun, PullRequest], Awaitable[Brief]]  # built upon the last review
    # What the day's caps leave: what is granted counts until the context is left, then what was spent.
    funds: Callable[[ReviewRun, Brief], AbstractAsyncContextManager[Funds]]
    review: Callable[[ReviewRun, Brief, Say], Awaitable[MadeReview]]  # in a child process, with its comments
    comments: Callable[[ReviewRun, Review], Comments]  # once more, after GitHub has refused places; called in a thread
    # Whether this very change has its review already. Its check shows then what the review comes to now.
    is_known: Callable[[ReviewRun], Awaitable[bool]] = _untold
    unless_cancelled: Callable[[Awaitable[Work]], Awaitable[Work]] = (
        _uncancelled  # raises SupersededError if called off
    )
    current: Callable[[], Awaitable[bool]] = _current  # whether it is still wanted; asked before each write
    # Stores it for the next round, before its check run ends: begun when, and whether all of its comments are posted.
    keep: Callable[[ReviewRun, Ending, MadeReview, float, bool], Awaitable[None]] = _unkept
