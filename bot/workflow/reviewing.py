"""A review of one pull request, in a server's job and in a step of a workflow: from the policy to the last word in its check run."""

import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field, replace

from bot.brief import Brief
from bot.config import Config, policy
from bot.config.policy import ASKED, Go, No
from bot.errors import DeepRepoError, NothingToReview, SupersededError
from bot.github import Host
from bot.outputs.posts import Comments
from bot.payloads import MadeReview
from bot.publish import PublishResult, checks, publish
from bot.publish.checks import CheckEnding
from bot.values import Ending, PullRequest, Review, ReviewAsk
from bot.values.consumer import Consumers
from bot.values.progress import Progress
from bot.values.review import Lack
from bot.workflow import looking, pausing
from bot.workflow.looking import PullState
from bot.workflow.pausing import PushCount
from bot.workflow.progress import Say, progress

SUPERSEDED = "Stopped before its end: the pull request was pushed to, closed or made a draft meanwhile, or somebody cancelled the review."
NOTHING = "the head adds nothing to the base branch."
KNOWN = "this change has its review already."


@dataclass(frozen=True, slots=True)
class ReviewResult:
    """What became of the review of a head. `verdict`: what the head comes to."""

    verdict: CheckEnding
    says: str = ""  # why there is no review
    made: MadeReview | None = None
    posted: PublishResult | None = None  # None: nothing was posted
    fault: DeepRepoError | None = None  # what prevented the review, or its comments
    is_left_out: bool = False  # by the owner's own settings

    @property
    def conclusion(self) -> Ending:
        """How its check ends."""
        return self.verdict.ending

    @property
    def review(self) -> Review | None:
        """The review itself."""
        return self.made.review if self.made is not None else None


@dataclass(frozen=True, slots=True)
class Funds:
    """What a day's caps leave a review to spend: dollars (None: its own budget), or why no model may be asked."""

    usd: float | None = None
    refusal: str = ""
    model: bool = True  # whether there is one

    def within(self, brief: Brief) -> Brief:
        """The brief with no more to spend than is left."""
        return replace(brief, settings=brief.settings.within(self.usd))


