"""A request for changes between two reviews: it goes as soon as people have silenced the last finding that carried it."""

import asyncio
import time
from contextlib import suppress

from bot.commands.target import read
from bot.config import Config
from bot.errors import HostRefused
from bot.github import Host
from bot.publish import requests
from bot.render import load
from bot.storage import Store
from bot.values import PullRef


async def lift(pull: PullRef, host: Host, settings: Config, store: Store) -> None:
    """Dismiss our request if no open finding of the last review reaches the owner's bar any more. An incomplete review lifts nothing.

    If GitHub refuses, the next review tries again and reports the reason.
    """
    bar = settings["request_changes"]
    last = await asyncio.to_thread(read, await store.reviews.last(pull)) if bar != "off" else None
    if last is None or not last.complete:
        return
    silenced = {one.fingerprint for one in await store.people.suppressions(pull, time.time())}
    left = [finding for finding in last.open if finding.identity not in silenced]
    with suppress(HostRefused):
        await requests.lift(host, load(settings["language"]), bar, left)
