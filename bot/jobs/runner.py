"""What becomes of one stored job when its turn has come: carried out, put off, given up, or left to somebody else."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field

from bot.errors import DeepRepoError, HostDown, HostLimited, HostRefused, JournalInUse, StorageError, SupersededError
from bot.jobs import codec, engine, ids, line
from bot.jobs.job import LOST, StoredJob
from bot.jobs.keys import Keys
from bot.jobs.settings import JobSettings
from bot.ports import Job
from bot.values import Ask, ReviewAsk

log = logging.getLogger("deeprepo.jobs")
LONGEST = 3600.0  # seconds that a job is put off at most
SLOWER = 4  # times as long waits each further try of what GitHub refuses
RECENT = 20  # reviews of one pull request that are looked at, further tries among them
LOOK = 0.5  # seconds between two looks whether what runs here is still wanted
DIED = "each time it was begun, the process that carried it out was ended"

Work = Callable[[Ask, Job], Awaitable[None]]
Apologise = Callable[[Ask, str], Awaitable[None]]  # tells whoever asked why nothing comes of it


@dataclass
class Runner:
    """Carries out the jobs of this process."""

    settings: JobSettings
    executor: str
    keys: Keys
    work: Work
    apologise: Apologise
    live: dict[str, StoredJob] = field(default_factory=dict)  # by stored name
    stopping: bool = False
    _places: asyncio.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        self._places = asyncio.Semaphore(self.settings.at_once)

    async def run(self, name: str, text: str) -> str:
        """Carry out one job; what became of it, as a word for the record.

        A job that is no longer ours ends by CancelledError, which leaves it to its present owner.
        """
        rows = await engine.find(names=[name], states=[engine.RUNNING])
        if not rows or self.stopping:
            raise asyncio.CancelledError
        job = StoredJob(rows[0], self.executor, self.settings)
        before = [other for other in self.live.values() if ids.is_same(other.row.id, name)]
        self.live[name] = job
        try:
            for other in before:  # what is over of the same reviews, or of this very job, comes to its end first
                if other.row.id == name:
                    other.over.set()  # it was taken over by another process, and has come back
                if other.over.is_set():
                    await other.gone.wait()
            return await self._outcome(codec.read(text), job)
        except StorageError as error:  # its end cannot be written: it stays begun, and the next sweep puts it back
            log.error("a job is left as it is", extra={"facts": {"job": name, "reason": str(error)}})  # noqa: TRY400
            raise asyncio.CancelledError from error
        except asyncio.CancelledError:
            if self.stopping and await job.current():
                await engine.put_back(job.row)
            raise
        finally:
            if self.live.get(name) is job:
                del self.live[name]
            job.gone.set()

    async def _outcome(self, ask: Ask | None, job: StoredJob) -> str:
        if ask is None:
            log.error("a job that cannot be read is dropped", extra={"facts": {"job": job.row.id}})
            outcome = "unreadable"
        elif job.attempt > self.settings.crashes:
            outcome = await self._given_up(ask, job, DIED)
        elif ask.serial is None:
            outcome = await self._tried(ask, job)
        else:
            async with self.keys.alone(ask.serial), self._places:
                outcome = await self._tried(ask, job)
        if not await job.current():  # the database knows already what has become of it
            raise asyncio.CancelledError
        return outcome

    async def _tried(self, ask: Ask, job: StoredJob) -> str:
        outcome = "done"
        try:
            await self._work(ask, job)
        except SupersededError:
            outcome = "superseded"
        except HostLimited as error:
            outcome = await self._put_off(ask, job, error, error.retry_after)
        except (HostDown, StorageError, JournalInUse) as error:  # in use: this job's own earlier attempt is ending
            outcome = await self._put_off(ask, job, error, self.settings.pause * 2 ** ids.tries(job.row.id))
        except HostRefused as error:  # it may be a passing one, and what is not there may not be there yet
            wait, job.refusals = self.settings.refusal_pause * SLOWER**job.refusals, job.refusals + 1
            is_last = job.refusals > self.settings.refusals
            outcome = await (self._given_up(ask, job, str(error)) if is_last else self._put_off(ask, job, error, wait))
        except Exception as error:  # one of the doors: a job's fault must not end its process
            log.exception("a job failed", extra={"facts": {"job": job.row.id}})
            inside = f"an error inside deeprepo ({type(error).__name__})"
            outcome = await self._given_up(ask, job, str(error) if isinstance(error, DeepRepoError) else inside)
        return outcome

    async def _work(self, ask: Ask, job: StoredJob) -> None:
        if not await job.current() or (isinstance(ask, ReviewAsk) and not await _is_newest(job)):
            raise SupersededError(LOST)
        await self.work(ask, job)

    async def _put_off(self, ask: Ask, job: StoredJob, error: Exception, wait: float) -> str:
        """Try again later, as a job of its own that is stored before this one ends."""
        if ids.tries(job.row.id) >= self.settings.tries:
            return await self._given_up(ask, job, str(error))
        if not await job.current():
            raise asyncio.CancelledError
        wait = min(wait, LONGEST)
        log.warning("a job is put off", extra={"facts": {"job": job.row.id, "seconds": wait, "reason": str(error)}})
        name = ids.following(job.row.id)
        place = await line.place(ask, name)
        await engine.put(name, codec.write(ask), priority=place, delay=wait, attributes=job.lasting)
        return "put off"

    async def _given_up(self, ask: Ask, job: StoredJob, why: str) -> str:
        log.error("a job was given up", extra={"facts": {"job": job.row.id, "attempt": job.attempt, "reason": why}})
        try:
            await self.apologise(ask, why)
        except DeepRepoError as error:
            log.error("nobody could be notified", extra={"facts": {"job": job.row.id, "reason": str(error)}})  # noqa: TRY400
        return "given up"

    async def watch(self) -> None:
        """Learn which of the jobs that run here were cancelled or taken over elsewhere, until cancelled. Idle, it asks nothing."""
        while True:
            await asyncio.sleep(LOOK)
            for job in list(self.live.values()):
                try:
                    await job.current()
                except StorageError as error:
                    log.warning("the state of running jobs is unknown", extra={"facts": {"reason": str(error)}})

    def end(self, names: Iterable[str]) -> None:
        """Tell the jobs of this process at once that they are no longer wanted."""
        for name in names:
            if name in self.live:
                self.live[name].over.set()

    def interrupt(self) -> None:
        """Make each running job end where it is; it stays stored."""
        for job in self.live.values():
            if job.task is not None:
                job.task.cancel()


async def _is_newest(job: StoredJob) -> bool:
    """Whether no newer review of the pull request is stored, done or not: one is if a process died before it ended the older. It knew what this was to do."""
    rows = await engine.find(prefixes=[job.row.id.rpartition("~")[0] + "~"], states=None, newest=True, most=RECENT)
    return all((row.since, row.id) <= (job.stored_at, job.row.id) or ids.root(row.id) == job.id for row in rows)
