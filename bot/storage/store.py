"""The store, which gives access to all tables, and deletes old data and data of removed repositories."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import sqlalchemy as sa

from bot.errors import StorageError
from bot.storage import database
from bot.storage.database import Database
from bot.storage.findings import Outcomes, Worths
from bot.storage.journals import Journals
from bot.storage.listing import Days, Lists
from bot.storage.people import Failures, People, Rules
from bot.storage.reviews import OpenChecks, Reviews
from bot.storage.sessions import Sessions
from bot.storage.spending import Spending
from bot.storage.versions import fits, migrate, problem
from bot.values.daily import DAY

MIGRATED = "a newer version of deeprepo has migrated the database. Start that version on this machine too"


class Store:
    """The parts of the storage.

    Each method runs one transaction in a thread, and raises StorageError if it fails.
    """

    def __init__(self, database: Database) -> None:
        self.database = database
        self.reviews, self.listing, self.days = Reviews(database), Lists(database), Days(database)
        self.journals, self.spending = Journals(database), Spending(database)
        self.people, self.rules, self.outcomes = People(database), Rules(database), Outcomes(database)
        self.failures, self.checks = Failures(database), OpenChecks(database)
        self.worths = Worths(database)
        self.sessions = Sessions(database)

    async def unready(self) -> str:
        """Return why the database cannot be used, or "".

        It must be writable, and its tables fit this version.
        """
        try:
            return "" if await self.database.run(fits) else MIGRATED
        except StorageError:
            return "the database cannot be written"

    async def repositories(self, owner: int) -> frozenset[int]:
        """Return the IDs of an installation's repositories with stored data."""
        of_each = (sa.select(table.c.repository).where(table.c.installation == owner) for table in database.OWNED)
        rows = await self.database.read(lambda connection: connection.execute(sa.union(*of_each)).all())
        return frozenset(row.repository for row in rows)

    async def not_transferred(self, owner: int, repositories: Sequence[int] = ()) -> frozenset[int]:
        """Return those of an installation's repositories that have no reviews in another installation.

        If `repositories` is empty, it means all. A repository with such reviews was transferred, so data that
        doesn't belong to an installation must be kept.
        """
        candidates = frozenset(repositories) or await self.repositories(owner)
        table = database.review.c
        others = sa.select(table.repository).where(table.repository.in_(candidates), table.installation != owner)
        return candidates - await self.database.read(lambda connection: frozenset(connection.execute(others).scalars()))

    async def forget(self, owner: int, repositories: Sequence[int] = ()) -> None:
        """Delete all data of an installation, or of some of its repositories."""
        repository_ids = await self.not_transferred(owner, repositories)

        def do(connection: sa.Connection) -> None:
            for repository in repository_ids:  # a journal's name starts with its repository's ID
                connection.execute(sa.delete(database.line).where(database.line.c.journal.startswith(f"{repository}-")))
            for table in database.OWNED:
                matches = table.c.installation == owner
                if repositories:
                    matches &= table.c.repository.in_(repositories)
                connection.execute(sa.delete(table).where(matches))

        await self.database.run(do)

    async def prune(self, now: float, days: float) -> int:
        """Delete data older than `days`, and return the number of deleted rows.

        Suppressions and rules are not deleted. A pull request's last review is kept until `days` after the
        pull request was closed, because the next review needs its state. `now` is in seconds since 1970.
        """
        old = now - days * DAY

        def do(connection: sa.Connection) -> int:
            old_rows = (
                *(database.line.c.written, database.finding.c.seen, database.feedback.c.given),
                *(database.check.c.begun, database.command.c.given, database.failure.c.failed),
            )
            ends = [(column, old) for column in old_rows]
            ends += [(database.spending.c.begun, now - 2 * DAY), (database.spent.c.until, now)]
            review, later = database.review, database.review.alias()
            replaced = sa.exists().where(later.c.pull == review.c.pull, later.c.finished > review.c.finished)
            over = sa.func.coalesce(review.c.closed, now) < old
            past = sa.delete(review).where(review.c.finished < old, replaced | over)
            count = connection.execute(past).rowcount
            return count + sum(connection.execute(sa.delete(at.table).where(at < end)).rowcount for at, end in ends)

        return await self.database.run(do)


@asynccontextmanager
async def open_store(url: str) -> AsyncIterator[Store]:
    """Open the database at this URL and migrate it. Raises UsageError and StorageError."""
    database = Database(url)
    try:
        await database.thread(lambda: migrate(database))
        yield Store(database)
    finally:
        await asyncio.shield(database.close())


async def check(url: str) -> str:
    """Return why this version cannot use the database, or "". Change nothing. Raises UsageError.

    A SQLite file that doesn't exist yet is not a problem.
    """
    file = sa.make_url(url).database if url.startswith("sqlite") else None
    if file is not None and not Path(file).exists():  # noqa: ASYNC240 - one check of the local disk
        return ""
    database = Database(url)
    try:
        return await database.thread(lambda: problem(database))
    finally:
        await asyncio.shield(database.close())
