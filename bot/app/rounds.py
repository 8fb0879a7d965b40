"""What a server does by itself: it learns its name, catches up on what it missed, and forgets what is old. At start and hourly."""

import asyncio
import logging
import time
from collections.abc import Coroutine
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from bot.app import unheard
from bot.app.logs import log
from bot.app.running_server import RunningServer
from bot.app.unheard import OpenPull
from bot.errors import HostError
from bot.github import apps
from bot.values import Follow, ReviewAsk
from bot.workflow import concluding, journals
from bot.workflow.events import Ours

HOUR, SOON, DAY = 3600.0, 60.0, 86_400.0
KEPT_DAYS = 3  # for which GitHub keeps deliveries
MOST_AGAIN, MOST_PULLS = 100, 25  # of one round: a long absence is made up for bit by bit
_log = log("rounds")


async def rounds(server: RunningServer) -> None:
    """Round after round, until cancelled. What goes wrong in one is logged, and the next comes sooner."""
    loop = asyncio.get_running_loop()
    pruned_at = -DAY
    while True:
        well = await _try("catching up", catch_up(server))
        if loop.time() - pruned_at >= DAY:
            pruned_at = loop.time()
            await _try("forgetting what is old", _forget(server))
        await asyncio.sleep(HOUR if well else SOON)


async def tidying(server: RunningServer) -> None:
    """What a worker does by itself, day after day, until cancelled: its folder has journals of its own."""
    while True:
        well = await _try("forgetting what is old", _forget(server))
        await asyncio.sleep(DAY if well else SOON)


async def catch_up(server: RunningServer) -> None:
    """Deliveries that failed are asked for again, and pull requests that nobody has looked at are reviewed."""
    voice, now = await apps.voice(server.identity, server.pace, again=True), datetime.now(UTC)
    server.ours = Ours(server.app.app_id, voice.login)
    async with apps.app(server.identity, server.pace) as client:
        deliveries = await unheard.deliveries(client, _iso(now - timedelta(days=KEPT_DAYS)))
        for delivery in unheard.missed_deliveries(deliveries)[:MOST_AGAIN]:
            _log(
                "a delivery that failed is asked for again",
                delivery=delivery.guid,
                event=delivery.event,
                status=delivery.status,
            )
            await client.answer(client.rest.apps.async_redeliver_webhook_delivery(delivery.id))
    days = server.place.catch_up_days
    if days:
        await _pulls(server, _iso(now - timedelta(days=days)))


async def _pulls(server: RunningServer, since: str) -> None:
    """Submit the open pull requests whose last review was of another head or base. The job's name keeps a second round from doing it again."""
    left = MOST_PULLS
    async with aclosing(unheard.open_pulls(server.identity, since, server.pace)) as pulls:
        async for waiting in pulls:
            if await server.store.reviews.is_closed(waiting.pull):  # it was opened again without a word to us
                await server.jobs.submit(Follow(waiting.pull), f"open-{waiting.updated_at}")
            if not waiting.draft:
                left -= await _submit(server, waiting)
            if left <= 0:
                return


async def _submit(server: RunningServer, waiting: OpenPull) -> bool:
    """Submit one, if the last review was of another head or base."""
    if not await concluding.is_due(waiting.pull, waiting.head, waiting.base, server.store):
        return False
    ask = ReviewAsk(waiting.pull, "catch-up", head=waiting.head)
    name = f"catch-up-{waiting.head}-{sha256(waiting.base.encode()).hexdigest()[:16]}"
    fresh = await server.jobs.submit(ask, name)
    if fresh:
        server.metrics.delivery("pull_request", "caught up")
        _log("a pull request that nobody has looked at is reviewed", pull=waiting.pull.key, head=waiting.head)
    return fresh


async def _forget(server: RunningServer) -> None:
    """What is older than the operator wants to keep, in the database and in the folder of journals."""
    now, days = time.time(), server.place.retention_days
    rows = await server.store.prune(now, days)
    old = await asyncio.to_thread(journals.older, server.place.data, now - days * DAY)
    if server.store.database.postgres:  # where each process has a folder, and one of them carries out an uninstallation
        names = await server.store.journals.names()
        old += await asyncio.to_thread(journals.orphans, server.place.data, now - HOUR, names)
    await asyncio.to_thread(journals.delete, old)
    _log("what is old was deleted", rows=rows, journals=len(old))


async def _try(what: str, doing: Coroutine[Any, Any, None]) -> bool:
    """Do something, and log how it failed. Whether it went well."""
    task = asyncio.create_task(doing)
    try:
        await asyncio.wait({task})
    finally:
        task.cancel()
    error = task.exception()
    if isinstance(error, HostError):
        _log(f"{what} was broken off", level=logging.WARNING, reason=str(error))
    elif error is not None:
        _log(f"{what} failed", level=logging.ERROR, error=error)
    return error is None


def _iso(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
