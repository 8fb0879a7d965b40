"""A review is due: the check runs on the commit show it at once, also those that another base branch or pull request has made green."""

from contextlib import suppress

from bot import github
from bot.errors import HostRefused
from bot.publish import checks
from bot.values import Recheck
from bot.workflow.parts import Services


async def show(ask: Recheck, parts: Services) -> None:
    """Have them show what counts for the head as it is now. A second time changes nothing."""
    async with github.opened(parts.identity, ask.pull, parts.pace) as host:
        with suppress(HostRefused):  # the pull request is gone
            await checks.settle(host, await host.facts())
