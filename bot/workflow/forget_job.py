"""The App was removed from repositories: everything that was kept of them goes, once GitHub confirms that they are no longer ours."""

import asyncio
import logging

from bot.errors import HostRefused
from bot.github import apps, shapes
from bot.values import Forget
from bot.workflow import journals, kept_facts
from bot.workflow.hooks import hooks
from bot.workflow.jobs import Job
from bot.workflow.server import Server

LATE = 3.0  # seconds after which GitHub's own list is believed: right after the event it may be behind
log = logging.getLogger("deeprepo.review")


async def run(ask: Forget, _: Job, server: Server) -> None:
    """Call off what runs, then delete what jobs, storage and the folder of journals hold.

    A delivery may come late: of what it names, what the App can see now stays.
    """
    still_ours = await _still_ours(ask, server)
    if still_ours:
        await asyncio.sleep(LATE)
        still_ours = await _still_ours(ask, server)
    if still_ours:
        facts = {"installation": ask.installation, "repositories": len(still_ours)}
        log.info("data of repositories that the App can see is kept", extra={"facts": facts})
    gone = tuple(repository for repository in ask.repositories if repository not in still_ours)
    if still_ours and not gone:
        return
    await server.jobs.forget(ask.installation, gone)
    repositories = await server.store.left(ask.installation, gone)
    await asyncio.to_thread(
        journals.delete, [p for r in repositories for p in journals.of_repository(server.folder, r)]
    )
    for hook in hooks():
        await hook.forget(repositories, server)
    await asyncio.to_thread(kept_facts.forget, server.folder, repositories)
    await server.store.forget(ask.installation, gone)  # last: a second attempt knows what is left to do


async def _still_ours(ask: Forget, server: Server) -> frozenset[int]:
    """Which of the repositories the App can still see, or again: none if it is no longer installed."""
    try:
        async with apps.acting(server.identity, ask.installation, apps.LISTING, server.pace) as inside:
            ours = frozenset([int(shapes.at(data, "id")) async for data in apps.repositories(inside)])
            return ours & frozenset(ask.repositories) if ask.repositories else ours
    except HostRefused as refused:
        if not refused.is_gone:
            raise
        return frozenset()
