"""What becomes of one stored job when its turn has come: carried out, put off, given up, or left to somebody else."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import TypeAdapter

from bot.errors import DeepRepoError, HostDown, HostLimited, HostRefused, StorageError, SupersededError, public
from bot.values import Ask, ReviewAsk
from bot.workflow.jobs import asks, engine
from bot.workflow.jobs.engine import JobRow, JobSettings
from bot.workflow.jobs.keys import Keys
from deeprepo.rlm.errors import JournalInUse

log = logging.getLogger("deeprepo.jobs")
MAX_DELAY = 3600.0  # seconds that a job was delayed at most
SLOWER = 4  # times as long waits each further try of what GitHub refuses
RECENT = 20  # reviews of one pull request that are looked at, further tries among them
WANTED_LOOK_SECONDS = 0.5  # seconds between two looks whether what runs here is still wanted
DIED = "its process crashed every time"
JOB_LOST = "the job was cancelled, or another process runs it"
STEP = "step "  # how the names of steps begin among what is noted with a job
UNREAD_PAUSES = 10  # times the pause after which a job that this build cannot read is looked at again
LARGEST = 1_000_000  # characters of a step's result: what is larger belongs into a file, and its path here
ANYTHING = TypeAdapter[Any](Any)
Result = TypeVar("Result")


class Job:
    """One stored piece of work, as the code that carries it out sees it. `over` is set once it is another process's, or nobody's."""

    def __init__(self, row: JobRow, executor: str, settings: JobSettings) -> None:
        self.row, self.executor, self.task = row, executor, asyncio.current_task()
        self.id = asks.first_try(row.id)  # the same after a restart, and in a further try
        self.attempt = row.starts + int(row.attributes.get("deaths", 0))  # 1, and one more for each process that died
        self.stored_at = row.since
        self.refusals = int(row.attributes.get("refusals", 0))  # earlier tries that GitHub has refused
        # Whether no further try follows if GitHub refuses something now.
        self.last = self.refusals >= settings.refusals or asks.tries(row.id) >= settings.tries
        self.over, self.gone = asyncio.Event(), asyncio.Event()
        self._steps: dict[str, Any] = {key: row.attributes[key] for key in row.attributes if key.startswith(STEP)}

    @property
    def delivery(self) -> str:
        """What asked for it, as the names of the jobs that it brings about repeat it."""
        return self.id.rpartition("~")[2]

    async def step(
        self, name: str, do: Callable[[], Awaitable[Result]], form: TypeAdapter[Result] = ANYTHING
    ) -> Result:
        """Run `do` and keep its result under this name, which a later attempt gets instead. What fails leaves no record: it is done again.

        A further try, after GitHub has refused or failed, gets the result too: what a command has done is not done again for its answer.
        """
        key = f"{STEP}{name}"
        if key not in self._steps:
            await self._wanted()
            text = _plain(name, form.dump_python(await do(), mode="json"))
            await self._wanted()
            await engine.note(self.row.id, {key: text})
            self._steps[key] = text
        try:
            return form.validate_python(json.loads(self._steps[key]))
        except ValueError as error:
            raise DeepRepoError(
                "another build of deeprepo began this, and this build cannot read what was done so far. Look at the pull request "
                "before you ask for it again"
            ) from error

    @property
    def lasting(self) -> Mapping[str, Any]:
        """What a further try of this job has to know."""
        return {**self._steps, "since": self.stored_at, "refusals": self.refusals}

    async def current(self) -> bool:
        """Return whether the work is still wanted, and this process the one to do it."""
        if not self.over.is_set():
            rows = await engine.find(names=[self.row.id], states=[engine.RUNNING])
            if not (rows and rows[0].executor == self.executor and rows[0].starts == self.row.starts):
                self.over.set()
        return not self.over.is_set()

    async def _wanted(self) -> None:
        if not await self.current():
            raise SupersededError(JOB_LOST)

    async def unless_cancelled(self, work: Awaitable[Result]) -> Result:
        """Await something long. It is cancelled, and SupersededError raised, within a second of the job's own end."""
        doing, ending = asyncio.ensure_future(work), asyncio.ensure_future(self.over.wait())
        try:
            await asyncio.wait({doing, ending}, return_when=asyncio.FIRST_COMPLETED)
            if doing.done():
                return doing.result()
            raise SupersededError(JOB_LOST)
        finally:
            for task in (doing, ending):
                task.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.gather(doing, ending, return_exceptions=True)


