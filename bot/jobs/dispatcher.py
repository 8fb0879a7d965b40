"""Starts the jobs of this process: when the bell rings, when a delayed job is due, and every half minute in case both were missed."""

import asyncio
import contextvars
import logging

from bot.errors import StorageError
from bot.jobs.rows import JobRow, JobRows
from bot.jobs.runner import Runner
from bot.jobs.settings import JobSettings
from bot.jobs.shares import Shares
from bot.jobs.turns import Order, RoundRobin

log = logging.getLogger("deeprepo.jobs")
RETRY = 1.0  # seconds until the database is asked again after it failed


class Dispatcher:
    """Takes jobs from the database and carries each out in a task of its own."""

    def __init__(self, settings: JobSettings, rows: JobRows, runner: Runner) -> None:
        self._rows, self._runner, self._orders = rows, runner, orders(settings)
        self._slowest = settings.look
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Begin to take jobs."""
        self._loop = asyncio.create_task(self._dispatch(), context=contextvars.Context())

    @property
    def alive(self) -> bool:
        """Whether it takes jobs."""
        return self._loop is not None and not self._loop.done()

    async def stop(self) -> None:
        """Take no more jobs. Those that run go on."""
        if self._loop is not None:
            self._loop.cancel()
            await asyncio.gather(self._loop, return_exceptions=True)

    async def _dispatch(self) -> None:
        while True:
            self._rows.bell.clear()
            try:
                await self._leave_lost()
                due = await self._start()
            except StorageError as error:
                log.warning("jobs cannot be taken", extra={"facts": {"reason": str(error)}})
                due = RETRY
            await self._rows.bell.wait(min(self._slowest, due))

    async def _start(self) -> float:
        """Start what may start now; the seconds until a delayed job is due."""
        rows, due = await self._rows.start(self._orders)
        for row in rows:
            task = asyncio.create_task(self._carry_out(row), context=contextvars.Context())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return self._slowest if due is None else due

    async def _leave_lost(self) -> None:
        """Tell the jobs that were cancelled or taken over elsewhere that they are over."""
        jobs = dict(self._runner.live)
        if not jobs:
            return
        starts = await self._rows.starts()
        for name, job in jobs.items():
            if starts.get(name) != job.row.attempts:
                job.over.set()

    async def _carry_out(self, row: JobRow) -> None:
        """Carry one job out. If it is not this process's any more, or the database fails, its row stays as it is."""
        try:
            await self._rows.finish(row, await self._runner.run(row))
        except StorageError as error:  # it stays begun, and is put back once the database answers
            log.error("a job is left as it is", extra={"facts": {"job": row.id, "reason": str(error)}})  # noqa: TRY400
        finally:
            self._rows.bell.ring()


def orders(settings: JobSettings) -> tuple[Order, ...]:
    """The queues and the order of each."""
    places = settings.at_once
    small = max(2, places // 2)  # each push has one, and while it runs deliveries wait for the interpreter
    return (
        RoundRobin("reviews", places, settings.per_installation),
        Shares("commands", places),
        RoundRobin("small", small, small),
        RoundRobin("packages", 1, 1),
    )
