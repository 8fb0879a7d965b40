"""Maintain a server: learn its name on GitHub, catch up on missed events, and delete old data.

This runs at start, hourly, and whenever `RunningServer.catch_up_now` is set.
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
from bot.github import Identity, RequestPace, apps, responses
from bot.github.client import GitHubClient
from bot.values import Follow, PullRef, ReviewJob
from bot.values.daily import DAY, HOUR
from bot.workflow import conclusions, data_folder, events
from bot.workflow.events import OwnAccount

RETRY_SECONDS = 60.0  # until the next run after a failed one
STORABLE_SECONDS = 5.0  # between two looks at whether deliveries can be stored again
DELIVERY_DAYS = 3  # GitHub keeps deliveries for three days
# Limits for one run, so a server that was down for a long time catches up over several runs.
MAX_REDELIVERIES, MAX_PULLS = 100, 25
MAX_DELIVERY_PAGES, MAX_REPOSITORY_PAGES = 20, 5  # pages of 100 entries
NAME_SECONDS = 5.0  # timeout for asking GitHub for our name
MAX_ATTEMPTS = 4  # after this many attempts, a delivery is not requested again
_log = log("maintenance")


async def maintain(server: RunningServer, *, web: bool) -> None:
    """Maintain the server repeatedly until cancelled. Log failures, and run again sooner after one.

    A worker (not `web`) only deletes old data, because its data folder contains its own journals.
    """
    loop = asyncio.get_running_loop()
    last_deletion = -DAY
    while True:
        succeeded = not web or await _try("catching up", catch_up(server))
        if loop.time() - last_deletion >= DAY:
            last_deletion = loop.time()
            await _try("deleting old data", _delete_old_data(server))
        with suppress(TimeoutError):
            await asyncio.wait_for(server.catch_up_now.wait(), HOUR if succeeded else RETRY_SECONDS)
        with suppress(TimeoutError):
            async with asyncio.timeout(HOUR):
                # GitHub would resend in vain what cannot be stored
                while await server.unready():  # noqa: ASYNC110 - databases are polled
                    await asyncio.sleep(STORABLE_SECONDS)
        server.catch_up_now.clear()


async def own_account(identity: Identity) -> OwnAccount:
    """Return the App's account on GitHub.

    If GitHub doesn't answer in time, the login is "" until `catch_up` sets it.
    """
    login = ""
    with suppress(HostError):
        login = (await apps.bot_identity(identity, RequestPace(patience=0, backoff=0.2, timeout=NAME_SECONDS))).login
    return OwnAccount(identity.app_id, login)


async def catch_up(server: RunningServer) -> None:
    """Ask GitHub to resend failed deliveries, and submit reviews of pull requests that were missed."""
    bot_identity, now = await apps.bot_identity(server.identity, server.pace, again=True), datetime.now(UTC)
    server.ours = OwnAccount(server.identity.app_id, bot_identity.login)
    async with apps.app(server.identity, server.pace) as client:
        for delivery in await _missed(client, _iso(now - timedelta(days=DELIVERY_DAYS))):
            facts = {"delivery": delivery["guid"], "event": delivery["event"], "status": delivery["status_code"]}
            _log("asking GitHub to resend a failed delivery", **facts)
            await client.json(client.rest.apps.async_redeliver_webhook_delivery(delivery["id"]))
        installations = [data async for data in client.pages(client.rest.apps.async_list_installations)]
    since, left = _iso(now - timedelta(days=server.options.catch_up_days)), MAX_PULLS
    for installation in installations if server.options.catch_up_days else ():
        if left > 0 and not installation.get("suspended_at"):
            left -= await _submit_missed_pulls(server, int(installation["id"]), since, left)


async def _missed(client: GitHubClient, since: str) -> list[Any]:
    """Return the last attempt of each delivery that never arrived, oldest first.

    Deliveries that have already failed `MAX_ATTEMPTS` times are skipped. `since` is an ISO timestamp.
    """
    by_guid: dict[str, list[Any]] = {}
    async for page in client.pages(
        client.rest.apps.async_list_webhook_deliveries, most=MAX_DELIVERY_PAGES
    ):  # newest first
        if page["delivered_at"] < since:
            break
        if page["event"] in events.ACTIONS:
            by_guid.setdefault(page["guid"], []).append(page)
    failed = [rows[0] for rows in by_guid.values() if len(rows) < MAX_ATTEMPTS and not any(map(_has_arrived, rows))]
    return failed[::-1][:MAX_REDELIVERIES]


def _has_arrived(delivery: Any) -> bool:  # noqa: ANN401 - JSON
    return 200 <= (delivery["status_code"] or 0) < 300  # noqa: PLR2004 - HTTP's success statuses


async def _submit_missed_pulls(server: RunningServer, number: int, since: str, most: int) -> int:
    """Submit an installation's missed pull requests, at most `most`, and return how many were submitted.

    A pull request was missed if it is open, was updated after `since`, and has a head or base that wasn't
    reviewed.
    """
    count = 0
    async with apps.open_installation(
        server.identity, number, {"pull_requests": "read", "metadata": "read"}, server.pace
    ) as inside:
        listing = inside.rest.apps.async_list_repos_accessible_to_installation
        for repository in [data async for data in inside.pages(listing, "repositories", MAX_REPOSITORY_PAGES)]:
            if responses.at(repository, "archived"):
                continue
            owner, _, name = str(responses.at(repository, "full_name")).partition("/")
            where = {"installation": number, "repository": responses.at(repository, "id"), "owner": owner, "name": name}
            where |= {"account": responses.at(repository, "owner.id") or 0}
            opened = partial(inside.rest.pulls.async_list, owner, name, state="open", sort="updated", direction="desc")
            # If a repository was deleted in the meantime, continue with the others
            with suppress(HostRefused):
                async for data in inside.pages(opened, most=1):
                    if count >= most:
                        return count
                    if data["updated_at"] < since:
                        break
                    count += await _submit(server, responses.value(PullRef, data, **where), data)
    return count


async def _submit(server: RunningServer, pull: PullRef, data: Any) -> bool:  # noqa: ANN401 - JSON
    """Submit a review unless the last one covered this head and base. Return whether a new job was stored.

    The job's name contains the head and the base, so submitting it again has no effect.
    """
    head, base = str(responses.at(data, "head.sha")), str(responses.at(data, "base.ref"))
    if await server.store.reviews.is_closed(pull):  # it was reopened, and we missed the event
        await server.jobs.submit(Follow(pull), f"open-{data['updated_at']}")
    if data.get("draft") or not await conclusions.is_due(pull, head, base, server.store):
        return False
    name = f"catch-up-{head}-{sha256(base.encode()).hexdigest()[:16]}"
    fresh = await server.jobs.submit(ReviewJob(pull, "catch-up", head=head), name)
    if fresh:
        server.metrics.delivery("pull_request", "caught up")
        _log("asking for a review of a pull request that has none", pull=pull.key, head=head)
    return fresh


async def _delete_old_data(server: RunningServer) -> None:
    now, days = time.time(), server.options.retention_days
    rows = await server.store.prune(now, days)
    # With PostgreSQL, each process has its own data folder, but only one process handles an uninstallation.
    names = await server.store.journals.names() if server.store.database.postgres else None
    count = await asyncio.to_thread(data_folder.prune, server.options.data, now - days * DAY, now - HOUR, names)
    _log("old data was deleted", rows=rows, journals=count)


async def _try(what: str, coroutine: Coroutine[Any, Any, None]) -> bool:
    """Await a coroutine, and log its exception if it fails. Return whether it succeeded."""
    error = (await asyncio.gather(coroutine, return_exceptions=True))[0]
    if isinstance(error, HostError):
        _log(f"{what} failed", level=logging.WARNING, reason=str(error))
    elif error is not None:
        _log(f"{what} failed", level=logging.ERROR, error=error)
    return error is None


def _iso(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
