"""A merge queue waits for our check on a commit of its own: its changes were reviewed as pull requests, so no review is made."""

from contextlib import suppress
from typing import TYPE_CHECKING

from bot import config, github
from bot.config import Config, policy
from bot.errors import DeepRepoError, HostError, OverLimit, UsageError
from bot.github import Host
from bot.ports import Job
from bot.publish import checks
from bot.publish.checks import FAILED, PASSES, UNKNOWN, UNREVIEWED, QueueAnswer
from bot.publish.standing import CommitOutcome
from bot.values import MergeGroup, PullFacts, PullRef
from bot.values.review import Shortfall
from bot.workflow import looking
from bot.workflow.parts import Services, unless_gone

if TYPE_CHECKING:
    from bot.storage import Store


async def let_pass(ask: MergeGroup, job: Job, parts: Services) -> None:
    """Answer for the commit as the pull request at its place in the queue stands. A second answer changes nothing.

    If GitHub refuses to tell, there is no answer yet, and a queue that requires it waits.
    """
    async with github.open_pull(parts.identity, where(ask), parts.pace) as host:
        facts: PullFacts | None = None
        with unless_gone(job, after=1):  # what is in a queue was there long before: no replica is late
            facts = await host.facts() if ask.number else None
        answer = await _without_pull(ask, host, parts) if facts is None else await _answer(facts, host, parts)
        await checks.let_pass(host.beside(0), ask.head, answer)


async def _without_pull(ask: MergeGroup, host: Host, parts: Services) -> QueueAnswer:
    """What a queue gets whose pull request is not known, or is not found: its check stops at the bar of the commit that the queue builds upon."""
    if not ask.base:
        return UNKNOWN
    file = await looking.text_at(host, config.FILE, ask.base)
    # The answer quotes no setting, so a private file of the owner counts too.
    defaults = await parts.defaults(host, f"{ask.owner}/{ask.name}", is_private=True)
    try:
        ending = policy.ending_without_review(await parts.resolve(file, None, defaults))
    except (UsageError, OverLimit):
        ending = policy.unreadable(file, defaults.text if defaults is not None else None)
    return UNKNOWN if ending == "failure" else PASSES


async def stop(ask: MergeGroup, parts: Services) -> None:
    """Answer where nobody could find out how the pull request stands: the queue goes on if it is certain that no bar is set."""
    async with github.open_pull(parts.identity, where(ask), parts.pace) as host:
        answer = UNKNOWN
        with suppress(HostError):  # what it would take to know that no bar is set may be refused as well
            answer = await _by_settings(host, parts, CommitOutcome())
        await checks.let_pass(host.beside(0), ask.head, answer)


def where(ask: MergeGroup) -> PullRef:
    """The pull request at this place of the queue."""
    return PullRef(ask.installation, ask.repository, ask.owner, ask.name, ask.number)


async def _answer(facts: PullFacts, host: Host, parts: Services) -> QueueAnswer:
    """The queue goes past no pull request whose check does not pass, nor past a head without a review if a bar is set.

    A bar that was set after its check has ended counts too.
    """
    state = await checks.standing(host, facts)
    if state.ending in ("failure", "cancelled"):
        return FAILED
    is_due = state.ending in (None, "pending")
    outcome = CommitOutcome() if is_due else state.outcome((host.pull.number, facts.base_ref))
    answer = await _by_settings(host, parts, outcome)
    waits_for_other = is_due and state.blame not in (None, host.pull.number)
    return (
        QueueAnswer("check_queue_waits", other=state.blame or 0) if answer == UNREVIEWED and waits_for_other else answer
    )


async def _by_settings(host: Host, parts: Services, outcome: CommitOutcome) -> QueueAnswer:
    """What the settings in force ask for. `outcome`: what is known of its head."""
    pull_state = await looking.current_state(host, config.FILE, parts.defaults)
    try:
        settings = await parts.resolve(pull_state.file, pull_state.bound, pull_state.organization)
    except (UsageError, OverLimit) as error:
        return _unreadable(error, *pull_state.files)
    adds_nothing = outcome.last_ending is None and outcome.without == "success"
    if adds_nothing or not policy.has_bar(settings):
        return PASSES
    return PASSES if await _is_below(settings, host, pull_state.facts, outcome, parts.store) else UNREVIEWED


def _unreadable(error: DeepRepoError, *files: str | None) -> QueueAnswer:
    is_bar = policy.unreadable(*files) == "failure"
    return QueueAnswer("check_queue_settings", reason=str(error)) if is_bar else PASSES


async def _is_below(settings: Config, host: Host, facts: PullFacts, outcome: CommitOutcome, store: "Store") -> bool:
    """Whether the head is below the bar in force. A check that has ended is no review: only a stored one of this head against this base is."""
    from bot.workflow import keeping  # of the server: a step of a workflow has no store, and nothing that reads one

    is_reviewed = outcome.last_ending is not None
    own_review = await keeping.review_of_head(host.pull, facts, store) if is_reviewed else None
    if own_review is not None:
        grade = await keeping.grade(host.pull, own_review.output, settings, store)
        return grade.is_known and grade.ending != "failure"
    last = (
        await keeping.last_ending(host.pull, host, facts, settings, store) if policy.asks_for_last(settings) else None
    )
    lacks: Shortfall = "skipped" if policy.is_left_out(outcome.rules, facts, settings) else "unreviewed"
    return last != "unknown" and policy.ending_without_review(settings, lacks, last) != "failure"
