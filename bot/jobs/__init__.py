"""Durable jobs: what was asked for is on disk before it is answered, and is carried out whatever happens to the process.

They are rows of a SQLite file for one process, or of PostgreSQL for several. A job is known by its delivery, so that copies change
nothing; reviews of one pull request take each other's place; a dead process's jobs are taken over. The work itself is given from
outside. A process with nothing to do waits for its bell and leaves the database alone.
"""

import asyncio
import contextvars
import platform
import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from bot.errors import UsageError
from bot.jobs import former, lock
from bot.jobs.bell import Bell
from bot.jobs.dispatcher import Dispatcher
from bot.jobs.heartbeat import Pulse
from bot.jobs.queue import Jobs, ListedJob
from bot.jobs.rows import JobRows
from bot.jobs.runner import Apologise, Runner, Work
from bot.jobs.settings import JobSettings
from bot.storage.database import Database
from bot.storage.sqlite import tidy
from bot.storage.store import Store
from bot.values import Ask

HERE = "here"  # the one process of a data folder: what it had begun it goes on with after a restart


async def _silent(ask: Ask, why: str) -> None:
    """Nobody is told."""


@asynccontextmanager
async def running(
    settings: JobSettings,
    work: Work,
    *,
    store: Store | None = None,
    serve: bool = True,
    work_here: bool = True,
    apologise: Apologise = _silent,
) -> AsyncIterator[Jobs]:
    """The jobs of this process. `serve`: it also tidies up; `work_here`: it carries jobs out.

    On PostgreSQL the store holds the signs of life. `apologise` is called once when a job is given up, with the reason.
    Raises UsageError if the data folder is another process's, StorageError if the database cannot be used.
    """
    if settings.is_shared and store is None:
        raise UsageError("several processes on one database need the store, in which they give signs of life")
    if not settings.is_shared and not work_here:
        raise UsageError("jobs in a file are carried out by the process that takes them on: name a PostgreSQL database")
    workers = store.workers if store is not None and settings.is_shared else None
    async with AsyncExitStack() as stack:
        if not settings.is_shared:
            stack.enter_context(lock.hold(settings.folder))
            tidy(settings.file)
        database = Database(settings.url if settings.is_shared else f"sqlite:///{settings.file}")
        stack.push_async_callback(database.close)
        rows = JobRows(database, bell := Bell(who := _executor(settings)), who)
        await rows.create()
        await former.take_in(database)
        runner = Runner(settings, rows, work, apologise)
        pulse = Pulse(settings, rows, runner, workers)
        dispatcher = Dispatcher(settings, rows, runner) if work_here else None
        jobs = Jobs(settings, rows, runner, pulse, workers, dispatcher)
        beside = [pulse.tidy_up()] if serve else []
        if dispatcher is not None:
            beside.append(pulse.look_around())
            if workers is None:
                await rows.take_over([who])  # what this folder's last process had begun
            else:
                await pulse.beat(workers)  # before the first job can be ours
                stack.push_async_callback(workers.leave, who)
                beside += [pulse.beat_on(workers), bell.listen(database.engine)]
            dispatcher.begin()
        stack.push_async_callback(jobs.stop)
        tasks = [asyncio.create_task(each, context=contextvars.Context()) for each in beside]
        stack.push_async_callback(_end, tasks)
        yield jobs


def _executor(settings: JobSettings) -> str:
    """The name under which this process owns jobs."""
    if not settings.is_shared:
        return HERE
    return settings.executor or f"{platform.node()}-{uuid.uuid4().hex[:12]}"


async def _end(tasks: "list[asyncio.Task[None]]") -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


__all__ = ["JobSettings", "Jobs", "ListedJob", "running"]
