"""Collect what `deeprepo status` shows: what a server is doing, what it did, and what that cost."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import httpx2
import sqlalchemy as sa
from prometheus_client.parser import text_string_to_metric_families

from bot.config.server import Server
from bot.errors import StorageError
from bot.storage.database import Database
from bot.storage.findings import Outcomes, addressed_share
from bot.storage.listing import Days, DaySum, ListedReview, Lists
from bot.storage.people import Failure, Failures
from bot.storage.spending import Spending as SpendingTable
from bot.values.daily import DAY

ANSWER_SECONDS = 3.0  # timeout for the server's answer
RECENT = 10  # reviews and failures that are listed


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """The status of a server. `unready` is why it doesn't accept work, or "" if it does."""

    address: str
    unready: str
    warning: str  # why stored jobs wait, or ""
    jobs: tuple[tuple[str, int], ...]  # state and count, over all processes
    day: tuple[DaySum, ...] = ()  # by repository, over the last 24 hours
    period: tuple[DaySum, ...] = ()  # by repository, over the requested number of days
    recent: tuple[ListedReview, ...] = ()
    # What counts against the daily caps: the number of reviews and questions, and dollars. A running review
    # counts at its full budget.
    counted: tuple[int, float] = (0, 0.0)
    half: float | None = None  # median duration of the period's reviews, in seconds
    addressed: tuple[tuple[str, float], ...] = ()  # each repository's share of findings that were addressed
    failures: tuple[Failure, ...] = ()  # failed jobs that haven't been retried, newest first
    problem: str = ""  # why the figures from the database are missing


async def status(settings: Server, days: float, now: float) -> ServerStatus:
    """Get health and jobs from the running server, and everything else from the database. Write nothing."""
    options = settings.options
    status_now = ServerStatus(options.address(), *await _ask(options.address()))
    try:
        async with _open_database(settings) as database:
            sums, since = Days(database), now - days * DAY
            by_repository = await sums.by_repository(None, since)
            outcomes = await Outcomes(database).of_repositories([row.key for row in by_repository], since)
            shares = {repository: addressed_share(counts) for repository, counts in outcomes.items()}
            return replace(
                status_now,
                day=await sums.by_repository(None, now - DAY),
                period=by_repository,
                recent=(await Lists(database).page(None, RECENT)).rows,
                counted=await SpendingTable(database).journals_and_dollars(now),
                half=(await sums.whole(None, since)).half,
                addressed=tuple(
                    (row.repository, share) for row in by_repository if (share := shares.get(row.key)) is not None
                ),
                failures=await Failures(database).newest(None, RECENT),
            )
    except (StorageError, sa.exc.SQLAlchemyError) as error:
        return replace(status_now, problem=str(error))


@asynccontextmanager
async def _open_database(settings: Server) -> AsyncIterator[Database]:
    """Open the server's database for reading. Raises StorageError if the database doesn't exist yet."""
    data = settings.options.data
    if not (settings.url or (data / "deeprepo.db").exists()):
        raise StorageError(
            f"{data} contains no database yet. This is normal before the first start of the server. "
            "If your server uses another data folder, set DEEPREPO_DATA to it"
        )
    database = Database(settings.database)
    try:
        yield database
    finally:
        await database.close()


async def _ask(address: str) -> tuple[str, str, tuple[tuple[str, int], ...]]:
    """Return why the server accepts no work ("" if it does), its warning, and its jobs by state."""
    try:
        async with httpx2.AsyncClient(base_url=address, timeout=ANSWER_SECONDS, trust_env=False) as client:
            ready = await client.get("/readyz")
            metrics = await client.get("/metrics")
        body = ready.json()
        reason = "" if ready.status_code == httpx2.codes.OK else str(body.get("reason") or ready.status_code)
        # A server that isn't set up yet has no metrics.
        families = text_string_to_metric_families(metrics.text if metrics.is_success else "")
        samples = [sample for family in families if family.name == "deeprepo_jobs" for sample in family.samples]
    except (httpx2.TimeoutException, httpx2.ReadError):
        return f"the server accepts connections, but does not answer within {ANSWER_SECONDS:g} seconds", "", ()
    except (httpx2.HTTPError, ValueError):
        return (
            "no server answers at this address. Start one with `deeprepo serve`, or check DEEPREPO_HOST and DEEPREPO_PORT",
            "",
            (),
        )
    return (
        reason,
        str(body.get("warning") or ""),
        tuple((sample.labels["state"], int(sample.value)) for sample in samples),
    )
