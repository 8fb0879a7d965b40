"""The only module that uses the job library (DBOS): start, stop, and store, find and end jobs.

Each job is one workflow without recorded steps. What it must not do twice is stored in its attributes, by
name, so a changed order of steps after a restart does no harm. Every call here runs outside the job that
makes it. Otherwise the library would record the call as a step of that job and replay the recorded answer
after a restart.
"""

import asyncio
import contextvars
import fcntl
import hashlib
import logging
import math
import os
import threading
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial, wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar
from weakref import WeakValueDictionary

import sqlalchemy as sa
from dbos import DBOS, DBOSConfig, DBOSPortableJSONSerializer, EnqueueOptions, WorkflowStatus
from dbos import error as errors
from sqlalchemy.exc import SQLAlchemyError

from bot.errors import StorageError, UsageError
from bot.machine import files
from bot.storage.database import Database, connect
from bot.values import Job, ReviewJob
from bot.values.job import ASKED
from bot.workflow.jobs import records

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

    async def has_workers(self) -> bool:
        """Return whether any process carries out jobs. Raises StorageError."""
        if self._database is None:
            return True
        return await self._database.read(lambda found: bool(found.execute(_HOLDERS, {"kind": ALIVE}).first()))

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


# Fixed, because the default is a hash of the code, and each edit would strand stored jobs.
VERSION = "deeprepo-wf-1"
WORKFLOW = "job_v1"
WAITING, DELAYED, RUNNING = "ENQUEUED", "DELAYED", "PENDING"
ACTIVE = (WAITING, DELAYED, RUNNING)
STATES = {WAITING: "waiting", DELAYED: "delayed", RUNNING: "running"}
CONNECTIONS = 12
WIDER = 4  # commands started per command carried out, because those of one pull request wait for each other
WAKING = 0.1  # seconds between two wake-ups of a thread that only waits for its end
MAX_DELETED_JOBS = 500  # jobs deleted in one transaction
TIER = 500_000_000  # priorities per tier: people's requests, then automatic work, then strangers' requests
RECENT = 20  # jobs of an installation, and running jobs, among which the last priority is looked up
log = logging.getLogger("deeprepo.jobs")

Given = ParamSpec("Given")
Result = TypeVar("Result")
Run = Callable[[str, str], Awaitable[str]]


REFUSAL_PAUSE = 2.0  # seconds before the second try after a refusal; four times as long each time


@dataclass(frozen=True, slots=True)
class JobSettings:
    """Where jobs are stored and how they run.

    Without `url`, a SQLite file in the folder, for one process only.
    """

    folder: Path
    # Of a PostgreSQL database shared by several processes; contains the password.
    url: str = field(default="", repr=False)
    at_once: int = 8  # reviews that this process runs at the same time, and as many commands in addition
    debounce: float = 5.0  # seconds that a push waits for the next one
    crashes: int = 5  # processes that may die during a job before the job is given up
    tries: int = 8  # delays of a job because GitHub does not answer or asks to wait
    pause: float = 30.0  # seconds before the second try if GitHub names no time; doubled each time
    refusals: int = 3  # further tries of a job that GitHub refuses, because a refusal can be temporary
    refusal_pause: float = REFUSAL_PAUSE
    poll: float = 0.5  # seconds between two checks for work
    keep_days: int = 30  # days to keep finished jobs, by which late copies of a delivery are recognized

    @property
    def is_shared(self) -> bool:
        """Whether several processes can work on the stored jobs."""
        return bool(self.url) and not self.url.startswith("sqlite")

    @property
    def sweep(self) -> float:
        """Seconds between two searches for jobs of dead processes. The second search takes them over."""
        return max(1.0, 10 * self.poll)

    @property
    def file(self) -> Path:
        """The SQLite file."""
        return self.folder / "jobs.db"


@dataclass(frozen=True, slots=True)
class JobRow:
    """One stored job. `text` is its ask, if requested; `executor` is the process that runs or last ran it."""

    id: str
    state: str
    queue: str
    priority: int
    executor: str
    starts: int  # how often a process started it; reset by a takeover or an orderly stop
    created_at: float  # seconds since 1970, like all times here
    due_at: float
    attributes: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""

    @property
    def since(self) -> float:
        """When the first try was stored, in seconds since 1970."""
        return float(self.attributes.get("since", self.created_at))


