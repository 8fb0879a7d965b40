"""Delete the data of repositories from which the App was removed, once GitHub confirms the removal."""

import asyncio
import logging

from bot.errors import HostRefused
from bot.github import apps, responses
from bot.values import Forget
from bot.workflow import journals
from bot.workflow.jobs import Job
from bot.workflow.server import Server

LATE = 3.0  # seconds before GitHub's list is asked again, because it can lag behind the event
log = logging.getLogger("deeprepo.review")


async def run(ask: Forget, _: Job, server: Server) -> None:
    """Cancel running jobs, then delete the repositories' jobs, stored data and journals.

    A delivery can be late, so data of repositories that the App can access now is kept.
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
    repositories = await server.store.not_transferred(ask.installation, gone)
    await asyncio.to_thread(
        journals.delete, [p for r in repositories for p in journals.of_repository(server.folder, r)]
    )
    await asyncio.to_thread(journals.forget_facts, server.folder, repositories)
    # Last, so that a second attempt still knows what to delete.
    await server.store.forget(ask.installation, gone)


async def _still_ours(ask: Forget, server: Server) -> frozenset[int]:
    """Return which of the repositories the App can still access; none if it is no longer installed."""
    try:
        async with apps.open_installation(server.identity, ask.installation, apps.LISTING, server.pace) as inside:
            ours = frozenset([int(responses.at(data, "id")) async for data in apps.repositories(inside)])
            return ours & frozenset(ask.repositories) if ask.repositories else ours
    except HostRefused as refused:
        if not refused.is_gone:
            raise
        return frozenset()
