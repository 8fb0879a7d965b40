"""Access to the database: an engine for a URL, and transactions in threads, outside the event loop."""

import asyncio
import sqlite3
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError

from bot.errors import StorageError, UsageError
from bot.machine import files

THREADS = 6
CONNECTION_SECONDS = 10.0  # timeout for getting a connection from the pool
IDLE_SECONDS = 60  # after which PostgreSQL aborts an idle transaction
READ_ONLY = "reads"  # execution option of read-only transactions
Result = TypeVar("Result")


class Database:
    """A SQLite or PostgreSQL database, depending on the URL."""

    def __init__(self, url: str) -> None:
        self.engine = _engine(url)
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="storage")

    @property
    def postgres(self) -> bool:
        """Whether this is PostgreSQL, which several processes can share."""
        return self.engine.dialect.name == "postgresql"

    async def run(self, do: Callable[[sa.Connection], Result]) -> Result:
        """Run one transaction and return its result once it is on disk.

        Raises StorageError if it is rolled back.
        """
        return await self.thread(lambda: self.now(do))

    async def read(self, do: Callable[[sa.Connection], Result]) -> Result:
        """Run a read-only transaction. With SQLite, it doesn't wait for writers. Raises StorageError."""

        def run() -> Result:
            with self.engine.connect().execution_options(**{READ_ONLY: True}) as connection, connection.begin():
                return do(connection)

        return await self.thread(run)

    async def thread(self, do: Callable[[], Result]) -> Result:
        """Run a blocking function that uses the database in a thread. Raises StorageError."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, do)
        except SQLAlchemyError as error:
            raise translate(error) from error

    def now(self, do: Callable[[sa.Connection], Result]) -> Result:
        """Run a transaction in this thread. Raises SQLAlchemyError."""
        with self.engine.begin() as connection:
            return do(connection)

    async def close(self) -> None:
        """Wait for running transactions, and close the connections."""
        await asyncio.to_thread(self._threads.shutdown)
        self.engine.dispose()


class StoragePart:
    """Base class for the parts of the storage. All methods raise StorageError."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def rows(self, query: "sa.Select[Any] | sa.CompoundSelect[Any]") -> Sequence[Any]:
        """Run a query, and return its rows."""
        return await self.database.read(lambda connection: connection.execute(query).all())

    async def change(self, statement: sa.Update | sa.Delete) -> int:
        """Change or delete rows and return their number."""
        return await self.database.run(lambda connection: connection.execute(statement).rowcount)

    async def put(self, table: sa.Table, row: dict[str, Any]) -> None:
        """Store a row, replacing the one with the same key."""
        await self.database.run(lambda connection: upsert(table, row, connection))


def translate(error: SQLAlchemyError) -> StorageError:
    """Return our error for a database error.

    Its message has no statement, values or URL, which may be secret.
    """
    lines = str(getattr(error, "orig", None) or type(error).__name__).strip().splitlines()
    return StorageError(f"the database failed: {lines[0] if lines else type(error).__name__}")


def upsert(table: sa.Table, row: dict[str, Any], connection: sa.Connection) -> None:
    """Store a row, replacing the one with the same key."""
    query = (postgresql if connection.dialect.name == "postgresql" else sqlite).insert(table).values(**row)
    keys = [column.name for column in table.primary_key]
    new_values = {name: query.excluded[name] for name in row if name not in keys}
    connection.execute(query.on_conflict_do_update(index_elements=keys, set_=new_values))


def _limit_idle_transactions(connection: Any, _: object) -> None:  # noqa: ANN401 - a psycopg connection
    """Set a timeout for idle transactions, because a process that hangs in one would block all others."""
    connection.execute(f"SET idle_in_transaction_session_timeout = '{IDLE_SECONDS}s'")
    connection.commit()  # otherwise the SET would be undone when the connection returns to the pool


def _engine(url: str) -> sa.Engine:
    try:
        address = sa.make_url(url)
    except sa.exc.ArgumentError as error:
        raise UsageError("the database address is invalid. Use sqlite:///PATH or postgresql://...") from error
    if address.drivername in {"postgres", "postgresql", "postgresql+psycopg"}:
        address = address.set(drivername="postgresql+psycopg")
        engine = sa.create_engine(
            address, pool_size=THREADS, max_overflow=10, pool_timeout=CONNECTION_SECONDS, pool_pre_ping=True
        )
        if "idle_in_transaction_session_timeout" not in str(address.query.get("options", "")):
            sa.event.listen(engine, "connect", _limit_idle_transactions)
        return engine
    if address.drivername != "sqlite" or not address.database:
        raise UsageError("only SQLite and PostgreSQL are supported. Use sqlite:///PATH or postgresql://...")
    path = Path(address.database)
    files.folder(path.parent, private=True)
    engine = sa.create_engine(address, creator=lambda: connect(path), pool_size=THREADS, max_overflow=4)

    @sa.event.listens_for(engine, "connect")
    def set_up(connection: Any, _: object) -> None:  # noqa: ANN401 - a sqlite3 connection
        connection.isolation_level = None  # by default, transactions would only start at the first write
        connection.execute("PRAGMA foreign_keys=ON")

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        # Writers wait for each other here, and nowhere else.
        connection.exec_driver_sql("BEGIN" if connection.get_execution_options().get(READ_ONLY) else "BEGIN IMMEDIATE")

    return engine


BUSY_SECONDS = 30.0  # how long to wait for another writer


def connect(path: Path) -> sqlite3.Connection:
    """Open a SQLite file, which only its owner can access. Commits survive a power cut.

    Reading doesn't block writing.
    """
    if not path.exists():
        files.append(path, private=True).close()
    with ExitStack() as failed:
        connection = failed.enter_context(closing(sqlite3.connect(path, timeout=BUSY_SECONDS, check_same_thread=False)))
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")  # NORMAL can lose the last commits in a power cut
        # The job queue's library sorts jobs by these functions, which only return whole seconds in SQLite.
        connection.create_function("strftime", 2, lambda form, _: time.time() if form == "%s" else None)
        if sqlite3.sqlite_version_info < (3, 42):
            connection.create_function("unixepoch", 1, lambda _: time.time())
        failed.pop_all()
    return connection
