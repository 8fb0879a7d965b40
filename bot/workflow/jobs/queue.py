"""The job queue for its clients: submit, cancel, count and stop jobs, and merge jobs about one subject."""

import asyncio
import contextvars
import logging
import platform
import time
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from bot.errors import StorageError, UsageError
from bot.machine import build
from bot.storage import Store
from bot.storage.database import Database
from bot.values import Cancel, Job, PullRef, Relabeled, ReviewJob
from bot.values.daily import HOUR
from bot.values.job import ASKED
from bot.workflow.jobs import engine, records
from bot.workflow.jobs.engine import JobRow, JobSettings, Keys
from bot.workflow.jobs.runner import Apologise, Runner, Work

log = logging.getLogger("deeprepo.jobs")
WRITERS = 4  # concurrent writes; with more, some would wait for seconds
STORE_SECONDS = 5.0  # seconds for a health check or for storing a job
# Searches before a job counts as lost; more for our own, which may be about to start or end.
LOOKS, LOOKS_OF_OURS = 2, 6
UNWINDING = 5.0  # seconds for jobs to end after they are asked to
WORKERS_SECONDS = 10.0  # between two looks for processes that carry out jobs
LISTED_JOBS = 1000  # jobs in one list
HERE = "here"  # executor of a data folder's only process, which resumes its own jobs after a restart
OTHER_BUILD = "jobs in the database: {count} that another build ({builds}) stored and this one ({this}) cannot read. Start that build, or a newer one"
UNKNOWN_HEAD = "unknown"  # head or base of a command stored without one; equals no real head or base


@dataclass(frozen=True, slots=True)
class ListedJob:
    """A job that is waiting, delayed or running."""

    id: str
    state: str  # "waiting", "delayed" or "running"
    stored_at: float  # seconds since 1970
    tries: int  # earlier tries
    job: Job


