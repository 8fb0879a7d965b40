"""What becomes of one stored job when its turn has come: carried out, put off, given up, or left to somebody else."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field

from bot.errors import DeepRepoError, HostDown, HostLimited, HostRefused, JournalInUse, StorageError, SupersededError
from bot.jobs import codec, ids
from bot.jobs.job import StoredJob
from bot.jobs.rows import JobRow, JobRows
from bot.jobs.settings import JobSettings
from bot.ports import Job
from bot.values import Ask, ReviewAsk

log = logging.getLogger("deeprepo.jobs")
LONGEST = 3600.0  # seconds that a job is put off at most
SLOWER = 4  # times as long waits each further try of what GitHub refuses

Work = Callable[[Ask, Job], Awaitable[None]]
Apologise = Callable[[Ask, str], Awaitable[None]]  # tells whoever asked why nothing comes of it


@dataclass
class Runner:
    """Carries out the jobs of this process."""

    settings: JobSettings
    rows: JobRows
    work: Work
    apologise: Apologise
    live: dict[str, StoredJob] = field(default_factory=dict)  # by stored name
    stopping: bool = False
    _suspects: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def run(self, row: JobRow) -> str:
        """Carry out one job; what became of it, as a word for the record.

        A job that is no longer ours ends by CancelledError, which leaves its row to its present owner.
        """
        last = ids.refusals(row.id) >= self.settings.refusals or ids.tries(row.id) >= self.settings.tries
        job = StoredJob(row, self.rows, task=asyncio.current_task(), last=last)
        try:
            await self._begin(job)
            ask = _read(row.id, row.ask)
            return "unreadable" if ask is None else await self._carried_out(ask, job)
        except asyncio.CancelledError:
            if self.stopping and not job.over.is_set():
                await self.rows.hand_back(row)
            raise
        finally:
            if self.live.get(row.id) is job:
                del self.live[row.id]
            job.gone.set()

    async def _begin(self, job: StoredJob) -> None:
        """Enter a job into the list. An earlier start of it, which was lost to another process, comes to its end first."""
        if self.stopping:
            raise asyncio.CancelledError
        before = self.live.get(job.row.id)
        self.live[job.row.id] = job
        if before is not None:
            before.over.set()
            await before.gone.wait()

    async def _carried_out(self, ask: Ask, job: StoredJob) -> str:
        if isinstance(ask, ReviewAsk) and not await self._stays(ask, job):
            return await self._left(job)
        if job.attempt < self.settings.crashes:
            return await self._work(ask, job)
        try:
            await job.unless_cancelled(self._suspects.acquire())
        except SupersededError:
            return await self._left(job)
        try:
            return await self._tried_alone(ask, job)
        finally:
            self._suspects.release()

    async def _tried_alone(self, ask: Ask, job: StoredJob) -> str:
        """A job whose process died again and again is tried once without its companions: the fault may have been another's."""
        if not await self.rows.isolate(job.row):
            return await self._given_up(ask, job, "each time it was begun, the process that carried it out was ended")
        return await self._work(ask, job)

    async def _work(self, ask: Ask, job: StoredJob) -> str:
        outcome = "done"
        try:
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

    async def _stays(self, ask: ReviewAsk, job: StoredJob) -> bool:
        """Whether this review is the one to be kept of its pull request: the newest, which was stored with what was asked of the others.

        A newer one ends the others when it is stored. Where an earlier version was killed between the two, it is done here.
        """
        rows = await self.rows.find(prefix=ids.about(ask.pull, "review"))
        others = [row for row in rows if ids.root(row.id) != job.id]
        if all(row.id != job.row.id for row in rows):
            return False
        if any((row.created_at, row.id) > (job.row.created_at, job.row.id) for row in others):
            await self.rows.end([job.row.id])
            return False
        await self.rows.end([row.id for row in others])
        self.end([row.id for row in others])
        await self._unwound(ids.about(ask.pull, "review"), job)
        return True

    async def _unwound(self, prefix: str, job: StoredJob) -> None:
        """Wait until the other jobs of a pull request that run here and are over have come to their end."""
        for name, other in list(self.live.items()):
            if name.startswith(prefix) and other is not job and other.over.is_set():
                await other.gone.wait()

    async def _left(self, job: StoredJob) -> str:
        """A review that is no longer wanted. If the database knows that already, its row is not ours to write."""
        if not await job.current():
            raise asyncio.CancelledError
        return "superseded"

    async def _refused(self, ask: Ask, job: StoredJob, error: HostRefused) -> str:
        """Try again a few times: the refusal may be a passing one, and what is not there may not be there yet."""
        count = ids.refusals(job.row.id)
        if count >= self.settings.refusals:
            return await self._given_up(ask, job, str(error))
        return await self._put_off(ask, job, error, self.settings.refusal_pause * SLOWER**count, after_refusal=True)

    async def _put_off(
        self, ask: Ask, job: StoredJob, error: Exception, wait: float, *, after_refusal: bool = False
    ) -> str:
        """Try again later, as a job of its own that is stored before this one ends."""
        if ids.tries(job.row.id) >= self.settings.tries:
            return await self._given_up(ask, job, str(error))
        if not await job.current():
            raise asyncio.CancelledError
        wait = min(wait, LONGEST)
        facts = {"job": job.row.id, "seconds": wait, "reason": str(error)}
        log.warning("a job is put off", extra={"facts": facts})
        await self.rows.add(
            ids.following(job.row.id, after_refusal=after_refusal),
            job.row.queue,
            job.row.ask,
            delay=wait,
            since=job.row.created_at,
            after=job.row.id,
            **ids.places(ask),
        )
        return "put off"

    async def _given_up(self, ask: Ask, job: StoredJob, why: str) -> str:
        log.error("a job was given up", extra={"facts": {"job": job.row.id, "attempt": job.attempt, "reason": why}})
        try:
            await self.apologise(ask, why)
        except DeepRepoError as error:
            log.error("nobody could be notified", extra={"facts": {"job": job.row.id, "reason": str(error)}})  # noqa: TRY400
        return "given up"

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


def _read(name: str, text: str) -> Ask | None:
    try:
        return codec.read(text)
    except StorageError as error:
        log.error("a job is dropped", extra={"facts": {"job": name, "reason": str(error)}})  # noqa: TRY400
        return None
