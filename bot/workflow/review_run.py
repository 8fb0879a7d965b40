"""A review of one pull request, in a server's job and in a step of a workflow: from the decision to the last word in its check run."""

import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from typing import Protocol

from bot.brief import Brief
from bot.config import Config, policy
from bot.config.policy import Go, No
from bot.errors import DeepRepoError, HostError, NothingToReview, SupersededError
from bot.github import Host
from bot.outputs.posts import Comments
from bot.payloads import MadeReview
from bot.publish import PublishResult, checks, publish
from bot.publish.checks import CheckEnding
from bot.values import Ending, PullRequest, Review, ReviewAsk
from bot.values.ask import ASKED, Trigger
from bot.values.consumer import Consumers
from bot.values.progress import Progress
from bot.values.review import Lack
from bot.workflow import pull_state
from bot.workflow.progress import Say, progress
from bot.workflow.pull_state import PullState
from bot.workflow.push_count import PushCount

SUPERSEDED = "Stopped before its end: the pull request was pushed to, closed or made a draft meanwhile, or somebody cancelled the review."
NOTHING = "the head adds nothing to the base branch."


@dataclass(frozen=True, slots=True)
class ReviewRun:
    """One review: what it is of, who asked, and under which settings. `id` is the same for every attempt to post it."""

    id: str
    ask: ReviewAsk
    host: Host
    state: PullState
    settings: Config
    pushes: PushCount = field(default_factory=PushCount)

    @property
    def is_strangers_push(self) -> bool:
        """Whether a stranger pushed and nobody asked: such reviews have a daily cap of their own."""
        return self.state.stranger and self.ask.trigger not in ASKED

    @property
    def check_owner(self) -> checks.CheckOwner:
        """What its check run states while it is in progress."""
        return checks.CheckOwner(self.id, policy.without_review(self.settings))

    def decide(self) -> Go | No:
        """Whether the policy allows it."""
        state, most = self.state, (self.pushes.most or 0) if self.pushes.is_spent else 0
        return policy.decide(
            state.facts, self.ask, self.settings, is_paused=state.paused, pushes=most, stranger=state.stranger
        )


@dataclass(frozen=True, slots=True)
class ReviewResult:
    """What became of the review of a head. `check`: what the check of the head comes to."""

    check: CheckEnding
    says: str = ""  # why there is no review
    made: MadeReview | None = None
    posted: PublishResult | None = None  # None: nothing was posted
    fault: DeepRepoError | None = None  # what prevented the review, or its comments
    is_left_out: bool = False  # by the owner's own settings

    @property
    def conclusion(self) -> Ending:
        """How its check ends."""
        return self.check.ending

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


class Memory(Protocol):
    """What is known of earlier reviews: by a server's database, or by the summary comment."""

    async def brief(self, pull: PullRequest) -> Brief:
        """The review to make, built upon the last one."""

    async def check_ending(self, lacks: Lack = "unreviewed", own: Ending | None = None) -> CheckEnding:
        """What the head comes to: with the review that has just been made (`own`), else with what is known of it."""

    async def keep(self, made: MadeReview, ending: Ending, start: float, *, is_posted: bool) -> None:
        """Keep it for the next round, before its check run ends: begun when, and whether all of its comments are posted."""


async def _always() -> bool:
    return True


async def _never() -> bool:
    return False


async def _to_its_end(making: Awaitable[MadeReview | No]) -> MadeReview | No:
    return await making


def _silent(_: str) -> None:
    pass


async def _untold(_: str) -> None:
    pass


@dataclass(frozen=True, slots=True)
class ReviewTools:
    """What a server's job and a step of a workflow do each in its own way."""

    # Starts the check run of the head and yields its id at GitHub, or None without one. The caller ends it.
    check_run: Callable[[], AbstractAsyncContextManager[int | None]]
    fetch: Callable[[], AbstractAsyncContextManager[PullRequest]]  # the change, in a store that is gone afterwards
    consumers: Callable[[], AbstractAsyncContextManager[Consumers]]  # the same of repositories that use this one
    funds: Callable[[Brief], AbstractAsyncContextManager[Funds]]  # what is granted counts until the block is left
    no_review_reason: Callable[[Brief, Trigger], Awaitable[No | None]]  # now that the changed files are known
    make: Callable[[Brief, Say], Awaitable[MadeReview]]  # in a child process
    comments: Callable[[Review], Comments]  # waits for a process: called in a thread
    final: tuple[
        type[DeepRepoError], ...
    ]  # the errors that end the review; another is raised, and a later attempt may succeed
    is_current: Callable[[], Awaitable[bool]] = _always  # whether the review is still wanted; asked before each write
    is_replaced: Callable[[], Awaitable[bool]] = (
        _never  # once it is no longer wanted: whether a newer one has its check run
    )
    # Awaits the making of it, and raises SupersededError soon after it is called off.
    unless_cancelled: Callable[[Awaitable[MadeReview | No]], Awaitable[MadeReview | No]] = _to_its_end
    may_leave_check: bool = False  # if GitHub does not let the check run end
    lacks_check: Callable[[], str] = str  # why GitHub takes no check run, "" if it does
    tell: Callable[[str], Awaitable[None]] = _untold  # says on the pull request what no check run can say
    log: Callable[[str], None] = _silent  # takes each step's sentence, beside the check run