async def launch(settings: JobSettings, executor: str, run: Run, *, work_here: bool) -> None:
    """Start the library in this event loop. Raises StorageError if the database cannot be used."""
    logger = logging.getLogger("dbos")
    logger.addFilter(_is_worth_logging)
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())  # otherwise the library adds its own handler
    async with AsyncExitStack() as failed:
        failed.push_async_callback(close)

        @DBOS.workflow(name=WORKFLOW, max_recovery_attempts=None)
        async def job_v1(text: str) -> str:
            return await run(str(DBOS.workflow_id), text)

        try:
            DBOS(config=_config(settings, executor))
            if not work_here:
                DBOS.listen_queues([])
            DBOS.launch()
            for queue in sorted(set(records.QUEUES.values())):
                await DBOS.register_queue_async(
                    queue,
                    worker_concurrency=settings.at_once * (WIDER if queue == "commands" else 1),
                    polling_interval_sec=settings.poll,
                    on_conflict="always_update",
                )
        except (SQLAlchemyError, errors.DBOSException) as error:
            raise StorageError(f"the job database cannot be used: {_reason(error)}") from error
        failed.pop_all()


async def close(grace: float = 0.0) -> None:
    """Accept no more jobs, wait `grace` seconds for running jobs, and stop. Unfinished jobs stay stored."""
    loop, executor = asyncio.get_running_loop(), ThreadPoolExecutor()
    ending = partial(DBOS.destroy, destroy_registry=True, workflow_completion_timeout_sec=math.ceil(grace))
    await loop.run_in_executor(executor, ending)
    # The library had made its own executor the default and has shut it down.
    loop.set_default_executor(executor)


def _config(settings: JobSettings, executor: str) -> DBOSConfig:
    config: DBOSConfig = {
        "name": "deeprepo",
        "application_version": VERSION,
        "executor_id": executor,
        "log_level": "WARNING",
        # The default is pickle, which would let anyone with database access run code here.
        "serializer": DBOSPortableJSONSerializer(),
        "use_listen_notify": False,
        "notification_listener_polling_interval_sec": WAKING,
        "scheduler_polling_interval_sec": 60.0,
    }
    if settings.is_shared:
        return {**config, "system_database_url": settings.url, "sys_db_pool_size": CONNECTIONS}
    kwargs = {"creator": lambda: connect(settings.file)}
    return {**config, "system_database_url": f"sqlite:///{settings.file}", "db_engine_kwargs": kwargs}


def _is_worth_logging(record: logging.LogRecord) -> bool:
    """Return whether a log record matters. Records about a job superseded while it ran do not."""
    if record.exc_info and isinstance(record.exc_info[1], errors.DBOSAwaitedWorkflowCancelledError):
        return False
    return not record.getMessage().startswith("Asyncio task cancelled") and "outcome was not recorded" not in record.msg


