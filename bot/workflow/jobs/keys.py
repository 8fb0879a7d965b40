"""Locks by key across all processes of a PostgreSQL database, and which of these processes are alive.

Both are advisory locks on one connection per process, so they end with the process. Nothing is written.
"""

import asyncio
import fcntl
import hashlib
import os
import threading
import zlib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from pathlib import Path
from weakref import WeakValueDictionary

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from bot.errors import StorageError, UsageError
from bot.machine import files
from bot.storage.database import Database

LOCK_NAME = "jobs.lock"  # in a data folder
ALIVE = 0x0DEE9  # class of the advisory locks that show which processes are alive
RETRY = 0.1  # seconds between two tries for a key that another process has locked
SILENCE = (  # a machine that vanishes is noticed within half a minute
    "SET tcp_keepalives_idle = 10",
    "SET tcp_keepalives_interval = 5",
    "SET tcp_keepalives_count = 4",
)
_HOLDERS = sa.text(
    "SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid = :kind "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)


class Keys:
    """This process's keys. `database` is None for a single process, `executor` if it runs no jobs."""

    def __init__(self, database: Database | None, executor: str | None) -> None:
        self._database, self._executor = database, executor
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._connection: sa.Connection | None = None
        self._use = threading.Lock()

    @asynccontextmanager
    async def alone(self, key: str) -> AsyncIterator[None]:
        """Lock a key until the end of the block. Raises StorageError."""
        async with self._turns.setdefault(key, asyncio.Lock()):
            if self._database is None:
                yield
                return
            number = int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest(), "big", signed=True)
            taken = partial(self._ask, f"SELECT pg_try_advisory_lock({number})")
            while not await self._database.thread(taken):  # noqa: ASYNC110 - other processes send no signal
                await asyncio.sleep(RETRY)
            try:
                yield
            finally:
                with suppress(StorageError):  # the lock ended with the connection
                    await self._database.thread(partial(self._ask, f"SELECT pg_advisory_unlock({number})"))

    async def live(self) -> None:
        """Show that this process is alive, also after a lost connection. Raises StorageError."""
        if self._database is not None:
            await self._database.thread(partial(self._ask, "SELECT true"))

    async def alive(self, executors: frozenset[str]) -> frozenset[str]:
        """Return which of these other processes are alive. Raises StorageError."""
        if self._database is None:
            return frozenset()
        numbers = await self._database.read(
            lambda connection: frozenset(connection.execute(_HOLDERS, {"kind": ALIVE}).scalars())
        )
        return frozenset(executor for executor in executors if _number(executor) in numbers)

    async def leave(self) -> None:
        """Release the locks and close the connection."""
        if self._connection is not None:
            await asyncio.to_thread(self._close)

    def _ask(self, statement: str) -> bool:
        with self._use:
            if self._connection is None:
                self._connection = self._open()
            try:
                return bool(self._connection.exec_driver_sql(statement).scalar())
            except SQLAlchemyError:
                self._close()
                raise

    def _open(self) -> sa.Connection:
        if self._database is None:
            raise StorageError("a single process has no connection")
        connection = self._database.engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        for statement in SILENCE:
            connection.exec_driver_sql(statement)
        if self._executor is not None:
            number = _number(self._executor)
            signed = number - (1 << 32) if number >= 1 << 31 else number
            connection.exec_driver_sql(f"SELECT pg_advisory_lock({ALIVE}, {signed})")
        return connection

    def _close(self) -> None:
        """Close the connection instead of returning it to the pool, where it would keep its locks."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(SQLAlchemyError):
                connection.invalidate()
            connection.close()


def _number(executor: str) -> int:
    return zlib.crc32(executor.encode())


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Lock a data folder for one process, because two processes on one file would run the same job.

    The lock ends with the block. Raises UsageError if another process has it or the folder cannot be written.
    """
    files.folder(folder, label="the data folder ", private=True)
    with files.append(folder / LOCK_NAME, below=folder, label="the lock of the data folder, ", private=True) as file:
        try:  # the system releases the lock when the process ends
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            file.seek(0)
            who = file.read(20).strip()
            raise UsageError(
                f"the data folder {folder} is in use by another process{f' ({who})' if who else ''}. Stop it first, "
                "use another folder, or store the jobs in PostgreSQL, which several processes can share"
            ) from error
        file.truncate(0)
        file.write(f"process {os.getpid()}\n")
        file.flush()
        yield
