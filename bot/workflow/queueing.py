"""A merge queue waits for our check on a commit of its own: its changes were reviewed as pull requests, so no review is made."""

from contextlib import suppress

from bot import config, github
from bot.config import policy
from bot.errors import HostError, OverLimit, UsageError
from bot.github import Host
from bot.ports import Job
from bot.publish import checks
from bot.publish.standing import worst
from bot.values import Ending, MergeGroup, PullFacts, PullRef
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
            ending = "failure" if await _by_settings(host, parts, is_reviewed=False) == "failure" else "success"
        await checks.let_pass(host.beside(0), ask.head, ending)


def where(ask: MergeGroup) -> PullRef:
    """The pull request at this place of the queue."""
    return PullRef(ask.installation, ask.repository, ask.owner, ask.name, ask.number)


async def _stands(facts: PullFacts, host: Host, parts: Services) -> Ending:
    """Whether the queue goes on: not past a pull request whose check does not pass, nor past one without a review if a bar is set.

    A bar that was set after the review counts too.
    """
    state = await checks.standing(host, facts)
    ending = None if state.ending in (None, "pending") else state.ending
    if ending not in ("failure", "cancelled"):
        ending = worst((ending, await _by_settings(host, parts, is_reviewed=ending is not None)))
    return "failure" if ending in ("failure", "cancelled") else "success"


async def _by_settings(host: Host, parts: Services, *, is_reviewed: bool) -> Ending | None:
    """How the check of a pull request ends by the settings in force: without a review, or with the stored one if its bar is another."""
    pull_state = await looking.current_state(host, config.FILE, parts.defaults)
    try:
        settings = await parts.resolve(pull_state.file, pull_state.bound, pull_state.organization)
    except (UsageError, OverLimit):
        return policy.unreadable(*pull_state.files)
    if not is_reviewed:
        return policy.ending_without_review(settings)
    from bot.workflow import keeping  # of the server: a step of a workflow has no store, and nothing that reads one

    last = await parts.store.reviews.last(host.pull)
    return await keeping.ending_now(host.pull, last, settings, parts.store) if last else None
