"""What becomes of one stored job when its turn has come: carried out, put off, given up, or left to somebody else."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field

from bot.errors import DeepRepoError, HostDown, HostLimited, HostRefused, JournalInUse, StorageError, SupersededError
from bot.jobs import codec, engine, ids, line
from bot.jobs.job import StoredJob
from bot.jobs.keys import Keys
from bot.jobs.settings import JobSettings
from bot.ports import Job
from bot.values import Ask, ReviewAsk

log = logging.getLogger("deeprepo.jobs")
LONGEST = 3600.0  # seconds that a job is put off at most
SLOWER = 4  # times as long waits each further try of what GitHub refuses
RECENT = 20  # reviews of one pull request that are looked at, further tries among them
LOOK = 0.5  # seconds between two looks whether what runs here is still wanted

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
    _suspects: asyncio.Lock = field(default_factory=asyncio.Lock)
    _places: asyncio.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        self._places = asyncio.Semaphore(self.settings.at_once)

    async def run(self, name: str, text: str) -> str:
        """Carry out one job; what became of it, as a word for the record.

        A job that is no longer ours ends by CancelledError, which leaves it to its present owner.
        """
        rows = await engine.find(names=[name], states=[engine.RUNNING])
        if not rows:
            raise asyncio.CancelledError
        job = StoredJob(rows[0], self.executor, self.settings)
        try:
            await self._begin(job)
            ask = _read(name, text)
            outcome = "unreadable" if ask is None else await self._in_turn(ask, job)
            return outcome if await job.current() else await self._left(job)
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

    async def _begin(self, job: StoredJob) -> None:
        """Enter a job into the list. What is over of the same pull request's reviews, or of this very job, comes to its end first."""
        if self.stopping:
            raise asyncio.CancelledError
        before = [other for name, other in self.live.items() if _is_same(name, job.row.id)]
        self.live[job.row.id] = job
        for other in before:
            if other.row.id == job.row.id:
                other.over.set()  # it was taken over by another process, and has come back
            if other.over.is_set():
                await other.gone.wait()

    async def _in_turn(self, ask: Ask, job: StoredJob) -> str:
        """Carry it out, after the others that run one after the other with it."""
        if ask.serial is None:
            return await self._carried_out(ask, job)
        async with self.keys.alone(ask.serial), self._places:
            return await self._carried_out(ask, job)

    async def _carried_out(self, ask: Ask, job: StoredJob) -> str:
        """A job whose process died again and again is tried once without its companions: the fault may have been another's."""
        if job.attempt < self.settings.crashes:
            return await self._work(ask, job)
        try:
            await job.unless_cancelled(self._suspects.acquire())
        except SupersededError:
            return await self._left(job)
        try:
            if job.row.attributes.get("isolated"):
                return await self._given_up(
                    ask, job, "each time it was begun, the process that carried it out was ended"
                )
            await engine.note(job.row.id, {"isolated": True})
            return await self._work(ask, job)
        finally:
            self._suspects.release()

    async def _work(self, ask: Ask, job: StoredJob) -> str:
        outcome = "done"
        try:
            if not await job.current() or (isinstance(ask, ReviewAsk) and not await _is_newest(job)):
                return await self._left(job)
            await self.work(ask, job)
        except SupersededError:
            outcome = await self._left(job)
        except HostLimited as error:
            outcome = await self._put_off(ask, job, error, error.retry_after)
        except (HostDown, StorageError, JournalInUse) as error:  # in use: this job's own earlier attempt is ending
            outcome = await self._put_off(ask, job, error, self.settings.pause * 2 ** ids.tries(job.row.id))
        except HostRefused as error:
            outcome = await self._refused(ask, job, error)
        except Exception as error:  # one of the doors: a job's fault must not end its process
            log.exception("a job failed", extra={"facts": {"job": job.row.id}})
            inside = f"an error inside deeprepo ({type(error).__name__})"
            outcome = await self._given_up(ask, job, str(error) if isinstance(error, DeepRepoError) else inside)
        return outcome

    async def _left(self, job: StoredJob) -> str:
        """A job that is no longer wanted. If the database knows that already, there is nothing to write."""
        if not await job.current():
            raise asyncio.CancelledError
        return "superseded"

    async def _refused(self, ask: Ask, job: StoredJob, error: HostRefused) -> str:
        """Try again a few times: the refusal may be a passing one, and what is not there may not be there yet."""
        if job.refusals >= self.settings.refusals:
            return await self._given_up(ask, job, str(error))
        wait = self.settings.refusal_pause * SLOWER**job.refusals
        job.refusals += 1
        return await self._put_off(ask, job, error, wait)

    async def _put_off(self, ask: Ask, job: StoredJob, error: Exception, wait: float) -> str:
        """Try again later, as a job of its own that is stored before this one ends."""
        if ids.tries(job.row.id) >= self.settings.tries:
            return await self._given_up(ask, job, str(error))
        if not await job.current():
            raise asyncio.CancelledError
        wait = min(wait, LONGEST)
        log.warning("a job is put off", extra={"facts": {"job": job.row.id, "seconds": wait, "reason": str(error)}})
        name = ids.following(job.row.id)
        priority = await line.place(ask, name)
        await engine.put(name, codec.write(ask), priority=priority, delay=wait, attributes=job.lasting)
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


def _read(name: str, text: str) -> Ask | None:
    try:
        return codec.read(text)
    except StorageError as error:
        log.error("a job is dropped", extra={"facts": {"job": name, "reason": str(error)}})  # noqa: TRY400
        return None


def _is_same(one: str, other: str) -> bool:
    """Whether two jobs are reviews of the same pull request, or one and the same job."""
    reviews = one.startswith("review~") and one.rpartition("~")[0] == other.rpartition("~")[0]
    return one == other or reviews
