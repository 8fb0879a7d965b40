"""Reviews were called off: the check runs that they had begun are ended, also where nobody is left who could."""

from contextlib import suppress

from bot import github
from bot.errors import HostRefused
from bot.publish import checks
from bot.values import Cancel
from bot.workflow.parts import Services
from bot.workflow.reviewing import SUPERSEDED


async def end(ask: Cancel, parts: Services) -> None:
    """End what the reviews that were called off have left in progress. A review that still runs does the same."""
    left = [(run, number) for run, number in await parts.store.checks.of(ask.pull) if run in ask.runs]
    if not left:
        return
    async with github.opened(parts.identity, ask.pull, parts.pace) as host:
        for run, number in left:
            with suppress(HostRefused):  # the repository is gone, and with it the check run
                await checks.ended(host, number, run, SUPERSEDED, "cancelled")
            await parts.store.checks.ended(run)
