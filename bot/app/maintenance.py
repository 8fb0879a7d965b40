"""Regular work of a server: learn its name, catch up on missed events, and delete old data.

At start, hourly and on demand.
"""

import asyncio
import logging
import time
from collections.abc import Coroutine
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import sha256
from typing import Any

from bot.app.logs import log
from bot.app.running_server import RunningServer
from bot.errors import HostError, HostRefused
from bot.github import Identity, RequestPace, apps, shapes
from bot.github.client import GitHubClient
from bot.machine import fact_files
from bot.values import Follow, PullRef, ReviewAsk
from bot.values.daily import DAY, HOUR
from bot.workflow import conclusions, events, journals, kept_facts
from bot.workflow.events import OwnAccount

SOON = 60.0
KEPT_DAYS = 3  # for which GitHub keeps deliveries
MOST_AGAIN, MOST_PULLS = 100, 25  # of one time: a long absence is made up for bit by bit
MOST_DELIVERIES, MOST_REPOSITORIES = 20, 5  # pages of a hundred
NAME_SECONDS = 5.0  # seconds for GitHub to tell our name
ATTEMPTS = 4  # after which a delivery is left alone
_log = log("maintenance")


async def maintain(server: RunningServer, *, web: bool) -> None:
    """Maintain the server, time after time, until cancelled. What goes wrong is logged, and the next comes sooner.

    A worker (not `web`) only forgets what is old: its folder has journals of its own.
    """
    loop = asyncio.get_running_loop()
    forgot_at = -DAY
    while True:
        well = not web or await _try("catching up", catch_up(server))
        if loop.time() - forgot_at >= DAY:
            forgot_at = loop.time()
            await _try("deleting old data", _delete_old_data(server))
        with suppress(TimeoutError):
            await asyncio.wait_for(server.is_called.wait(), HOUR if well else SOON)
        server.is_called.clear()


async def own_account(identity: Identity) -> OwnAccount:
    """Return our account at GitHub, before the first delivery is read.

    Without an answer, the login stays empty until later.
    """
    login = ""
    with suppress(HostError):
        login = (await apps.bot_identity(identity, RequestPace(patience=0, backoff=0.2, timeout=NAME_SECONDS))).login
    return OwnAccount(identity.app_id, login)


async def catch_up(server: RunningServer) -> None:
    """Request failed deliveries again, and start reviews of pull requests that were missed."""
    bot_identity, now = await apps.bot_identity(server.identity, server.pace, again=True), datetime.now(UTC)
    server.ours = OwnAccount(server.identity.app_id, bot_identity.login)
    async with apps.app(server.identity, server.pace) as client:
        for delivery in await _missed(client, _iso(now - timedelta(days=KEPT_DAYS))):
            facts = {"delivery": delivery["guid"], "event": delivery["event"], "status": delivery["status_code"]}
            _log("asking GitHub to resend a failed delivery", **facts)
            await client.json(client.rest.apps.async_redeliver_webhook_delivery(delivery["id"]))
        installations = [data async for data in client.pages(client.rest.apps.async_list_installations)]
    since, left = _iso(now - timedelta(days=server.options.catch_up_days)), MOST_PULLS
    for installation in installations if server.options.catch_up_days else ():
        if left > 0 and not installation.get("suspended_at"):
            left -= await _submit_missed_pulls(server, int(installation["id"]), since, left)


async def _missed(client: GitHubClient, since: str) -> list[Any]:
    """Return the last attempt of each delivery that never arrived, oldest first.

    Repeated failures are skipped.
    """
    by_guid: dict[str, list[Any]] = {}
    async for page in client.pages(
        client.rest.apps.async_list_webhook_deliveries, most=MOST_DELIVERIES
    ):  # newest first
        if page["delivered_at"] < since:
            break
        if page["event"] in events.ACTIONS:
            by_guid.setdefault(page["guid"], []).append(page)
    failed = [rows[0] for rows in by_guid.values() if len(rows) < ATTEMPTS and not any(map(_has_arrived, rows))]
    return failed[::-1][:MOST_AGAIN]


def _has_arrived(delivery: Any) -> bool:  # noqa: ANN401 - JSON
    return 200 <= (delivery["status_code"] or 0) < 300  # noqa: PLR2004 - HTTP's own range


async def _submit_missed_pulls(server: RunningServer, number: int, since: str, most: int) -> int:
    """Submit open pull requests on which something happened since then and whose head or base was not reviewed; how many."""
    count = 0
    async with apps.acting(
        server.identity, number, {"pull_requests": "read", "metadata": "read"}, server.pace
    ) as inside:
        listing = inside.rest.apps.async_list_repos_accessible_to_installation
        for repository in [data async for data in inside.pages(listing, "repositories", MOST_REPOSITORIES)]:
            if shapes.at(repository, "archived"):
                continue
            owner, _, name = str(shapes.at(repository, "full_name")).partition("/")
            where = {"installation": number, "repository": shapes.at(repository, "id"), "owner": owner, "name": name}
            where |= {"account": shapes.at(repository, "owner.id") or 0}
            opened = partial(inside.rest.pulls.async_list, owner, name, state="open", sort="updated", direction="desc")
            with suppress(HostRefused):  # one repository that is gone meanwhile does not hide the others
                async for data in inside.pages(opened, most=1):
                    if count >= most:
                        return count
                    if data["updated_at"] < since:
                        break
                    count += await _submit(server, shapes.value(PullRef, data, **where), data)
    return count


async def _submit(server: RunningServer, pull: PullRef, data: Any) -> bool:  # noqa: ANN401 - JSON
    """Submit one, if the last review was of another head or base. The job's name keeps a second time from doing it again."""
    head, base = str(shapes.at(data, "head.sha")), str(shapes.at(data, "base.ref"))
    if await server.store.reviews.is_closed(pull):  # it was opened again without a word to us
        await server.jobs.submit(Follow(pull), f"open-{data['updated_at']}")
    if data.get("draft") or not await conclusions.is_due(pull, head, base, server.store):
        return False
    name = f"catch-up-{head}-{sha256(base.encode()).hexdigest()[:16]}"
    fresh = await server.jobs.submit(ReviewAsk(pull, "catch-up", head=head), name)
    if fresh:
        server.metrics.delivery("pull_request", "caught up")
        _log("reviewing a pull request that was missed", pull=pull.key, head=head)
    return fresh


async def _delete_old_data(server: RunningServer) -> None:
    """What is older than the operator wants to keep, in the database and in the folder of journals."""
    now, days = time.time(), server.options.retention_days
    rows = await server.store.prune(now, days)
    old = await asyncio.to_thread(journals.older, server.options.data, now - days * DAY)
    if server.store.database.postgres:  # where each process has a folder, and one of them carries out an uninstallation
        names = await server.store.journals.names()
        old += await asyncio.to_thread(journals.orphans, server.options.data, now - HOUR, names)
    await asyncio.to_thread(journals.delete, old)
    await asyncio.to_thread(fact_files.sweep, server.options.data / kept_facts.FACTS_FOLDER, now - days * DAY)
    _log("old data was deleted", rows=rows, journals=len(old))


async def _try(what: str, doing: Coroutine[Any, Any, None]) -> bool:
    """Do something, and log how it failed. Whether it went well."""
    error = (await asyncio.gather(doing, return_exceptions=True))[0]
    if isinstance(error, HostError):
        _log(f"{what} failed", level=logging.WARNING, reason=str(error))
    elif error is not None:
        _log(f"{what} failed", level=logging.ERROR, error=error)
    return error is None


def _iso(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
