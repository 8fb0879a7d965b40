"""A review is due: the check runs on the commit show it at once, also those that another base branch or pull request has made green."""

from bot import github
from bot.ports import Job
from bot.publish import checks
from bot.values import Recheck
from bot.workflow.parts import Services, unless_gone


async def show(ask: Recheck, job: Job, parts: Services) -> None:
    """Have them show what counts for the head as it is now. A second time changes nothing."""
    async with github.open_pull(parts.identity, ask.pull, parts.pace) as host:
        with unless_gone(job):
            await checks.settle(host, await host.facts())