def _reason(error: Exception) -> str:
    lines = str(getattr(error, "orig", None) or error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def _apart(call: Callable[Given, Coroutine[Any, Any, Result]]) -> Callable[Given, Awaitable[Result]]:
    """Run a call outside the job that makes it. Raises StorageError if the database fails."""

    @wraps(call)
    async def made(*args: Given.args, **kwargs: Given.kwargs) -> Result:
        try:
            return await asyncio.create_task(call(*args, **kwargs), context=contextvars.Context())
        except (SQLAlchemyError, errors.DBOSException) as error:
            raise StorageError(f"the job database failed: {_reason(error)}") from error

    return made


def write_nothing(connection: sa.Connection) -> None:
    """Begin to write to the stored jobs without changing any. Raises SQLAlchemyError if that is not possible."""
    schema = None if connection.dialect.name == "sqlite" else "dbos"
    jobs = sa.table("workflow_status", sa.column("status"), schema=schema)
    connection.execute(sa.update(jobs).values(status=jobs.c.status).where(sa.false()))


@_apart
async def find(
    *,
    names: Sequence[str] | None = None,
    prefixes: Sequence[str] | None = None,
    states: Sequence[str] | None = ACTIVE,
    queue: str | None = None,
    before: str | None = None,
    text: bool = False,
    most: int | None = None,
    newest: bool = False,
) -> list[JobRow]:
    """Return the matching jobs, oldest first unless `newest`.

    `states` None matches every state. `before` selects jobs that ended before this moment (ISO 8601).
    """
    rows = await DBOS.list_workflows_async(
        workflow_ids=None if names is None else list(names),
        workflow_id_prefix=None if prefixes is None else list(prefixes),
        status=None if states is None else list(states),
        queue_name=queue,
        completed_before=before,
        limit=most,
        sort_desc=newest,
        load_input=text,
        load_output=False,
    )
    return [_row(row) for row in rows]


async def put(job: Job, name: str, *, delay: float = 0.0, attributes: Mapping[str, Any] | None = None) -> bool:
    """Store a job on disk with its priority. Returns False if a job of this name exists, perhaps finished."""
    options = _options(name, await _place(job, name), delay, attributes or {})
    return await _enqueue(options, records.write(job))


async def put_unread(row: JobRow, text: str, delay: float) -> None:
    """Store a job that this build cannot read again, with the same priority, for a build that can."""
    await _enqueue(
        _options(records.following(row.id), row.priority, delay, {**row.attributes, "since": row.since}), text
    )


def _options(name: str, priority: int, delay: float, attributes: Mapping[str, Any]) -> EnqueueOptions:
    options: EnqueueOptions = {
        "workflow_name": WORKFLOW,
        "queue_name": records.queue(name),
        "workflow_id": name,
        "workflow_id_reuse_policy": "reject",
        "app_version": VERSION,
        "priority": priority,
    }
    if delay > 0:
        options["delay_seconds"] = delay
    if attributes:
        options["attributes"] = dict(attributes)
    return options


async def _place(job: Job, name: str) -> int:
    """Return a job's priority in its queue, which it keeps; lower goes first.

    The priority is one more than that of the last job of its installation or of the running jobs. So
    installations take turns, and an installation that comes later starts where the others are.
    """
    recent = await find(prefixes=records.line(name), newest=True, most=RECENT)
    running = await find(queue=records.queue(name), states=[RUNNING], newest=True, most=RECENT)
    is_asked = job.trigger in ASKED if isinstance(job, ReviewJob) else job.is_awaited
    tier = TIER * (2 if getattr(job, "stranger", False) else 0 if is_asked else 1)
    places = [row.priority - tier for row in (*recent, *running) if tier <= row.priority < tier + TIER]
    return tier + min(max(places, default=0) + 1, TIER - 1)


@_apart
async def _enqueue(options: EnqueueOptions, text: str) -> bool:
    try:
        await DBOS.enqueue_workflow_with_options_async(options, text)
    except errors.DBOSWorkflowIDInUseError:
        return False
    return True


@_apart
async def note(name: str, attributes: Mapping[str, Any]) -> None:
    """Add to a job's stored attributes."""
    await DBOS.update_workflow_attributes_async(name, dict(attributes), merge=True)


@_apart
async def end(names: Sequence[str]) -> None:
    """Cancel jobs. Waiting jobs never run; a running job notices the cancellation."""
    if names:
        await DBOS.cancel_workflows_async(list(names))


@_apart
async def put_back(row: JobRow) -> None:
    """Put a started job back into the queue."""
    await DBOS.resume_workflow_async(row.id, queue_name=row.queue)


@_apart
async def make_due(name: str) -> None:
    """End the delay of a delayed job."""
    await DBOS.set_workflow_delay_async(name, delay_seconds=0.0)


@_apart
async def delete(names: Sequence[str]) -> None:
    """Delete jobs with everything stored about them."""
    for start in range(0, len(names), MAX_DELETED_JOBS):
        await DBOS.delete_workflows_async(list(names[start : start + MAX_DELETED_JOBS]))


def _row(row: WorkflowStatus) -> JobRow:
    created_at = (row.created_at or 0) / 1000
    arguments = row.input.get("args") if isinstance(row.input, dict) else None
    text = arguments[0] if isinstance(arguments, tuple | list) and arguments else ""
    return JobRow(
        id=row.workflow_id,
        state=row.status,
        queue=row.queue_name or "",
        priority=row.priority or 0,
        executor=row.executor_id or "",
        starts=row.recovery_attempts or 0,
        created_at=created_at,
        due_at=(row.delay_until_epoch_ms or 0) / 1000 or created_at,
        attributes=row.attributes or {},
        text=text if isinstance(text, str) else "",
    )
