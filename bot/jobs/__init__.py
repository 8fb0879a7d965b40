"""Durable jobs: what was asked for is on disk before it is answered, and is carried out whatever happens to the process.

DBOS keeps them, in a SQLite file for one process or in PostgreSQL for several. A job is known by its delivery, so that copies change
nothing; reviews of one pull request take each other's place; a dead process's jobs are taken over. The work itself is given from
outside.
"""

import asyncio
import contextvars
import logging
import platform
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager

from bot.errors import StorageError, UsageError
from bot.jobs import engine, lock
from bot.jobs.keys import Keys
from bot.jobs.queue import Jobs, ListedJob
from bot.jobs.runner import Apologise, Runner, Work
from bot.jobs.settings import JobSettings
from bot.storage.store import Store
from bot.values import Ask

HERE = "here"  # the one process of a data folder: what it had begun it goes on with after a restart
HOUR = 3600.0
log = logging.getLogger("deeprepo.jobs")


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
    """The jobs of this process, which can have them once at a time. `serve`: it also tidies up; `work_here`: it carries jobs out.

    On PostgreSQL the store's database shows which processes are alive. `apologise` is called once when a job is given up, with the
    reason. Raises UsageError if the data folder is another process's, StorageError if the database cannot be used.
    """
    if settings.is_shared and store is None:
        raise UsageError("several processes on one database need the store, in which they give signs of life")
    if not settings.is_shared and not work_here:
        raise UsageError("jobs in a file are carried out by the process that takes them on: name a PostgreSQL database")
    executor = (settings.executor or f"{platform.node()}-{uuid.uuid4().hex[:12]}") if settings.is_shared else HERE
    keys = Keys(store.database if settings.is_shared and store else None, executor if work_here else None)
    async with AsyncExitStack() as stack:
        if not settings.is_shared:
            stack.enter_context(lock.hold(settings.folder))
        runner = Runner(settings, executor, keys, work, apologise)
        jobs = Jobs(runner)
        stack.push_async_callback(keys.leave)
        await keys.live()  # before the first job can be ours
        await engine.launch(settings, executor, runner.run, work_here=work_here)
        stack.push_async_callback(jobs.stop)
        beside = [_again(jobs.tidy_up, HOUR)] if serve else []
        beside += [runner.watch(), _again(jobs.sweep, settings.sweep)] if work_here else []
        tasks = [asyncio.create_task(each, context=contextvars.Context()) for each in beside]
        try:
            yield jobs
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def _again(do: Callable[[], Awaitable[None]], seconds: float) -> None:
    """Do it again and again, until cancelled."""
    while True:
        try:
            await do()
        except StorageError as error:
            log.warning("the jobs could not be looked after", extra={"facts": {"reason": str(error)}})
        await asyncio.sleep(seconds)


__all__ = ["JobSettings", "Jobs", "ListedJob", "running"]
