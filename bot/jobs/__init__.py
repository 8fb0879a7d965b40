"""Durable jobs: what was asked for is on disk before it is answered, and is carried out whatever happens to the process.

DBOS keeps them, on a SQLite file for one process or on PostgreSQL for several; nothing outside this package knows it. A job is
known by its delivery, so that copies change nothing; reviews of one pull request take each other's place; a dead process's
jobs are taken over. The work itself is given from outside.
"""

import asyncio
import contextvars
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from bot.errors import UsageError
from bot.jobs import engine, lock, rows
from bot.jobs.heartbeat import Pulse
from bot.jobs.queue import Jobs, ListedJob
from bot.jobs.runner import Apologise, Runner, Work
from bot.jobs.settings import JobSettings
from bot.storage.store import Store
from bot.values import Ask


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
    """The jobs of this process, one at a time in a process. `serve`: it also tidies up; `work_here`: it carries jobs out.

    On PostgreSQL the store holds the signs of life. `apologise` is called once where a job is given up, with the reason.
    Raises UsageError where the data folder is another process's, StorageError where the database cannot be used.
    """
    if settings.shared and store is None:
        raise UsageError("several processes on one database need the store, in which they give signs of life")
    if not settings.shared and not work_here:
        raise UsageError("jobs in a file are carried out by the process that takes them on: name a PostgreSQL database")
    who, workers = engine.executor(settings), store.workers if store is not None and settings.shared else None
    runner = Runner(settings, who, work, apologise)
    pulse = Pulse(settings, runner, workers)
    async with AsyncExitStack() as stack:
        if not settings.shared:
            stack.enter_context(lock.held(settings.folder))
        if workers is not None and work_here:
            await workers.beat(who, settings.name, rows.VERSION)  # before the first job can be ours
            stack.push_async_callback(workers.leave, who)
        await engine.launch(settings, who, runner.run, work_here=work_here)
        jobs = Jobs(runner, pulse, workers, work_here=work_here)
        stack.push_async_callback(jobs.stop)
        beside = [pulse.tidy_up()] if serve else []
        if work_here:
            await pulse.beat()
            beside += [pulse.beat_on(), pulse.look_around(), runner.watch()]
        tasks = [asyncio.create_task(each, context=contextvars.Context()) for each in beside]
        stack.push_async_callback(_end, tasks)
        yield jobs


async def _end(tasks: "list[asyncio.Task[None]]") -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


__all__ = ["JobSettings", "Jobs", "ListedJob", "running"]