class Jobs:
    """The stored jobs. A job is on disk when `submit` returns."""

    def __init__(self, settings: JobSettings, store: Store | None = None) -> None:
        """Create the queue. On PostgreSQL the store shows which processes are alive."""
        if settings.is_shared and store is None:
            raise UsageError("several processes on one database need the store to show that they are alive")
        self._settings, self._store = settings, store
        self._writers = asyncio.Semaphore(WRITERS)
        self._ending: asyncio.Task[None] | None = None
        self.idle_since: float | None = None  # since when no process carries out jobs, in seconds since 1970
        self._looks = Counter[str]()  # consecutive searches that found a job without a process

    @asynccontextmanager
    async def running(
        self, work: Work, apologise: Apologise, *, serve: bool = True, work_here: bool = True
    ) -> AsyncIterator["Jobs"]:
        """Run jobs in this process until the end of the block.

        With `serve` the process also deletes old jobs; with `work_here` it carries jobs out. `apologise` is
        called once, with the reason, when a job is given up. Raises UsageError if another process uses the
        data folder, StorageError if the database cannot be used.
        """
        settings = self._settings
        if not settings.is_shared and not work_here:
            raise UsageError("jobs in SQLite run only in the process that accepts them. Use a PostgreSQL database")
        executor = f"{platform.node()}-{uuid.uuid4().hex[:12]}" if settings.is_shared else HERE
        shared = self._store.database if settings.is_shared and self._store else None
        self._database = shared or Database(f"sqlite:///{settings.file}")
        self._keys = Keys(shared, executor if work_here else None)
        self._runner = runner = Runner(settings, executor, self._keys, work, apologise)
        async with AsyncExitStack() as stack:
            if not settings.is_shared:
                stack.enter_context(engine.lock_folder(settings.folder))
            if shared is None:
                stack.push_async_callback(self._database.close)
            stack.push_async_callback(self._keys.leave)
            await self._keys.live()  # before the first job is ours
            await engine.launch(settings, executor, runner.run, work_here=work_here)
            stack.push_async_callback(self.stop)
            for row in await engine.find(text=True, most=LISTED_JOBS) if work_here else ():
                if records.read(row.text) is None and (other := records.other_build(row.text)):
                    runner.unread[records.first_try(row.id)] = other
            beside = [_again(self.tidy_up, HOUR)] if serve else []
            beside += [runner.watch(), _again(self.sweep, settings.sweep)] if work_here else []
            beside += [] if work_here else [_again(self._look_for_workers, WORKERS_SECONDS)]
            tasks = [asyncio.create_task(each, context=contextvars.Context()) for each in beside]
            try:
                yield self
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def submit(self, job: Job, delivery: str, *, delay: float | None = None) -> bool:
        """Store a job. Returns False if the delivery is known or existing jobs already cover it.

        A review replaces all earlier reviews of its pull request, and a push waits briefly for the next push.
        A delay counts from the first delayed job, so later ones do not extend it.
        """
        if self._ending is not None:
            raise StorageError("this process is stopping and accepts no more jobs")
        name = records.name(job, delivery)
        if not isinstance(job, ReviewJob | Cancel | Relabeled):
            return await self._put(job, name, delay or 0.0)
        async with self._keys.alone(f"submit {records.beginning(job)}"):
            rows = await engine.find(prefixes=[records.beginning(job)], text=True)
            if any(records.first_try(row.id) == name for row in rows):
                return False
            if isinstance(job, ReviewJob):
                return await self._replace(job, name, delay, rows)
            wait = delay or (self._settings.debounce if isinstance(job, Relabeled) else 0.0)
            if isinstance(job, Cancel) and wait and await self.reviews(job.pull):
                wait = 0.0  # a running review is canceled without delay
            due = time.time() + wait
            waiting = [row for row in rows if row.state != engine.RUNNING and row.due_at <= due]
            if any(covers(records.read(row.text), job) for row in waiting):
                return False
            return await self._put(job, name, wait)

    def alone(self, key: str) -> AbstractAsyncContextManager[None]:
        """Lock a key across all processes until the end of the block, so check-and-create runs once.

        Raises StorageError.
        """
        return self._keys.alone(key)

    async def reviews(self, pull: PullRef) -> dict[str, ReviewJob]:
        """Return a pull request's waiting and running reviews, by the name of their first try."""
        rows = await engine.find(prefixes=[records.reviews(pull)], text=True)
        return {records.first_try(row.id): job for row in rows if isinstance(job := records.read(row.text), ReviewJob)}

    async def cancel(self, pull: PullRef, runs: Collection[str] | None = None) -> int:
        """Cancel a pull request's waiting and running reviews, or only `runs`. Returns their number.

        A separate job ends their check runs, because a waiting job or one whose process is dead cannot do it.
        """
        async with self._keys.alone(f"submit {records.reviews(pull)}"):
            rows = await engine.find(prefixes=[records.reviews(pull)])
            ends = [row.id for row in rows if runs is None or records.first_try(row.id) in runs]
            if ends:
                tidy = Cancel(pull, "command", tuple(dict.fromkeys(map(records.first_try, ends))))
                await self._put(tidy, records.name(tidy, "off-" + ends[-1].rpartition("~")[2]), 0.0)
                await self._end(ends)
        return len(ends)

    async def forget(self, installation: int, repositories: Sequence[int] = ()) -> int:
        """Cancel and delete all jobs of an installation or of some of its repositories.

        Returns how many were deleted.
        """
        every = [f"{kind}~{installation}~" for kind in records.QUEUES]
        prefixes = [
            f"{kind}~{installation}~{repository}#" for kind in records.OF_PULLS for repository in repositories
        ] or every
        of_pulls = [prefix for prefix in prefixes if prefix.partition("~")[0] in records.OF_PULLS]
        names = [row.id for row in await engine.find(prefixes=of_pulls)]  # excludes the job that runs this
        await self._end(names)
        # A review's costs are counted from its journal as it ends, and the journal is deleted next.
        ends = [one.task for name in names if (one := self._runner.live.get(name)) is not None and one.task is not None]
        if ends:
            await asyncio.wait(ends, timeout=UNWINDING)
        ended = [row.id for row in await engine.find(prefixes=prefixes, states=None) if row.state not in engine.ACTIVE]
        await engine.delete(ended)
        return len(ended)

    async def counts(self) -> dict[str, int]:
        """Return the numbers of waiting, delayed and running jobs, over all processes."""
        counts = dict.fromkeys(engine.STATES.values(), 0)
        for row in await engine.find():
            counts[engine.STATES[row.state]] += 1
        return counts

    async def list_jobs(self) -> list[ListedJob]:
        """Return up to LISTED_JOBS unfinished jobs, oldest first. Unreadable jobs are skipped."""
        rows = await engine.find(text=True, most=LISTED_JOBS)
        return [job for row in rows if (job := _list(row)) is not None]

    async def one(self, job: str) -> ListedJob | None:
        """Return an unfinished job by its id or the id of its first try."""
        rows = await engine.find(names=[job], text=True) or await engine.find(prefixes=[f"{job}+"], text=True, most=1)
        return _list(rows[0]) if rows else None

    async def unready(self) -> str:
        """Return why a job cannot be stored, or "". It begins a write, because a locked database can still be read."""
        if self._ending is not None:
            return "the server is stopping"
        try:
            async with asyncio.timeout(STORE_SECONDS):
                await self._database.run(engine.write_nothing)
        except (StorageError, TimeoutError):
            return "the job database cannot be written"
        return ""

    async def unread(self) -> str:
        """Return that stored jobs wait for another build, or "". Raises StorageError."""
        if not (left := await self._unread()):
            return ""
        builds = ", ".join(sorted({*left.values()}))
        return OTHER_BUILD.format(count=len(left), builds=builds, this=build.name())

    def report_now(self) -> None:
        """Report failures that GitHub did not accept before, within a second."""
        self._runner.reports_now = True

    async def _look_for_workers(self) -> None:
        is_idle = not await self._keys.has_workers()
        self.idle_since = (self.idle_since or time.time()) if is_idle else None

    async def _unread(self) -> dict[str, str]:
        unread, names = self._runner.unread, [*self._runner.unread]
        rows = await engine.find(prefixes=names or ["nobody"])
        for name in {*names} - {records.first_try(row.id) for row in rows}:  # another build carried them out
            unread.pop(name, None)
        return unread

    async def stop(self, grace: float = 0.0) -> None:
        """Accept no more jobs, wait `grace` seconds for running ones, and leave the rest to the next process."""
        if self._ending is None:
            self._runner.stopping = True
            self._ending = asyncio.create_task(self._stop(grace))
        await asyncio.shield(self._ending)

    async def sweep(self) -> None:
        """Put back jobs of dead processes, and jobs of ours that do not run here, after several searches."""
        await self._keys.live()
        if not await engine.find(states=[engine.RUNNING], most=1):
            return
        async with self._keys.alone("sweep"):
            rows = await engine.find(states=[engine.RUNNING])
            others = frozenset(row.executor for row in rows) - {self._runner.executor}
            alive = await self._keys.alive(others)
            lost = [row for row in rows if row.executor not in alive and row.id not in self._runner.live]
            self._looks = Counter({row.id: self._looks[row.id] + 1 for row in lost})
            for row in lost:
                if self._looks[row.id] >= (LOOKS_OF_OURS if row.executor == self._runner.executor else LOOKS):
                    log.warning("taking over a job from a stopped process", extra={"facts": {"job": row.id}})
                    await engine.note(row.id, {"deaths": int(row.attributes.get("deaths", 0)) + row.starts})
                    await engine.put_back(row)

    async def tidy_up(self) -> None:
        """Delete jobs that ended more than `keep_days` ago."""
        old = datetime.now(UTC) - timedelta(days=self._settings.keep_days)
        while names := [
            row.id for row in await engine.find(states=None, before=old.isoformat(), most=engine.MAX_DELETED_JOBS)
        ]:
            await engine.delete(names)

    async def _stop(self, grace: float) -> None:
        ends = [asyncio.create_task(one.gone.wait()) for one in self._runner.live.values()]
        closing = asyncio.create_task(engine.close(grace + UNWINDING)) if ends and grace > 0 else None
        if ends:
            await asyncio.wait(ends, timeout=grace)
            self._runner.interrupt()
            await asyncio.wait(ends, timeout=UNWINDING)
        for task in ends:
            task.cancel()
        await (closing or engine.close())

    async def _replace(self, job: ReviewJob, name: str, delay: float | None, older: Sequence[JobRow]) -> bool:
        """Store the new job before ending the older ones, so that a crash in between does not lose it."""
        known = [records.read(row.text) for row in older]
        if any(covers(known_job, job) for known_job in known):
            return False
        wait = self._settings.debounce if job.trigger == "push" else 0.0
        if delay is not None:  # due no later than the first waiting job
            now = time.time()
            wait = max(0.0, min([delay, *(row.due_at - now for row in older if row.state != engine.RUNNING)]))
        reviews = [known_job for known_job in known if isinstance(known_job, ReviewJob)]
        if not await self._put(merge(job, reviews), name, wait):
            return False  # a late copy of a delivery must never end a newer review
        await self._end([row.id for row in older])
        return True

    async def _end(self, names: list[str]) -> None:
        await engine.end(names)
        self._runner.end(names)

    async def _put(self, job: Job, name: str, delay: float) -> bool:
        try:
            async with self._writers, asyncio.timeout(STORE_SECONDS):
                return await engine.put(job, name, delay=delay)
        except TimeoutError:
            raise StorageError("the job database does not answer") from None


