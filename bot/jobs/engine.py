"""Start and end of the library that keeps the jobs (DBOS), with its traps guarded."""

import asyncio
import logging
import math
import platform
import sqlite3
import threading
import uuid
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from functools import partial

from dbos import DBOS, DBOSClient, DBOSConfig
from dbos import error as errors
from dbos._queue import QueueRateLimit
from dbos._serialization import (
    DBOSPortableJSON,
)  # the library names it only where clients of other languages are told of it
from sqlalchemy.exc import SQLAlchemyError

from bot.errors import StorageError
from bot.jobs.ids import QUEUES
from bot.jobs.rows import VERSION, WORKFLOW
from bot.jobs.settings import JobSettings
from bot.jobs.shares import Shares
from bot.jobs.turns import TurnTaking, fair
from bot.storage.sqlite import connect, tidy

REVIEWS, COMMANDS = QUEUES["review"], QUEUES["command"]
NAME = "deeprepo"  # of the application that the jobs belong to
HERE = "here"  # the one process of a data folder: what it had begun it goes on with after a restart
RECOVERIES = 20  # the library's own count, a second line behind JobSettings.crashes
CONNECTIONS = 12
NO_LIMIT = 1_000_000  # starts of an installation in a second
STARTING, LOOK = 30.0, 0.005  # seconds until each queue is looked at, and between two looks whether it is
UNWINDING = 5.0  # seconds for jobs to come to their end once they are told to

Run = Callable[[str, str], Awaitable[str]]


def executor(settings: JobSettings) -> str:
    """The name under which this process owns jobs."""
    if not settings.shared:
        return HERE
    return settings.executor or f"{platform.node()}-{uuid.uuid4().hex[:12]}"


async def launch(settings: JobSettings, who: str, run: Run, *, work_here: bool) -> None:
    """Start it in this event loop. Raises StorageError where the database cannot be used."""
    _silence()
    async with AsyncExitStack() as failed:
        failed.push_async_callback(close)

        @DBOS.workflow(name=WORKFLOW, max_recovery_attempts=RECOVERIES)
        async def job_v1(text: str) -> str:
            return await run(str(DBOS.workflow_id), text)

        try:
            await asyncio.to_thread(_register, settings)
            library = DBOS(config=_config(settings, who))
            if not work_here:
                DBOS.listen_queues([])
            DBOS.launch()
            turns = TurnTaking(REVIEWS, settings.per_installation, settings.at_once, who)
            fair(library, {REVIEWS: turns.next, COMMANDS: Shares(COMMANDS, settings.at_once, who).next})
            if work_here:
                await _watched()
        except (SQLAlchemyError, errors.DBOSException, sqlite3.Error) as error:
            said = str(getattr(error, "orig", None) or error).strip().splitlines()
            first = said[0] if said else type(error).__name__
            raise StorageError(f"the jobs' database cannot be used: {first}") from error
        failed.pop_all()


def looked_at() -> bool:
    """Whether each queue has the thread that takes jobs from it."""
    names = {thread.name for thread in threading.enumerate()}
    return all(f"queue-worker-{queue}" in names for queue in QUEUES.values())


async def _watched() -> None:
    """Return once each queue is looked at. Raises StorageError if that takes too long."""
    try:
        async with asyncio.timeout(STARTING):
            while not looked_at():  # noqa: ASYNC110 - the library tells nobody
                await asyncio.sleep(LOOK)
    except TimeoutError as error:
        raise StorageError(f"the queues of the jobs were not looked at within {STARTING:.0f} seconds") from error


async def close(grace: float = 0.0) -> None:
    """Take no more jobs, wait for those that run, end. What is unfinished after this time stays stored."""
    loop, own = asyncio.get_running_loop(), ThreadPoolExecutor()
    seconds = math.ceil(grace + UNWINDING) if grace > 0 else 0
    ending = partial(DBOS.destroy, destroy_registry=True, workflow_completion_timeout_sec=seconds)
    await loop.run_in_executor(own, ending)
    loop.set_default_executor(own)  # the library had made its own threads the loop's, and has ended them


def _config(settings: JobSettings, who: str) -> DBOSConfig:
    config: DBOSConfig = {
        "name": NAME,
        "application_version": VERSION,
        "executor_id": who,
        "log_level": "WARNING",
        "serializer": DBOSPortableJSON,  # the default is pickle: who writes the database would run code here
        "notification_listener_polling_interval_sec": settings.poll,  # no job listens, and the end waits for this
        "scheduler_polling_interval_sec": 60.0,
        "run_migrations": False,  # `_register` has run them
    }
    if settings.shared:
        return {**config, "system_database_url": settings.url, "sys_db_pool_size": CONNECTIONS}
    kwargs = {"creator": lambda: connect(settings.file)}
    return {**config, "system_database_url": _url(settings), "db_engine_kwargs": kwargs}


def _url(settings: JobSettings) -> str:
    return settings.url if settings.shared else f"sqlite:///{settings.file}"


def _register(settings: JobSettings) -> None:
    """Bring the database up to date and store the queues with the present limits.

    No queue has a limit over several partitions and processes: on PostgreSQL these are expensive.

    This happens before the library starts, because it begins at once to take jobs, with the limits that it finds stored: after a
    restart these would be the old ones. If a partition has one place, the library would take a shortcut that asks for no
    turns; a limit of rate rules it out.
    """
    unlimited: QueueRateLimit = {"limit": NO_LIMIT, "period": 1.0}
    if not settings.shared:
        tidy(settings.file)
        connect(settings.file).close()  # the file is its owner's from the start
    DBOS.migrate(_url(settings))
    client = DBOSClient(system_database_url=_url(settings), application_name=NAME)
    poll, each, once = settings.poll, settings.per_installation, settings.at_once
    try:
        client.register_queue(
            REVIEWS,
            partition_concurrency=each,
            partition_limiter=unlimited if each == 1 else None,
            worker_concurrency=once,
            polling_interval_sec=poll,
        )
        client.register_queue(
            COMMANDS,
            partition_concurrency=1,
            partition_limiter=unlimited,
            worker_concurrency=once,
            polling_interval_sec=poll,
        )
        client.register_queue("small", worker_concurrency=once, polling_interval_sec=2 * poll)
    finally:
        client.destroy()


def _silence() -> None:
    """Its log goes where ours goes: without a handler it would bring one along."""
    logger = logging.getLogger("dbos")
    logger.addFilter(_unexpected)
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())


def _unexpected(record: logging.LogRecord) -> bool:
    """Whether a record is news: that a superseded job was cancelled is none."""
    return not record.getMessage().startswith("Asyncio task cancelled for workflow or step")