async def run_review(run: ReviewRun, decision: Go, memory: Memory, tools: ReviewTools) -> ReviewResult:
    """Make the review and post it. Raises the errors that are not final.

    Repeated after a crash, it pays for no finished call twice, and posts nothing twice. If its comments cannot be posted, it is in the check run or the job summary alone.
    """
    start, made = time.time(), None
    async with tools.check_run() as check:
        try:
            found = await tools.unless_cancelled(_make(run, decision, memory, tools, check))
            if isinstance(found, No):
                result = await refused(run, found, memory)
            else:
                made = found
                result = await _post(run, made, memory, tools, start)
        except NothingToReview:
            result = ReviewResult(await memory.check_ending("nothing"), NOTHING)
        except SupersededError as error:  # what an earlier review of this head came to stands
            if await tools.is_replaced():
                raise
            ending = await memory.check_ending()
            ending = ending if ending.is_reviewed else CheckEnding("cancelled")
            result = ReviewResult(ending, SUPERSEDED, made, fault=error)
        except tools.final as error:
            result = ReviewResult(await memory.check_ending(), str(error), fault=error)
        with suppress(HostError) if tools.may_leave_check else nullcontext():
            await end_check(run, check, result)
        if check is None and result.posted is None and not isinstance(result.fault, SupersededError):
            await tools.tell(result.says or str(result.fault))
    return result


async def refused(run: ReviewRun, no: No, memory: Memory) -> ReviewResult:
    """The end of a review that the policy refuses. Of a pull request that is closed nobody waits for one."""
    if run.state.facts.state != "open":
        return ReviewResult(CheckEnding("skipped"), no.reason)
    return ReviewResult(await memory.check_ending(no.lacks), no.reason, is_left_out=no.lacks == "left out")


async def _make(run: ReviewRun, decision: Go, memory: Memory, tools: ReviewTools, check: int | None) -> MadeReview | No:
    """Fetch and review the change, or return the reason not to. The fetched files are deleted before anything is posted."""
    state, settings = run.state, run.settings

    async def show(now: Progress) -> None:
        if now.step:
            tools.log(now.step)
        if check is not None:
            await checks.progress(run.host, check, run.check_owner, now)

    async with tools.fetch() as pull:
        several_bases = await pull_state.has_several_bases(run.host, pull, state.bases)
        brief = await memory.brief(replace(pull, several_bases=several_bases))
        # With several merge bases the diff does not show all of the change, so it is reviewed whatever its paths are.
        if policy.asks_for_paths(settings, run.ask.trigger) and not several_bases:
            refusal = await tools.no_review_reason(brief, run.ask.trigger)
            if refusal is not None:
                return refusal
        is_offline = decision.offline or brief.settings.strategy == "offline"
        funding = nullcontext(Funds(model=False)) if is_offline else tools.funds(brief)
        async with tools.consumers() as consumers, funding as funds, progress(show) as say:
            if decision.offline or funds.refusal:
                brief = replace(brief, settings=brief.settings.with_flags(strategy="offline"))
            elif funds.model and settings.linked_issues:
                brief = replace(brief, pull=replace(brief.pull, issues=await pull_state.linked_issues(run.host)))
            of_run = tools.lacks_check(), funds.refusal, consumers.note, decision.reason, state.note, run.pushes.note
            brief = replace(
                funds.within(brief),
                note=" ".join(filter(None, (*of_run, brief.note))),
                consumers=replace(consumers, organization=state.organization),
            )
            return await tools.make(brief, say)


async def _post(run: ReviewRun, made: MadeReview, memory: Memory, tools: ReviewTools, start: float) -> ReviewResult:
    """Put the review on the pull request, and keep it whatever becomes of its comments. `start`: when it was begun."""

    def comments(one: Review) -> Comments:  # rendered anew only if GitHub has refused places
        return made.comments if one == made.review else tools.comments(one)

    ending, posted, fault = checks.conclude(made.review), None, None
    try:
        posted = await publish(run.host, made.review, comments, run.id, tools.is_current, run.pushes.facts)
    except SupersededError:
        raise
    except DeepRepoError as error:
        fault = error
    await memory.keep(made, ending, start, is_posted=posted is not None)
    if fault is not None and not isinstance(fault, tools.final):
        raise fault
    return ReviewResult(await memory.check_ending(own=ending), "", made, posted, fault)


async def end_check(run: ReviewRun, check: int | None, result: ReviewResult) -> None:
    """End the check run, if there is one, with the review or with the reason why nothing was reviewed."""
    if check is None:
        return
    if result.made is not None and not isinstance(result.fault, SupersededError):
        posted = result.posted or PublishResult(0, 0, "", (str(result.fault),))
        await checks.end_with_review(
            run.host, check, run.id, result.made.review, posted, result.check, result.made.page
        )
    else:
        await checks.end_without_review(
            run.host, check, run.id, result.says, result.check, is_left_out=result.is_left_out
        )
