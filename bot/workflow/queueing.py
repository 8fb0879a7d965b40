"""A merge queue waits for our check on a commit of its own: its changes were reviewed as pull requests, so no review is made."""

from contextlib import suppress

from bot import config, github
from bot.config import policy
from bot.errors import HostError, OverLimit, UsageError
from bot.github import Host
from bot.ports import Job
from bot.publish import checks
from bot.publish.standing import CommitOutcome, worst
from bot.values import Ending, MergeGroup, PullFacts, PullRef
from bot.values.review import Shortfall
from bot.workflow import looking
from bot.workflow.parts import Services, unless_gone


async def let_pass(ask: MergeGroup, job: Job, parts: Services) -> None:
    """Answer for the commit as the pull request at its place in the queue stands. A second answer changes nothing.

    If GitHub refuses to tell, there is no answer yet, and a queue that requires it waits.
    """
    async with github.open_pull(parts.identity, where(ask), parts.pace) as host:
        facts: PullFacts | None = None
        with unless_gone(job, after=1):  # what is in a queue was there long before: no replica is late
            facts = await host.facts() if ask.number else None
        if facts is not None:
            ending = await _stands(facts, host, parts)
        else:  # nobody can tell which pull request it is: a bar that the base sets stops it
            ending = "success" if ask.number else await _without_pull(ask, host, parts)
        await checks.let_pass(host.beside(0), ask.head, ending)


async def _without_pull(ask: MergeGroup, host: Host, parts: Services) -> Ending:
    """What a queue gets whose pull request is not known: its check stops at the bar of the commit that the queue builds upon."""
    file = await looking.text_at(host, config.FILE, ask.base) if ask.base else None
    defaults = await parts.defaults(host, f"{ask.owner}/{ask.name}", is_private=False)
    try:
        ending = policy.ending_without_review(await parts.resolve(file, None, defaults)) if ask.base else "failure"
    except (UsageError, OverLimit):
        ending = policy.unreadable(file)
    return "failure" if ending == "failure" else "success"


async def stop(ask: MergeGroup, parts: Services) -> None:
    """Answer where nobody could find out how the pull request stands: the queue goes on if it is certain that no bar is set."""
    async with github.open_pull(parts.identity, where(ask), parts.pace) as host:
        ending: Ending = "failure"
        with suppress(HostError):  # what it would take to know that no bar is set may be refused as well
            ending = "failure" if await _by_settings(host, parts, CommitOutcome()) == "failure" else "success"
        await checks.let_pass(host.beside(0), ask.head, ending)


def where(ask: MergeGroup) -> PullRef:
    """The pull request at this place of the queue."""
    return PullRef(ask.installation, ask.repository, ask.owner, ask.name, ask.number)


async def _stands(facts: PullFacts, host: Host, parts: Services) -> Ending:
    """Whether the queue goes on: not past a pull request whose check does not pass, nor past a head without a review if a bar is set.

    A bar that was set after its check has ended counts too.
    """
    state = await checks.standing(host, facts)
    ending = None if state.ending in (None, "pending") else state.ending
    if ending not in ("failure", "cancelled"):
        outcome = state.outcome((host.pull.number, facts.base_ref)) if ending is not None else CommitOutcome()
        ending = worst((ending, await _by_settings(host, parts, outcome)))
    return "failure" if ending in ("failure", "cancelled") else "success"


async def _by_settings(host: Host, parts: Services, outcome: CommitOutcome) -> Ending | None:
    """How the check of a pull request ends by the settings in force; None if they ask for nothing else than it shows.

    `outcome`: what is known of its head. A check that has ended is no review: only a stored review of this head against this base is one.
    """
    pull_state = await looking.current_state(host, config.FILE, parts.defaults)
    try:
        settings = await parts.resolve(pull_state.file, pull_state.bound, pull_state.organization)
    except (UsageError, OverLimit):
        return policy.unreadable(*pull_state.files)
    is_reviewed = outcome.last_ending is not None
    adds_nothing = not is_reviewed and outcome.without == "success"
    if adds_nothing or not policy.has_bar(settings):
        return None
    from bot.workflow import keeping  # of the server: a step of a workflow has no store, and nothing that reads one

    pull, facts, store = host.pull, pull_state.facts, parts.store
    own_review = await keeping.of_head(pull, facts, store) if is_reviewed else None
    if own_review is not None:
        now = await keeping.ending_now(pull, own_review, settings, store)
        return "failure" if now == "unknown" else now
    last = await keeping.last_ending(pull, host, facts, settings, store) if policy.asks_for_last(settings) else None
    lacks: Shortfall = "skipped" if outcome.rules == policy.mark_of_rules(settings) else "unreviewed"
    return "failure" if last == "unknown" else policy.ending_without_review(settings, lacks, last)
