"""Who works on the shared jobs, by the database's own clock; and one at a time over all processes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import sqlalchemy as sa

from bot.storage.database import StoragePart, upsert
from bot.storage.tables import worker

OLD = 3600.0  # seconds after which a silent process's row is deleted


class Workers(StoragePart):
    """The processes that carry jobs out."""

    async def beat(self, executor: str, name: str, version: str) -> None:
        """A sign of life."""

        def do(connection: sa.Connection) -> None:
            now = connection.execute(sa.select(_clock(connection))).scalar_one()
            row = {"executor": executor, "name": name, "version": version, "beat": now}
            upsert(worker, row, connection)
            connection.execute(sa.delete(worker).where(worker.c.beat < now - OLD))

        await self.database.run(do)

    async def alive(self, lease: float) -> dict[str, str]:
        """Who gave a sign of life within a lease, with the version that each is of."""

        def do(connection: sa.Connection) -> dict[str, str]:
            fresh = worker.c.beat > _clock(connection) - lease
            return {row.executor: row.version for row in connection.execute(sa.select(worker).where(fresh))}

        return await self.database.run(do)

    async def leave(self, executor: str) -> None:
        """An orderly end: others need not wait for the lease."""
        await self.database.run(
            lambda connection: connection.execute(sa.delete(worker).where(worker.c.executor == executor))
        )

    @asynccontextmanager
    async def alone(self, key: str) -> AsyncIterator[None]:
        """Hold a key over all processes of a PostgreSQL database, until the end of the block."""
        connection = await self.database.thread(lambda: self._hold(key))
        try:
            yield
        finally:
            await self.database.thread(connection.close)  # ends the transaction, and the lock with it

    def _hold(self, key: str) -> sa.Connection:
        connection = self.database.engine.connect()
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtextextended(key, 0))))
        return connection


def _clock(connection: sa.Connection) -> sa.ColumnElement[float]:
    """Seconds on the database's clock: those of several machines differ."""
    if connection.dialect.name == "postgresql":
        return sa.cast(sa.extract("epoch", sa.func.clock_timestamp()), sa.Double)
    return sa.cast(sa.func.julianday("now"), sa.Double) * 86400.0
