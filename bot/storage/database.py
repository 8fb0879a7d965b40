"""Connect to PostgreSQL or SQLite, and define the tables in their newest version.

The migrations in `migrations/versions` upgrade older databases.
"""

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
from bot.values import PullRef

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
        """Run one transaction, which is on disk at the end. Raises StorageError if it is rolled back."""
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
    """Return our error for a database error, without statement, values or URL, which may be secret."""
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


schema = sa.MetaData()
Scope = tuple[int, ...] | None  # installation IDs, or None for all installations
Json = sa.Text  # SQL never looks into the JSON
Number = sa.BigInteger().with_variant(sa.Integer, "sqlite")  # SQLite only auto-increments a plain INTEGER


def keys(kind: Any, *names: str) -> tuple[sa.Column[Any], ...]:  # noqa: ANN401 - the library's type
    """Return the columns of a primary key."""
    return tuple(sa.Column(name, kind, primary_key=True, autoincrement=False) for name in names)


def required(kind: Any, *names: str) -> tuple[sa.Column[Any], ...]:  # noqa: ANN401 - the library's type
    """Return columns that must not be null."""
    return tuple(sa.Column(name, kind, nullable=False) for name in names)


def _owner() -> tuple[sa.Column[int], ...]:
    return required(sa.BigInteger, "installation", "repository")


