"""Wakes the process that waits for work: at once in this process, by NOTIFY in others that share its PostgreSQL database."""

import asyncio
import logging

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

log = logging.getLogger("deeprepo.jobs")
CHANNEL = "deeprepo_jobs"
RETRY = 5.0  # seconds until a lost connection is opened again
READING = 0.1  # seconds for which what has arrived is read


class Bell:
    """Rung whenever a job is stored, ended or given back."""

    def __init__(self, executor: str) -> None:
        self._executor = executor
        self._rung = asyncio.Event()

    def ring(self) -> None:
        """Wake the dispatcher of this process."""
        self._rung.set()

    def clear(self) -> None:
        """Forget what was rung before now. Call it before looking for work, so that nothing stored meanwhile is missed."""
        self._rung.clear()

    async def wait(self, seconds: float) -> None:
        """Return when the bell is rung, or after this many seconds."""
        try:
            async with asyncio.timeout(seconds):
                await self._rung.wait()
        except TimeoutError:
            return

    def notify(self, connection: sa.Connection) -> None:
        """Wake the other processes as soon as this transaction is committed."""
        if connection.dialect.name == "postgresql":
            connection.execute(sa.select(sa.func.pg_notify(CHANNEL, self._executor)))

    async def listen(self, engine: sa.Engine) -> None:
        """Ring when another process notifies, until cancelled. While the connection is lost, the slow look finds what it missed."""
        import psycopg

        address = engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
        while True:
            try:
                async with await psycopg.AsyncConnection.connect(address, autocommit=True) as connection:
                    await connection.execute(f"LISTEN {CHANNEL}")
                    self.ring()  # for what was stored before this process listened
                    while True:
                        await _readable(connection.fileno())
                        async for notice in connection.notifies(timeout=READING):
                            if notice.payload != self._executor:
                                self.ring()
            except (psycopg.Error, SQLAlchemyError, OSError) as error:
                reason = str(error).strip().partition("\n")[0]
                log.warning("other processes cannot wake this one", extra={"facts": {"reason": reason}})
            await asyncio.sleep(RETRY)


async def _readable(descriptor: int) -> None:
    """Return when a connection has something to read, its end included. The library's own wait wakes ten times a second."""
    loop, arrival = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(descriptor, arrival.set)
    try:
        await arrival.wait()
    finally:
        loop.remove_reader(descriptor)
