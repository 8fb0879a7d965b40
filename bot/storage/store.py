"""Everything that outlives a job: reviews and their findings, what people asked to leave out, journals, deliveries."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import sqlalchemy as sa

from bot.storage.checks import OpenChecks
from bot.storage.database import Database
from bot.storage.days import Days
from bot.storage.deliveries import Deliveries
from bot.storage.failures import Failures
from bot.storage.journals import Journals
from bot.storage.listing import ReviewList
from bot.storage.migrate import migrate
from bot.storage.outcomes import Outcomes
from bot.storage.people import People
from bot.storage.reviews import Reviews
from bot.storage.rules import Rules
from bot.storage.spending import Spending
from bot.storage.tables import (
    OWNED,
    check,
    command,
    day,
    delivery,
    failure,
    feedback,
    finding,
    installation,
    line,
    outcome,
    review,
    spending,
    suppression,
    used,
)
from bot.storage.used import UsedSessions
from bot.storage.workers import Workers

DAY = 86400.0


@dataclass(frozen=True, slots=True)
class Store:
    """The parts of the storage. Each call is one transaction, in a thread; all raise StorageError where the database fails."""

    database: Database
    reviews: Reviews
    people: People
    journals: Journals
    deliveries: Deliveries
    workers: Workers
    checks: OpenChecks
    spending: Spending
    rules: Rules
    outcomes: Outcomes
    listing: ReviewList
    days: Days
    failures: Failures
    used: UsedSessions

    async def repositories(self, owner: int) -> frozenset[int]:
        """The repositories of an installation of which anything is known."""
        known = sa.union(*(sa.select(table.c.repository).where(table.c.installation == owner) for table in OWNED))
        return await self.database.run(lambda connection: frozenset(connection.execute(known).scalars()))

    async def forget(self, owner: int, repositories: Sequence[int] = ()) -> None:
        """Delete all that is known of an installation, or of some of its repositories."""
        gone = repositories or tuple(await self.repositories(owner))

        def do(connection: sa.Connection) -> None:
            for repository in gone:  # a journal's name begins with its repository's id
                connection.execute(sa.delete(line).where(line.c.journal.startswith(f"{repository}-")))
            for table in OWNED:
                fits = table.c.installation == owner
                if repositories:
                    fits &= table.c.repository.in_(repositories)
                connection.execute(sa.delete(table).where(fits))
            if not repositories:
                connection.execute(sa.delete(installation).where(installation.c.id == owner))

        await self.database.run(do)

    async def prune(self, now: float, days: float) -> int:
        """Delete what is older than so many days; how many rows. A suppression ends when it was said to, a rule when it is removed."""
        old = now - days * DAY

        def do(connection: sa.Connection) -> int:
            ends = (
                sa.delete(line).where(line.c.written < old),
                sa.delete(review).where(review.c.finished < old),
                sa.delete(finding).where(finding.c.seen < old),
                sa.delete(feedback).where(feedback.c.given < old),
                sa.delete(outcome).where(outcome.c.at < old),
                sa.delete(delivery).where(delivery.c.received < old),
                sa.delete(suppression).where(suppression.c.until < now),
                sa.delete(check).where(check.c.begun < old),
                sa.delete(command).where(command.c.given < old),
                sa.delete(spending).where(spending.c.begun < now - 2 * DAY),
                sa.delete(day).where(day.c.day < int(old // DAY)),
                sa.delete(failure).where(failure.c.failed < old),
                sa.delete(used).where(used.c.until < now),
            )
            return sum(connection.execute(each).rowcount for each in ends)

        return await self.database.run(do)


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[Store]:
    """The storage at this address, in its newest form. Raises UsageError, StorageError."""
    database = Database(url)
    try:
        await database.thread(lambda: migrate(database))
        yield Store(
            database,
            Reviews(database),
            People(database),
            Journals(database),
            Deliveries(database),
            Workers(database),
            OpenChecks(database),
            Spending(database),
            Rules(database),
            Outcomes(database),
            ReviewList(database),
            Days(database),
            Failures(database),
            UsedSessions(database),
        )
    finally:
        await asyncio.shield(database.close())
