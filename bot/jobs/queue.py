"""The jobs as their askers see them: handed in, called off, counted, stopped."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from weakref import WeakValueDictionary

from bot.errors import StorageError
from bot.jobs import codec, ids, superseding
from bot.jobs.dispatcher import Dispatcher
from bot.jobs.heartbeat import Pulse
from bot.jobs.rows import JobRow, JobRows
from bot.jobs.runner import Runner
from bot.jobs.settings import JobSettings
from bot.jobs.tables import ACTIVE, CANCELLED, DONE, RUNNING, WAITING
from bot.storage.workers import Workers
from bot.values import Ask, Cancel, ChecksEnded, PullRef, ReviewAsk

log = logging.getLogger("deeprepo.jobs")
AT_ONCE, SHARED = 64, 8  # pull requests whose jobs are changed at the same time; on PostgreSQL each holds a connection
WRITERS = 4  # of a file at the same time: many would wait for each other unfairly, and some for seconds
PATIENCE = 5.0  # seconds for an answer about our health
UNWINDING = 5.0  # seconds for jobs to come to their end once they are told to
MOST_RUNS = 200  # reviews whose check runs one job ends; a review that follows ends what is left
LISTED = 1000  # jobs of one list


@dataclass(frozen=True, slots=True)
class ListedJob:
    """A job that waits, is put off, or runs."""

    id: str
    state: str  # "waiting", "delayed", "running"
    stored_at: float  # seconds since 1970
    tries: int  # that went before
    ask: Ask


class Jobs:
    """The stored jobs. What `submit` has returned from is on disk."""

    def __init__(
        self,
        settings: JobSettings,
        rows: JobRows,
        runner: Runner,
        pulse: Pulse,
        workers: Workers | None,
        dispatcher: Dispatcher | None,
    ) -> None:
        self._settings, self._rows, self._runner, self._pulse = settings, rows, runner, pulse
        self._workers, self._dispatcher = workers, dispatcher
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._places = asyncio.Semaphore(AT_ONCE if workers is None else SHARED)
        self._writers = asyncio.Semaphore(WRITERS if workers is None else AT_ONCE)
        self._ending: asyncio.Task[None] | None = None

    async def submit(self, ask: Ask, delivery: str, *, delay: float | None = None) -> bool:
        """Store what was asked for. False: this delivery is known, or a review is under way that nothing was missed for.

        A review takes the place of all earlier ones of its pull request; a push waits a moment for the next one. A delay counts from
        the first that is put off: what follows in the meantime does not lengthen it.
        """
        if self._ending is not None:
            raise StorageError("this process is being stopped: nothing more is taken on")
        name = ids.name(ask, delivery)
        if isinstance(ask, Cancel):
            return await self._in_doubt(ask, name, delay or 0.0)
        if isinstance(ask, ChecksEnded):
            return await self._with_waiting(ask, name)
        if isinstance(ask, ReviewAsk):
            async with self._alone(ask.pull):
                return await self._replace(ask, name, delay)
        return await self._put(ask, name, delay or 0.0)

    async def reviews(self, pull: PullRef) -> dict[str, ReviewAsk]:
        """Return the reviews of a pull request that wait and run, by the name of their first try."""
        rows = await self._rows.find(prefix=ids.about(pull, "review"), ask=True)
        return {ids.root(row.id): ask for row in rows if isinstance(ask := _ask(row), ReviewAsk)}

    async def cancel(self, pull: PullRef, runs: Collection[str] | None = None) -> int:
        """Call off the reviews of a pull request, waiting and running, or some of them (`runs`); how many there were.

        What they have begun at GitHub is ended by a job of its own: one that waits, or whose process is dead, cannot do it.
        """
        async with self._alone(pull):
            rows = await self._rows.find(prefix=ids.about(pull, "review"))
            ends = [row.id for row in rows if runs is None or ids.root(row.id) in runs]
            if ends:
                tidy = Cancel(pull, "command", tuple(dict.fromkeys(map(ids.root, ends)))[-MOST_RUNS:])
                if not await self._put(tidy, ids.name(tidy, "off-" + ends[-1].rpartition("~")[2]), 0.0, ends):
                    await self._end(ends)
        return len(ends)

    async def _with_waiting(self, ask: ChecksEnded, name: str) -> bool:
        """Store it in the place of those of the same commit that wait: each App, and each workflow, sends its own."""
        waiting = await self._rows.find(prefix=ids.checks(ask), states=[WAITING], ask=True)
        before = [(row, old) for row in waiting if isinstance(old := _ask(row), ChecksEnded)]
        ask = replace(ask, is_failure=ask.is_failure or any(old.is_failure for _, old in before))
        delay = _sooner(self._settings.debounce, [row for row, _ in before])
        return await self._put(ask, name, delay, [row.id for row, _ in before])

    async def _in_doubt(self, ask: Cancel, name: str, delay: float) -> bool:
        """Store the question whether the pull request is still closed, or a draft: deliveries come late, and nothing ends before GitHub is asked.

        It is one with those that wait already. While a review runs it is not put off.
        """
        async with self._alone(ask.pull):
            reviews = await self._rows.find(prefix=ids.about(ask.pull, "review"))
            if not reviews and ask.reason == "draft":
                return True
            waiting = await self._rows.find(prefix=ids.about(ask.pull, "command"), states=[WAITING], ask=True)
            before = [(row, old) for row in waiting if isinstance(old := _ask(row), Cancel)]
            wait = 0.0 if any(row.state == RUNNING for row in reviews) else _sooner(delay, [row for row, _ in before])
            is_closed = ask.reason == "closed" or any(old.reason == "closed" for _, old in before)
            runs = tuple(dict.fromkeys(run for _, old in before for run in old.runs))[-MOST_RUNS:]
            ask = replace(ask, reason="closed" if is_closed else "draft", runs=runs)
            return await self._put(ask, name, wait, [row.id for row, _ in before])

    async def forget(self, installation: int, repositories: Sequence[int] = ()) -> int:
        """Call off and delete all jobs of an installation, or of some of its repositories; how many were deleted."""
        prefixes = [f"{kind}{one}#" for kind in ids.OF_PULLS for one in repositories]
        active_ids = await self._rows.of_installation(installation, prefixes or ids.OF_PULLS, ACTIVE)
        await self._end([row.id for row in active_ids])
        running = {row.id for row in active_ids if row.state == RUNNING}
        leaving = [asyncio.create_task(job.gone.wait()) for name, job in self._runner.live.items() if name in running]
        if leaving:
            await asyncio.wait(leaving, timeout=UNWINDING)
        ended_ids = [row.id for row in await self._rows.of_installation(installation, prefixes, [DONE, CANCELLED])]
        await self._rows.delete(ended_ids)
        return len(ended_ids)

    async def counts(self) -> dict[str, int]:
        """How many jobs wait, are put off, and run, over all processes."""
        return {"waiting": 0, "delayed": 0, "running": 0} | await self._rows.counts()

    async def list_jobs(self) -> list[ListedJob]:
        """The jobs that are not done, oldest first, a bounded number. Unreadable ones are left out."""
        rows = await self._rows.find(ask=True, most=LISTED)
        return [job for row in rows if (job := _list(row)) is not None]

    async def one(self, job: str) -> ListedJob | None:
        """A job that is not done, by its id or that of its first try."""
        rows = await self._rows.find(ids=[job], ask=True) or await self._rows.find(prefix=f"{job}+", ask=True, most=1)
        return _list(rows[0]) if rows else None

    async def healthy(self) -> tuple[bool, str]:
        """Whether jobs can be stored and are carried out, and what is wrong otherwise."""
        if self._ending is not None:
            return False, "stopping"
        try:
            async with asyncio.timeout(PATIENCE):
                await self._rows.find(ids=["nobody"])
        except (StorageError, TimeoutError):
            return False, "the jobs' database does not answer"
        if self._dispatcher is None:
            return True, "ready"
        silent = asyncio.get_running_loop().time() - self._pulse.beaten
        if self._workers is not None and silent > self._settings.lease:
            return False, f"no sign of life for {silent:.0f} seconds"
        return (True, "ready") if self._dispatcher.alive else (False, "no jobs are taken")

    async def stop(self, grace: float = 0.0) -> None:
        """Take on nothing more, give running jobs this many seconds, and leave what is unfinished for the next process."""
        if self._ending is None:
            self._runner.stopping = True
            self._ending = asyncio.create_task(self._wind_down(grace))
        await asyncio.shield(self._ending)

    async def _wind_down(self, grace: float) -> None:
        """Take no more jobs. After the grace, ask each job that is left to end where it is."""
        if self._dispatcher is not None:
            await self._dispatcher.stop()
        ends = [asyncio.create_task(job.gone.wait()) for job in self._runner.live.values()]
        if ends and grace > 0:
            await asyncio.wait(ends, timeout=grace)
        self._runner.interrupt()
        if ends:
            await asyncio.wait(ends, timeout=UNWINDING)
        for task in ends:
            task.cancel()

    async def _replace(self, ask: ReviewAsk, name: str, delay: float | None) -> bool:
        """Store it and end the older ones, both or neither: a crash between the two must not lose what was asked for."""
        older = await self._rows.find(prefix=ids.about(ask.pull, "review"), ask=True)
        if any(ids.root(row.id) == name for row in older) or (older and ask.trigger == "catch-up"):
            return False
        if superseding.adds_nothing(ask, _asks(older)):
            return False
        paced_delay = None if delay is None else _sooner(delay, [row for row in older if row.state == WAITING])
        wait = paced_delay if paced_delay is not None else self._settings.debounce if ask.trigger == "push" else 0.0
        # a late copy of a delivery must never end a newer review
        return await self._put(superseding.merge(ask, _asks(older)), name, wait, [row.id for row in older])

    async def _end(self, names: list[str]) -> None:
        await self._rows.end(names)
        self._runner.end(names)

    async def _put(self, ask: Ask, name: str, delay: float, ends: Sequence[str] = ()) -> bool:
        """Store a job in the place of those that it ends."""
        queue = ids.queue(name)
        async with self._writers:
            stored = await self._rows.add(name, queue, codec.write(ask), delay=delay, ends=ends, **ids.places(ask))
        if stored:
            self._runner.end(ends)
        return stored

    @asynccontextmanager
    async def _alone(self, pull: PullRef) -> AsyncIterator[None]:
        """One change at a time to the reviews of a pull request, over all processes; those of others go on beside it."""
        turn = self._turns.setdefault(pull.key, asyncio.Lock())
        async with turn, self._places:
            if self._workers is None:
                yield
                return
            async with self._workers.alone(pull.key):
                yield


def _sooner(delay: float, waiting: Iterable[JobRow]) -> float:
    """The delay of a job that takes the place of these: it is due no later than the first of them."""
    return max(0.0, min([delay, *(row.due_at - time.time() for row in waiting)]))


def _list(row: JobRow) -> ListedJob | None:
    ask = _ask(row)
    state = "delayed" if row.state == WAITING and row.due_at > time.time() else row.state
    return None if ask is None else ListedJob(row.id, state, row.created_at, ids.tries(row.id), ask)


def _ask(row: JobRow) -> Ask | None:
    """What a stored job was asked for, None if that cannot be read."""
    try:
        return codec.read(row.ask)
    except StorageError:
        return None


def _asks(rows: Iterable[JobRow]) -> list[ReviewAsk]:
    """The asks of stored reviews. One that cannot be read had nothing that could be kept."""
    return [ask for row in rows if isinstance(ask := _ask(row), ReviewAsk)]
