"""A merge queue waits for our check on a commit of its own: its changes were reviewed as pull requests, so no review is made."""

from bot import config, github
from bot.config import policy
from bot.errors import HostRefused, OverLimit, UsageError
from bot.github import Host
from bot.publish import checks
from bot.values import Ending, MergeGroup, PullRef
from bot.workflow import looking
from bot.workflow.parts import Services


async def let_pass(ask: MergeGroup, parts: Services) -> None:
    """Answer for the commit as the pull request at its place in the queue stands. A second answer changes nothing."""
    where = PullRef(ask.installation, ask.repository, ask.owner, ask.name, ask.number)
    async with github.opened(parts.identity, where, parts.pace) as host:
        try:
            ending = await _stands(host, parts) if ask.number else "success"
        except HostRefused:  # there is no such pull request any more
            ending = "success"
        await checks.let_pass(host.beside(0), ask.head, ending)


async def _stands(host: Host, parts: Services) -> Ending:
    """Whether the queue goes on: not past a pull request whose check does not pass, nor past one without a review if a bar is set."""
    pull_state = await looking.current_state(host, config.FILE)
    state = await checks.standing(host, pull_state.facts)
    ending = None if state.ending == "pending" else state.ending
    if ending is None:
        try:
            ending = policy.ending_without_review(await parts.resolve(pull_state.file, pull_state.bound))
        except (UsageError, OverLimit):
            ending = policy.unreadable(pull_state.file, pull_state.bound)
    return "failure" if ending in ("failure", "cancelled") else "success"