def _list(row: JobRow) -> ListedJob | None:
    job = records.read(row.text)
    return None if job is None else ListedJob(row.id, engine.STATES[row.state], row.since, records.tries(row.id), job)


def merge(new: ReviewJob, older: Iterable[ReviewJob]) -> ReviewJob:
    """Return the new job combined with what people asked for in the reviews that it replaces.

    A push must not swallow a command. The command keeps its head and base; `policy.bound` decides what it may
    do for others. It is passed on only once, because each replacing review may have to be paid; after that
    only its comment is kept, for an answer. A button counts as a push until the permission of the person who
    pressed it is known, so it adds nothing to another person's request.
    """
    for old in older:
        events = (*new.also, new.trigger, *old.also, old.trigger)
        is_own = new.actor == old.actor or "rerun" not in (new.trigger, old.trigger)
        if new.trigger in ASKED and (new.trigger, old.trigger) != ("rerun", "command"):
            new = replace(new, full=new.full or (old.full and is_own))
        elif old.trigger in ASKED and not old.inherited:
            head, base, full = old.head or UNKNOWN_HEAD, old.base or UNKNOWN_HEAD, old.full or (new.full and is_own)
            new = replace(old, head=head, base=base, full=full, inherited=True)
        elif new.comment is None and old.comment is not None:
            new = replace(new, comment=old.comment, head=old.head, base=old.base)
        new = replace(new, also=tuple(dict.fromkeys(event for event in events if event not in {*ASKED, new.trigger})))
    return new


def covers(known: Job | None, new: ReviewJob | Cancel | Relabeled) -> bool:
    """Return whether a waiting job or running review already does everything the new job is for.

    A button adds nothing to another person's command or to the presser's own earlier request. Otherwise
    pressing it repeatedly would keep ending the review.
    """
    if isinstance(new, ReviewJob):
        if new.trigger == "catch-up" or not isinstance(known, ReviewJob):
            return new.trigger == "catch-up"
        is_more = new.full and not known.full
        asked = known.trigger in ASKED and not is_more if known.actor == new.actor else known.trigger == "command"
        return new.trigger == "rerun" and asked
    if isinstance(new, Relabeled):
        return isinstance(known, Relabeled) and known.trigger in ("labeled", new.trigger)
    return isinstance(known, Cancel) and not new.runs and known.reason in ("closed", new.reason)


async def _again(do: Callable[[], Awaitable[None]], seconds: float) -> None:
    while True:
        try:
            await do()
        except StorageError as error:
            log.warning("jobs could not be maintained", extra={"facts": {"reason": str(error)}, "repeats": True})
        await asyncio.sleep(seconds)
