"""A merge queue waits for our check on a commit of its own: its changes were reviewed as pull requests, so it is let pass at once."""

from bot import github
from bot.publish import checks
from bot.values import MergeGroup, PullRef
from bot.workflow.parts import Services


async def let_pass(ask: MergeGroup, parts: Services) -> None:
    """Answer for the commit. A second answer changes nothing."""
    where = PullRef(ask.installation, ask.repository, ask.owner, ask.name, 0)
    async with github.opened(parts.identity, where, parts.pace) as host:
        await checks.let_pass(host, ask.head)