@dataclass
class ReviewRun(ABC):
    """One review in progress: what it is of, and what differs between a server's job and a step of a workflow.

    Repeated after a crash, it pays and posts nothing twice. Not frozen: it learns how many pushes went before, and gets a check run.
    """

    id: str  # the same for every attempt to post it
    ask: ReviewAsk
    host: Host
    state: PullState
    settings: Config
    pushes: PushCount = field(default_factory=PushCount, init=False)
    check: int | None = field(default=None, init=False)  # the number of its check run, if it has one

    @property
    def is_automatic(self) -> bool:
        """Whether a stranger's push has started it: such reviews have a daily cap of their own."""
        return self.state.stranger and self.ask.trigger not in ASKED

    @property
    def check_owner(self) -> checks.CheckOwner:
        """What its check run states while it is in progress."""
        return checks.CheckOwner(self.id, str(self.settings.language), policy.without_review(self.settings))

    async def review(self, *, again: bool) -> ReviewResult:
        """Review the pull request and post the result. `again`: also if this change has its review already. Raises the errors that are not final."""
        self.pushes = await pausing.count_pushes(self.host, self.ask, self.id, self.settings.pause_after)
        work = await self.stored() or self._decide()
        if isinstance(work, No):
            result = await self._declined(work)
            if not work.quiet:
                await self.decline(result)
            return result
        if isinstance(work, Go) and not again and await self.is_known():
            return ReviewResult(CheckEnding("skipped"), KNOWN)
        async with self.check_run():
            result = await self._result(work)
            await self.end_check(result)
        return result

    def _decide(self) -> Go | No:
        state, waits = self.state, (self.pushes.most or 0) if self.pushes.is_spent else 0
        return policy.decide(
            state.facts, self.ask, self.settings, is_paused=state.paused, pushes=waits, stranger=state.stranger
        )

    async def _result(self, work: Go | MadeReview) -> ReviewResult:
        start = time.time()
        try:
            if isinstance(work, MadeReview):  # what is there already is left as it is
                return await self._post(work)
            made = await self.unless_cancelled(self._make(work))
            return await (self._declined(made) if isinstance(made, No) else self._post(made, start))
        except NothingToReview:
            return ReviewResult(await self.verdict("nothing"), NOTHING)
        except SupersededError as error:
            return await self._broken_off(error)
        except self.final as error:
            return ReviewResult(await self.verdict(), str(error), fault=error)

    async def _declined(self, no: No) -> ReviewResult:
        """The end of a review that the policy refuses. Of a pull request that is closed nobody waits for one."""
        if self.state.facts.state != "open":
            return ReviewResult(CheckEnding("skipped"), no.reason)
        return ReviewResult(await self.verdict(no.lacks), no.reason, is_left_out=no.lacks == "left out")

    async def _broken_off(self, error: SupersededError, made: MadeReview | None = None) -> ReviewResult:
        """The end of a review that is not wanted any more: what an earlier one of this head came to stands."""
        verdict = await self.verdict()
        return ReviewResult(verdict if verdict.is_reviewed else CheckEnding("cancelled"), SUPERSEDED, made, fault=error)

    async def _make(self, decision: Go) -> MadeReview | No:
        """The review of the fetched change, or why there is none. The fetched files are deleted before anything is posted."""
        async with self.fetch() as pull:
            several_bases = await looking.has_several_bases(self.host, pull, self.state.bases)
            brief = await self.brief(replace(pull, several_bases=several_bases))
            # With several merge bases the diff does not show all of the change, so it is reviewed whatever its paths are.
            if policy.asks_for_paths(self.settings, self.ask.trigger) and not several_bases:
                refusal = await self.no_review_reason(brief)
                if refusal is not None:
                    return refusal
            is_offline = decision.offline or brief.settings.strategy == "offline"
            funding = nullcontext(Funds(model=False)) if is_offline else self.funds(brief)
            async with self.consumers() as consumers, funding as funds, progress(self.show) as say:
                notes = funds.refusal, consumers.note, decision.reason, self.state.note, self.pushes.note, brief.note
                organization = self.state.organization
                brief = await self._funded(brief, funds) if not decision.offline else _offline(brief)
                brief = replace(brief, consumers=replace(consumers, organization=organization))
                return await self.make(replace(brief, note=" ".join(filter(None, notes))), say)

    async def _funded(self, brief: Brief, funds: Funds) -> Brief:
        """The review with what the day leaves it to spend; without any model if a cap of the day is reached."""
        if funds.refusal:
            return _offline(brief)
        if funds.model and self.settings.linked_issues:
            brief = replace(brief, pull=replace(brief.pull, issues=await looking.issues(self.host)))
        return funds.within(brief)

    async def _post(self, made: MadeReview, start: float | None = None) -> ReviewResult:
        """Put the review on the pull request. If its comments cannot be posted, it is in the check run or the job summary alone.

        It is stored whatever becomes of its comments, unless it is superseded. `start`: when it was begun; None if it is stored.
        """

        def comments(one: Review) -> Comments:  # rendered anew only if GitHub has refused places
            return made.comments if one == made.review else self.comments(one)

        ending, fault = checks.conclude(made.review), None
        try:
            posted = await publish(self.host, made.review, comments, self.id, self.is_current, self.pushes.facts)
        except SupersededError as error:
            return await self._broken_off(error, made)
        except DeepRepoError as error:
            posted, fault = None, error
        if start is not None:
            await self.keep(made, ending, start, is_posted=posted is not None)
        if fault is not None and not isinstance(fault, self.final):
            raise fault
        return ReviewResult(await self.verdict(own=ending), "", made, posted, fault)

    async def show(self, now: Progress) -> None:
        """Report in the check run how far the review is."""
        if self.check is not None:
            await checks.progress(self.host, self.check, self.check_owner, now)

    async def end_check(self, result: ReviewResult) -> None:
        """End the check run with the review, or with the reason why nothing was reviewed."""
        if self.check is None:
            return
        place, made = (self.host, self.check, self.id), result.made
        if made is not None and not isinstance(result.fault, SupersededError):
            posted = result.posted or PublishResult(0, 0, "", (str(result.fault),))
            await checks.end_with_review(*place, made.review, posted, result.verdict, made.page)
        else:
            language, is_left_out = self.check_owner.language, result.is_left_out
            await checks.end_without_review(*place, result.says, result.verdict, language, is_left_out=is_left_out)

    # What differs.

    @property
    @abstractmethod
    def final(self) -> tuple[type[DeepRepoError], ...]:
        """The errors that end the review; another is raised, and a later attempt may succeed."""

    @abstractmethod
    async def decline(self, result: ReviewResult) -> None:
        """Tell those who wait why there is no review."""

    @abstractmethod
    async def verdict(self, lacks: Lack = "unreviewed", own: Ending | None = None) -> CheckEnding:
        """What the head comes to: with the review that has just been made (`own`), else with what is known of it."""

    @abstractmethod
    def check_run(self) -> AbstractAsyncContextManager[None]:
        """Begin a check run on the head. It is ended before the block is left, unless an error that is not final leaves it."""

    @abstractmethod
    def fetch(self) -> AbstractAsyncContextManager[PullRequest]:
        """Fetch the change into a store that is gone afterwards."""

    @abstractmethod
    async def brief(self, pull: PullRequest) -> Brief:
        """The review to make, built upon the last one."""

    @abstractmethod
    async def no_review_reason(self, brief: Brief) -> No | None:
        """Why there is no review, now that the changed files are known."""

    @abstractmethod
    def consumers(self) -> AbstractAsyncContextManager[Consumers]:
        """Fetch the repositories that use this one into stores that are gone afterwards."""

    @abstractmethod
    def funds(self, brief: Brief) -> AbstractAsyncContextManager[Funds]:
        """What the day's caps leave: what is granted counts until the block is left, then what was spent."""

    @abstractmethod
    async def make(self, brief: Brief, say: Say) -> MadeReview:
        """Make the review with its comments in a child process."""

    @abstractmethod
    def comments(self, review: Review) -> Comments:
        """Render its comments once more, after GitHub has refused places. Called in a thread."""

    @abstractmethod
    async def keep(self, made: MadeReview, ending: Ending, start: float, *, is_posted: bool) -> None:
        """Store it for the next round, before its check run ends: begun when, and whether all of its comments are posted."""

    async def stored(self) -> MadeReview | None:
        """What an earlier try of this run has made, and not posted to its end."""
        return None

    async def is_known(self) -> bool:
        """Whether this very change has its review already. Its check shows then what the review comes to now."""
        return False

    async def is_current(self) -> bool:
        """Whether the review is still wanted; asked before each write."""
        return True

    async def unless_cancelled(self, work: Awaitable[MadeReview | No]) -> MadeReview | No:
        """Await it. Raises SupersededError if the review is called off."""
        return await work


def _offline(brief: Brief) -> Brief:
    return replace(brief, settings=brief.settings.with_flags(strategy="offline"))
