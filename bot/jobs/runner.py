"""What becomes of one stored job when its turn has come: carried out, put off, given up, or left to somebody else."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from dbos import error as errors

from bot.errors import DeepRepoError, HostDown, HostLimited, JournalInUse, StorageError, Superseded
from bot.jobs import codec, ids, rows, superseding
from bot.jobs.job import StoredJob
from bot.jobs.settings import JobSettings
from bot.ports import Job
from bot.values import Ask, ReviewAsk

log = logging.getLogger("deeprepo.jobs")
LONGEST = 3600.0  # seconds that a job is put off at most

Work = Callable[[Ask, Job], Awaitable[None]]
Apologise = Callable[[Ask, str], Awaitable[None]]  # tells whoever asked why nothing comes of it


@dataclass
class Runner:
    """Carries out the jobs of this process."""

    settings: JobSettings
    executor: str
    work: Work
    apologise: Apologise
    live: dict[str, StoredJob] = field(default_factory=dict)  # by stored name
    stopping: bool = False
    _suspects: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def run(self, name: str, text: str) -> str:
        """Carry out one job; what became of it, as a word for the record.

        A job that is no longer ours ends by CancelledError, which leaves its row to its present owner.
        """
        job = StoredJob(name, self.executor, task=asyncio.current_task())
        try:
            await self._begin(job)
            ask = _read(name, text)
            return "unreadable" if ask is None else await self._carried_out(ask, job, text)
        except (
            StorageError
        ) as error:  # its end cannot be written: it stays begun, and is put back once that is possible
            log.error("a job is left as it is", extra={"facts": {"job": name, "reason": str(error)}})  # noqa: TRY400
            raise asyncio.CancelledError from error
        except asyncio.CancelledError:
            if self.stopping and not job.over.is_set():
                await rows.hand_back(name, ids.queue(name))
            raise
        finally:
            if self.live.get(name) is job:
                del self.live[name]
            job.gone.set()

    async def _begin(self, job: StoredJob) -> None:
        """Enter a job into the list. What else runs here for the same pull request, and is over, comes to its end first."""
        if self.stopping:
            raise asyncio.CancelledError
        before = [other for other in self.live.values() if _same(other.workflow, job.workflow)]
        self.live[job.workflow] = job
        found = await rows.find(ids=[job.workflow], states=[rows.RUNNING])
        job.attempt = max([1, *(row.attempts for row in found)])
        for other in before:
            if other.workflow == job.workflow:
                other.over.set()  # lost to another process while this one was not looking, and come back
            if other.over.is_set():
                await other.gone.wait()

    async def _carried_out(self, ask: Ask, job: StoredJob, text: str) -> str:
        if isinstance(ask, ReviewAsk) and not await self._stays(ask, job):
            return await self._left(job)
        if job.attempt < self.settings.crashes:
            return await self._worked(ask, job, text)
        try:
            await job.unless_cancelled(self._suspects.acquire())
        except Superseded:
            return await self._left(job)
        try:
            return await self._tried_alone(ask, job, text)
        finally:
            self._suspects.release()

    async def _tried_alone(self, ask: Ask, job: StoredJob, text: str) -> str:
        """A job whose process died again and again is tried once without its companions: the fault may have been another's."""
        found = await rows.find(ids=[job.workflow])
        if found and found[0].tried:
            return await self._given_up(ask, job, "each time it was begun, the process that carried it out was ended")
        await rows.mark_tried(job.workflow)
        return await self._worked(ask, job, text)

    async def _worked(self, ask: Ask, job: StoredJob, text: str) -> str:
        outcome = "done"
        try:
            await self.work(ask, job)
        except Superseded:
            outcome = await self._left(job)
        except HostLimited as error:
            outcome = await self._put_off(ask, job, text, error, error.retry_after)
        except (HostDown, StorageError, JournalInUse) as error:  # in use: this job's own earlier attempt is ending
            outcome = await self._put_off(ask, job, text, error, self.settings.pause * 2 ** ids.tries(job.workflow))
        except (errors.DBOSUnexpectedStepError, errors.DBOSStepNondeterminismError) as error:  # another version's steps
            outcome = await self._put_off(ask, job, text, error, 0.0)
        except Exception as error:  # one of the three doors: a job's fault must not end its process
            log.exception("a job failed", extra={"facts": {"job": job.workflow}})
            inside = f"an error inside deeprepo ({type(error).__name__})"
            outcome = await self._given_up(ask, job, str(error) if isinstance(error, DeepRepoError) else inside)
        return outcome

    async def _stays(self, ask: ReviewAsk, job: StoredJob) -> bool:
        """Whether this review is the one to be kept of its pull request.

        Others are left only where a process died between storing the newer and ending the older.
        """
        found = await rows.find(prefix=ids.reviews(ask.pull), text=True)
        others = [row for row in found if ids.root(row.id) != job.id]
        me = next((row for row in found if row.id == job.workflow), None)
        if not others or me is None:
            return me is not None
        mine = superseding.strength(ask, me.created, me.id)
        if any(_strength(row) > mine for row in others):
            await rows.end([job.workflow])
            return False
        await rows.end([row.id for row in others])
        return True

    async def _left(self, job: StoredJob) -> str:
        """A review that is no longer wanted. Where the database knows that already, its row is not ours to write."""
        if not await job.current():
            raise asyncio.CancelledError
        return "superseded"

    async def _put_off(self, ask: Ask, job: StoredJob, text: str, error: Exception, wait: float) -> str:
        """Try again later, as a job of its own that is stored before this one ends."""
        if ids.tries(job.workflow) >= self.settings.tries:
            return await self._given_up(ask, job, str(error))
        if not await job.current():
            raise asyncio.CancelledError
        wait = min(wait, LONGEST)
        facts = {"job": job.workflow, "seconds": wait, "reason": str(error)}
        log.warning("a job is put off", extra={"facts": facts})
        await again(job.workflow, ask, text, wait)
        return "put off"

    async def _given_up(self, ask: Ask, job: StoredJob, why: str) -> str:
        log.error("a job was given up", extra={"facts": {"job": job.workflow, "attempt": job.attempt, "reason": why}})
        try:
            await self.apologise(ask, why)
        except DeepRepoError as error:
            log.error("nobody could be notified", extra={"facts": {"job": job.workflow, "reason": str(error)}})  # noqa: TRY400
        return "given up"

    async def watch(self, every: float = 0.5) -> None:
        """Learn which of our jobs were cancelled or taken over elsewhere, until cancelled."""
        while True:
            await asyncio.sleep(every)
            seen = dict(self.live)
            if not seen:
                continue
            try:
                found = {row.id: row for row in await rows.find(ids=list(seen), states=[rows.RUNNING])}
            except StorageError as error:
                log.warning("the state of running jobs is unknown", extra={"facts": {"reason": str(error)}})
                continue
            for name, job in seen.items():
                if name not in found or found[name].executor != self.executor:
                    job.over.set()

    def end(self, names: list[str]) -> None:
        """Tell the jobs of this process at once that they are no longer wanted."""
        for name in names:
            if name in self.live:
                self.live[name].over.set()

    def interrupt(self) -> None:
        """Make each running job end where it is; it stays stored."""
        for job in self.live.values():
            if job.task is not None:
                job.task.cancel()


async def again(name: str, ask: Ask, text: str, delay: float) -> None:
    """Store the next try of a job."""
    following, queue = ids.following(name), ids.queue(name)
    await rows.put(following, queue, text, delay=delay, **ids.places(ask))


def _read(name: str, text: str) -> Ask | None:
    try:
        return codec.read(text)
    except StorageError as error:
        log.error("a job is dropped", extra={"facts": {"job": name, "reason": str(error)}})  # noqa: TRY400
        return None


def _same(one: str, other: str) -> bool:
    """Whether two jobs are reviews of the same pull request, or one and the same job."""
    return one == other or (one.startswith("review~") and one.rpartition("~")[0] == other.rpartition("~")[0])


def _strength(row: rows.JobRow) -> tuple[bool, bool, int, str]:
    ask = _read(row.id, row.text)
    return superseding.strength(ask, row.created, row.id) if isinstance(ask, ReviewAsk) else (False, False, 0, "")