def _plain(name: str, result: object) -> str:
    """A result as JSON, so that the first attempt sees what a later one would."""
    try:
        text = json.dumps(result, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise DeepRepoError(f"the step {name} returned a value that is not valid JSON: {error}") from error
    if len(text) > LARGEST:
        raise DeepRepoError(f"the step {name} returned {len(text):,} characters, but at most {LARGEST:,} are stored")
    return text


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
    live: dict[str, Job] = field(default_factory=dict)  # by stored name
    stopping: bool = False
    unread: dict[str, str] = field(default_factory=dict)  # by the name of its first try, which other build stored a job
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
        job = Job(rows[0], self.executor, self.settings)
        before = [other for other in self.live.values() if asks.is_same(other.row.id, name)]
        self.live[name] = job
        try:
            for other in (
                before
            ):  # an earlier review of the pull request, or an earlier run of this job, ends before this one begins
                # The same job was taken over by another process and has come back. An older review is ended by whoever stored
                # this one, who may not have got so far, or have died before.
                if other.row.id == name or (other.id != job.id and _age(other) < _age(job)):
                    other.over.set()
                if other.over.is_set():
                    await other.gone.wait()
            return await self._outcome(text, job)
        except StorageError as error:  # its end cannot be written: it stays begun, and the next sweep puts it back
            log.error("a job stays unfinished", extra={"facts": {"job": name, "reason": str(error)}})  # noqa: TRY400
            raise asyncio.CancelledError from error
        except asyncio.CancelledError:
            if self.stopping and await job.current():
                await engine.put_back(job.row)
            raise
        finally:
            if self.live.get(name) is job:
                del self.live[name]
            job.gone.set()

    async def _outcome(self, text: str, job: Job) -> str:
        ask = asks.read(text)
        if ask is None:
            outcome = await self._left(text, job)
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

    async def _left(self, text: str, job: Job) -> str:
        """Leave a job that cannot be read for the build that stored it; one that is damaged ends."""
        other = asks.other_build(text)
        if not other:
            log.error("dropping a damaged job", extra={"facts": {"job": job.row.id}})
            return "damaged"
        wait = UNREAD_PAUSES * self.settings.pause
        facts = {"job": job.row.id, "build": other, "seconds": wait}
        log.error("a job was stored by another build, and this build cannot read it", extra={"facts": facts})
        self.unread[job.id] = other
        await engine.put_unread(job.row, text, wait)
        return "unreadable"

    async def _tried(self, ask: Ask, job: Job) -> str:
        outcome = "done"
        try:
            if not await job.current() or (isinstance(ask, ReviewAsk) and not await _is_newest(job)):
                return "superseded"
            await self.work(ask, job)
        except SupersededError:
            outcome = "superseded"
        except HostLimited as error:
            outcome = await self._put_off(ask, job, error, error.retry_after)
        except (HostDown, StorageError, JournalInUse) as error:  # in use: this job's own earlier attempt is ending
            outcome = await self._put_off(ask, job, error, self.settings.pause * 2 ** asks.tries(job.row.id))
        except HostRefused as error:  # it may be a passing one, and what is not there may not be there yet
            wait, job.refusals = self.settings.refusal_pause * SLOWER**job.refusals, job.refusals + 1
            is_last = job.refusals > self.settings.refusals
            outcome = await (
                self._given_up(ask, job, public(error)) if is_last else self._put_off(ask, job, error, wait)
            )
        except Exception as error:  # one of the doors: a job's fault must not end its process
            log.exception("a job failed", extra={"facts": {"job": job.row.id}})
            inside = f"an error inside deeprepo ({type(error).__name__})"
            outcome = await self._given_up(ask, job, public(error) if isinstance(error, DeepRepoError) else inside)
        return outcome

    async def _put_off(self, ask: Ask, job: Job, error: Exception, wait: float) -> str:
        """Try again later, as a job of its own that is stored before this one ends."""
        if asks.tries(job.row.id) >= self.settings.tries:
            return await self._given_up(ask, job, public(error))
        if not await job.current():
            raise asyncio.CancelledError
        wait = min(wait, MAX_DELAY)
        log.warning("a job was delayed", extra={"facts": {"job": job.row.id, "seconds": wait, "reason": str(error)}})
        await engine.put(ask, asks.following(job.row.id), delay=wait, attributes=job.lasting)
        return "put off"

    async def _given_up(self, ask: Ask, job: Job, why: str) -> str:
        log.error("a job was given up", extra={"facts": {"job": job.row.id, "attempt": job.attempt, "reason": why}})
        try:
            await self.apologise(ask, why)
        except DeepRepoError as error:
            log.error("the failure could not be reported", extra={"facts": {"job": job.row.id, "reason": str(error)}})  # noqa: TRY400
        return "given up"

    async def watch(self) -> None:
        """Learn which of the jobs that run here were cancelled or taken over elsewhere, until cancelled. Idle, it asks nothing."""
        while True:
            await asyncio.sleep(WANTED_LOOK_SECONDS)
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


def _age(job: Job) -> tuple[float, str]:
    return job.stored_at, job.row.id


async def _is_newest(job: Job) -> bool:
    """Whether no newer review of the pull request is stored, done or not: one is if a process died before it ended the older. It knew what this was to do."""
    rows = await engine.find(prefixes=[job.row.id.rpartition("~")[0] + "~"], states=None, newest=True, most=RECENT)
    return all((row.since, row.id) <= _age(job) or asks.first_try(row.id) == job.id for row in rows)