review = sa.Table(
    "review",
    schema,
    sa.Column("id", sa.Text, primary_key=True),  # the job's id
    sa.Column("pull", sa.Text, nullable=False),  # PullRef.key
    *_owner(),
    *required(sa.Text, "name", "head", "trigger", "conclusion", "strategy"),  # name: owner/name at the time
    *required(sa.Integer, "number", "round", "calls"),
    *required(sa.Double, "started", "finished"),  # seconds since 1970 (UTC), like all times here
    sa.Column("tokens", sa.BigInteger, nullable=False),
    sa.Column("usd", sa.Double),  # null if a price was unknown
    sa.Column("fork", sa.Boolean, nullable=False),  # whether the pull request comes from a fork
    # Copied from the output, so that lists don't have to read the output.
    sa.Column("title", sa.Text),  # the pull request's title at the time
    sa.Column("state", sa.Text, nullable=False),  # bot.values.review.ReviewStatus
    sa.Column("found", sa.Integer),  # new findings
    sa.Column("still", sa.Integer),  # earlier findings that are still open
    sa.Column("fixed", sa.Integer),  # earlier findings that are fixed
    sa.Column("journal", sa.Text),  # name of the journal
    sa.Column("closed", sa.Double),  # when the pull request was closed; null if it is open
    sa.Column("merged", sa.Double),  # when it was merged
    # Large columns come last, because SQLite reads a row from its start.
    sa.Column("output", sa.LargeBinary, nullable=False),  # the JSON output
    sa.Column("memory", sa.LargeBinary),  # state for the next review; null if the output serves as the state
    sa.Index("review_pull", "pull", "finished", "state"),
    sa.Index("review_finished", "finished", "id", "state"),
    sa.Index("review_of_installation", "installation", "finished", "id", "state"),
    sa.Index("review_of_repository", "repository", "finished", "id", "state"),
    sa.Index("review_head", "repository", "head", "finished"),
    sa.Index("review_merged", "merged"),
)
finding = sa.Table(
    "finding",
    schema,
    *keys(sa.Text, "pull", "fingerprint"),
    *_owner(),
    sa.Column("first", sa.Integer, nullable=False),  # number of the review that found it
    sa.Column("last", sa.Integer, nullable=False),  # number of the last review that mentioned it
    *required(sa.Text, "state", "severity", "kind", "source", "path", "title"),
    sa.Column("seen", sa.Double, nullable=False),
    sa.Column("outcome", sa.Text),  # bot.storage.findings.FindingOutcome; null if it was never reported
    sa.Column("at", sa.Double),  # when the outcome last changed
    sa.Index("finding_outcome", "repository", "at", "outcome"),
    sa.Index("finding_at", "at", "outcome"),
)
suppression = sa.Table(
    "suppression",
    schema,
    *keys(sa.Text, "pull", "fingerprint"),
    *_owner(),
    *required(sa.Text, "who", "reason"),
    sa.Column("made", sa.Double, nullable=False),
    sa.Column("withdrawn", sa.Boolean, nullable=False),
)
feedback = sa.Table(
    "feedback",
    schema,
    *keys(sa.Text, "pull", "fingerprint", "who", "kind"),
    *_owner(),
    *required(sa.Text, "value"),
    sa.Column("given", sa.Double, nullable=False),
)
line = sa.Table(
    "line",
    schema,
    sa.Column("id", Number, primary_key=True, autoincrement=True),
    *required(sa.Text, "journal", "text"),
    sa.Column("written", sa.Double, nullable=False),
    sa.Index("line_journal", "journal", "id"),
)
pause = sa.Table(
    "paused",
    schema,
    sa.Column("pull", sa.Text, primary_key=True),
    *_owner(),
    *required(sa.Text, "who"),
    *required(sa.Double, "since"),
)
check = sa.Table(
    "check_run",
    schema,
    sa.Column("run", sa.Text, primary_key=True),  # the job that started it
    sa.Column("pull", sa.Text, nullable=False),
    *_owner(),
    sa.Column("number", sa.BigInteger, nullable=False),  # GitHub's number
    sa.Column("begun", sa.Double, nullable=False),
    sa.Index("check_run_pull", "pull"),
)
command = sa.Table(
    "command",
    schema,
    sa.Column("comment", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("kind", sa.Text, primary_key=True),
    sa.Column("pull", sa.Text, nullable=False),
    *_owner(),
    sa.Column("who", sa.Text, nullable=False),
    sa.Column("given", sa.Double, nullable=False),
    sa.Column("writes", sa.Boolean, nullable=False),  # whether this person had write access
    sa.Index("command_who", "repository", "who", "given"),
)
# These rows are kept when the App is removed. Otherwise, people could reset the caps by installing it again.
# They are deleted after two days.
spending = sa.Table(
    "spending",
    schema,
    sa.Column("journal", sa.Text, primary_key=True),  # journal and job
    *_owner(),
    # The account is needed because an App that is installed again has another installation ID.
    sa.Column("owner", sa.Text, nullable=False, server_default=""),
    sa.Column("holder", sa.Text, nullable=False),  # identifies the reservation that may settle this row
    # Whether this is a review of a pull request from a fork that nobody requested
    sa.Column("fork", sa.Boolean, nullable=False),
    sa.Column("begun", sa.Double, nullable=False),
    sa.Column("usd", sa.Double, nullable=False),  # the reserved amount, later the paid amount
    sa.Index("spending_begun", "begun"),
)
rule = sa.Table(
    "rule",
    schema,
    *keys(sa.BigInteger, "repository"),
    *keys(sa.Integer, "number"),
    sa.Column("installation", sa.BigInteger, nullable=False),
    sa.Column("pull", sa.Text, nullable=False),  # where it was proposed
    sa.Column("mark", sa.Text, nullable=False),  # digest of the proposed kind and path
    *required(sa.Text, "path", "kind", "text", "state", "how", "who", "link"),
    sa.Column("made", sa.Double, nullable=False),
    sa.Column("grave", sa.Boolean, nullable=False),
    sa.Column("decider", sa.Text, nullable=False, server_default=""),
    sa.Column("decided", sa.Double, nullable=False, server_default="0"),
    sa.Column("comment", sa.BigInteger),  # the comment with the proposal; null until it is posted
    sa.Column("comment_kind", sa.Text),
    sa.Column("silenced", sa.Integer, nullable=False, server_default="0"),
    sa.Column("last", sa.Double, nullable=False, server_default="0"),
    # The definition that a learning is about.
    sa.Column("symbol", sa.Text, nullable=False, server_default=""),
    sa.Index("rule_mark", "repository", "mark", unique=True),
)
failure = sa.Table(  # failed jobs, with the reasons
    "failure",
    schema,
    sa.Column("id", sa.Text, primary_key=True),  # a review's pull request, or a command's comment
    sa.Column("pull", sa.Text, nullable=False),
    *_owner(),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("what", sa.Text, nullable=False),  # "review", or the command
    sa.Column("why", sa.Text, nullable=False),
    sa.Column("ask", Json, nullable=False),  # for repeating the job
    sa.Column("failed", sa.Double, nullable=False),
    sa.Index("failure_failed", "failed"),
    sa.Index("failure_of_installation", "installation", "failed"),
)
spent = sa.Table(  # used sign-in links, and ended sessions
    "spent",
    schema,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("until", sa.Double, nullable=False),  # when the link or session would expire
)
build = sa.Table(  # versions of deeprepo that opened this database
    "build",
    schema,
    sa.Column("version", sa.Text, primary_key=True),
    *required(sa.Double, "first", "last"),
)
# The tables whose rows are deleted when the App is removed from a repository.
OWNED = tuple(table for table in schema.tables.values() if "repository" in table.c and table is not spending)


def within(scope: Scope, table: sa.Table) -> sa.ColumnElement[bool]:
    """Return the condition that a row belongs to one of these installations."""
    return sa.true() if scope is None else table.c.installation.in_(scope)


def owner_columns(pull: PullRef) -> dict[str, Any]:
    """Return the columns for a row's pull request, repository and installation."""
    return {"pull": pull.key, "installation": pull.installation, "repository": pull.repository}
