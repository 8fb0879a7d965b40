"""Daily budgets: money is reserved before a review asks a model, and settled when the review ends."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from bot.config import Config, Settings, policy
from bot.errors import StorageError
from bot.review.journal import JournalCosts, costs, costs_of
from bot.values import PullRef
from bot.values.daily import CapReached, DailyCaps
from bot.workflow import data_folder

if TYPE_CHECKING:  # the GitHub Actions step has no database
    from bot.storage import Grant
    from bot.workflow.server import Server

VARIABLES = {
    "repository": "DEEPREPO_CAP_USD_PER_DAY_REPOSITORY",
    "installation": "DEEPREPO_CAP_USD_PER_DAY_INSTALLATION",
    "server": "DEEPREPO_CAP_USD_PER_DAY",
}
SCOPES = {"repository": "this repository has", "installation": "this installation has", "server": "this server has"}
log = logging.getLogger("deeprepo.review")


@asynccontextmanager
async def reserve(
    pull: PullRef, journal: str, settings: Config, server: "Server", *, job: str = "", forks: int | None = None
) -> "AsyncIterator[Grant | CapReached]":
    """Yield what this review may spend, or the cap that is reached.

    `forks` is the daily cap on unrequested reviews of strangers' changes. The money is reserved before the
    first call, so concurrent reviews cannot exceed a cap together. An unused reservation is returned. A
    killed process's reservation counts until its job is resumed, or for a day.
    """
    caps = daily_caps(server.settings, forks)
    paid_so_far = await _paid_so_far(journal, server)
    grant = await server.store.spending.reserve(
        pull, journal, settings.usd, caps, time.time(), job=job, calls=paid_so_far.calls, paid_usd=paid_so_far.usd
    )
    if isinstance(grant, CapReached):
        log.info("a daily limit is reached", extra={"facts": {"cap": grant.which, "repository": pull.repository}})
        yield grant
        return
    try:
        yield grant
    finally:
        await asyncio.shield(asyncio.ensure_future(_settle(grant, server)))


async def _settle(grant: "Grant", server: "Server") -> None:
    """Count what the journal shows. If that cannot be stored, the reservation counts."""
    try:
        paid_so_far = await _paid_so_far(grant.journal, server)
        await server.store.spending.settle(grant, paid_so_far.usd, calls=paid_so_far.calls)
    except (OSError, StorageError) as error:
        log.warning("what a review has spent cannot be stored", extra={"facts": {"reason": str(error)}})


async def _paid_so_far(journal: str, server: "Server") -> JournalCosts:
    """Return the costs in a journal.

    On PostgreSQL another machine may have written it, so this machine's file may be missing or old.
    """
    of_journal = await asyncio.to_thread(costs, data_folder.journal(server.folder, journal))
    if not server.store.database.postgres:
        return of_journal
    lines = await server.store.journals.lines(journal)
    recorded = costs_of(line.encode() for line in lines)
    return max(of_journal, recorded, key=lambda row: row.calls)


def daily_caps(settings: Settings, forks: int | None) -> DailyCaps:
    """Return the daily caps."""
    return DailyCaps(
        repository=settings.cap_usd_per_day_repository,
        installation=settings.cap_usd_per_day_installation,
        server=settings.cap_usd_per_day,
        forks=forks,
    )


def refusal(cap: CapReached) -> str:
    """Return why no model was asked and who can change that."""
    if cap.which == "forks":
        return policy.fork_limit_message(cap.cap)
    return (
        f"{SCOPES[cap.which]} reached its limit of ${cap.cap:,.2f} for models in 24 hours. Try again later, "
        f"or ask the operator of this server to raise {VARIABLES[cap.which]}."
    )
