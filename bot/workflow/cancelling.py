"""Reviews were called off: the check runs that they had begun are ended, also where nobody is left who could.

Where the pull request was merged or closed, what people have said of its findings by then is learned, and what is open stays so.
"""

import time
from contextlib import suppress

from bot import config, github
from bot.errors import HostRefused
from bot.github import Host
from bot.publish import checks
from bot.values import Cancel
from bot.workflow import learning, looking
from bot.workflow.parts import Services
from bot.workflow.reviewing import SUPERSEDED


async def end(ask: Cancel, parts: Services) -> None:
    """End what the reviews that were called off have left in progress. A review that still runs does the same."""
    left = [(run, number) for run, number in await parts.store.checks.of(ask.pull) if run in ask.runs]
    is_known = ask.reason == "closed" and bool(await parts.store.reviews.heads(ask.pull))
    if not left and not is_known:
        return
    async with github.opened(parts.identity, ask.pull, parts.pace) as host:
        for run, number in left:
            with suppress(HostRefused):  # the repository is gone, and with it the check run
                await checks.end_without_review(host, number, run, SUPERSEDED, "cancelled")
            await parts.store.checks.remove(run)
        if is_known:
            with suppress(HostRefused):
                await _learn(ask, host, parts)
            with suppress(HostRefused):  # what it brought counts no longer for others with the same head
                facts = await host.facts()
                await checks.settle(host, facts)
                if facts.state == "open":  # again, since
                    return
            await parts.store.reviews.close(ask.pull, time.time())
            await parts.store.outcomes.close(ask.pull, time.time())


async def _learn(ask: Cancel, host: Host, parts: Services) -> None:
    """Read for the last time how findings were received: nothing else will ask."""
    state = await looking.current_state(host, config.FILE)
    if state.facts.state == "closed":
        settings = await looking.settings(state, parts)
        await learning.learn(ask.pull, host, settings["language"], parts.store)
