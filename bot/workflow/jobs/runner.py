"""Decide what happens to a stored job whose turn has come: run it, delay it, give it up, or leave it."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import TypeAdapter

from bot.errors import (
    DeepRepoError,
    HostDown,
    HostLimited,
    HostLocked,
    HostRefused,
    StorageError,
    SupersededError,
    public,
)
from bot.values import Job, ReviewJob
from bot.workflow.jobs import engine, records
from bot.workflow.jobs.engine import JobRow, JobSettings, Keys
from deeprepo.rlm.errors import JournalInUse

log = logging.getLogger("deeprepo.jobs")
MAX_DELAY = 3600.0  # longest delay of a job, in seconds
SLOWER = 4  # factor by which each further try after a refusal waits longer
RECENT = 20  # reviews of one pull request that are considered, including further tries
WANTED_LOOK_SECONDS = 0.5  # seconds between two checks whether a running job is still wanted
DIED = "its process crashed every time"
JOB_LOST = "the job was cancelled, or another process runs it"
STEP = "step "  # prefix of step names among a job's attributes
GIVEN_UP, AGAIN = "given up", "reports"  # attributes of a job that only has to report why it failed, and its tries
MAX_REPORTS, REPORT_DELAY = 288, 300.0  # tries to report a failure, for a day, and the longest wait between two
UNREAD_PAUSES = 10  # pauses until a job that this build cannot read is tried again
ANYTHING = TypeAdapter[Any](Any)
Result = TypeVar("Result")


class Attempt:
    """One stored job, as seen by the code that carries it out.

    `over` is set once the job is another process's or no longer wanted.
    """

    def __init__(self, row: JobRow, executor: str, settings: JobSettings) -> None:
        self.row, self.executor, self.task = row, executor, asyncio.current_task()
        self.id = records.first_try(row.id)  # unchanged by restarts and further tries
        # 1, plus one for each process that died.
        self.number = row.starts + int(row.attributes.get("deaths", 0))
        self.stored_at = row.since
        self.refusals = int(row.attributes.get("refusals", 0))  # earlier tries that GitHub refused
        # Whether a refusal by GitHub now is final.
        self.last = self.refusals >= settings.refusals or records.tries(row.id) >= settings.tries
        self.over, self.gone = asyncio.Event(), asyncio.Event()
        self._steps: dict[str, Any] = {key: row.attributes[key] for key in row.attributes if key.startswith(STEP)}

    @property
    def delivery(self) -> str:
        """The delivery that caused the job. Jobs that it creates repeat it in their names."""
        return self.id.rpartition("~")[2]

    async def step(
        self, name: str, do: Callable[[], Awaitable[Result]], form: TypeAdapter[Result] = ANYTHING
    ) -> Result:
        """Run `do` and store its result under this name. A later attempt gets the stored result instead.

        A failure is not stored, so the step runs again. A further try after GitHub refused or failed also
        gets the result, so a command is not carried out twice for one answer.
        """
        key = f"{STEP}{name}"
        if key not in self._steps:
            await self._wanted()
            text = json.dumps(form.dump_python(await do(), mode="json"))
            await self._wanted()
            await engine.note(self.row.id, {key: text})
            self._steps[key] = text
        try:
            return form.validate_json(self._steps[key])
        except ValueError as error:
            raise DeepRepoError(
                "another build of deeprepo began this, and this build cannot read what was done so far. Look at the pull request "
                "before you ask for it again"
            ) from error

    @property
    def lasting(self) -> Mapping[str, Any]:
        """The attributes that a further try of this job needs."""
        return {**self._steps, "since": self.stored_at, "refusals": self.refusals}

    async def current(self) -> bool:
        """Return whether the job is still wanted and still assigned to this process."""
        if not self.over.is_set():
            rows = await engine.find(names=[self.row.id], states=[engine.RUNNING])
            if not (rows and rows[0].executor == self.executor and rows[0].starts == self.row.starts):
                self.over.set()
        return not self.over.is_set()

    async def _wanted(self) -> None:
        if not await self.current():
            raise SupersededError(JOB_LOST)

    async def unless_cancelled(self, work: Awaitable[Result]) -> Result:
        """Await something long, and raise SupersededError within a second of the job's end."""
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


Work = Callable[[Job, Attempt], Awaitable[None]]
Apologise = Callable[[Job, str], Awaitable[None]]  # tells the person who asked why the job was given up


@dataclass
class Runner:
    """Carries out the jobs of this process."""

    settings: JobSettings
    executor: str
    keys: Keys
    work: Work
    apologise: Apologise
    live: dict[str, Attempt] = field(default_factory=dict)  # running jobs by stored name
    stopping: bool = False
    reports_now: bool = False  # whether GitHub accepts us again, so delayed reports of failures are due
    # Jobs that another build stored, by the name of their first try, with that build's name.
    unread: dict[str, str] = field(default_factory=dict)
    _places: asyncio.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        self._places = asyncio.Semaphore(self.settings.at_once)

    async def run(self, name: str, text: str) -> str:
        """Carry out one job and return its outcome as a word for the record.

        Raises CancelledError for a job that is no longer ours, which leaves it to its current owner.
        """
        rows = await engine.find(names=[name], states=[engine.RUNNING])
        if not rows or self.stopping:
            raise asyncio.CancelledError
        attempt = Attempt(rows[0], self.executor, self.settings)
        before = [other for other in self.live.values() if records.is_same(other.row.id, name)]
        self.live[name] = attempt
        try:
            for other in before:  # an earlier review of the pull request, or run of this job, ends first
                # This job may have been taken over by another process and have come back. An older review is
                # normally ended by the process that stored this one, which may not have got that far or may
                # have died.
                if other.row.id == name or (other.id != attempt.id and _age(other) < _age(attempt)):
                    other.over.set()
                if other.over.is_set():
                    await other.gone.wait()
            return await self._outcome(text, attempt)
        # Its end cannot be stored, so it stays started and the next sweep puts it back.
        except StorageError as error:
            log.error("a job stays unfinished", extra={"facts": {"job": name, "reason": str(error)}})  # noqa: TRY400
            raise asyncio.CancelledError from error
        except asyncio.CancelledError:
            if self.stopping and await attempt.current():
                await engine.put_back(attempt.row)
            raise
        finally:
            if self.live.get(name) is attempt:
                del self.live[name]
            attempt.gone.set()

    async def _outcome(self, text: str, attempt: Attempt) -> str:
        job = records.read(text)
        if job is None:
            outcome = await self._left(text, attempt)
        elif GIVEN_UP in attempt.row.attributes:
            outcome = await self._given_up(job, attempt, str(attempt.row.attributes[GIVEN_UP]))
        elif attempt.number > self.settings.crashes:
            outcome = await self._given_up(job, attempt, DIED)
        elif job.serial is None:
            outcome = await self._try_job(job, attempt)
        else:
            async with self.keys.alone(job.serial), self._places:
                outcome = await self._try_job(job, attempt)
        if not await attempt.current():  # the database already records the job's outcome
            raise asyncio.CancelledError
        return outcome

    async def _left(self, text: str, attempt: Attempt) -> str:
        """Leave a job that cannot be read to the build that stored it. End a damaged or obsolete one."""
        other = records.other_build(text)
        if not other:
            log.warning("dropping a damaged or obsolete job", extra={"facts": {"job": attempt.row.id}})
            return "damaged"
        wait = UNREAD_PAUSES * self.settings.pause
        facts = {"job": attempt.row.id, "build": other, "seconds": wait}
        log.error("a job was stored by another build, and this build cannot read it", extra={"facts": facts})
        self.unread[attempt.id] = other
        await engine.put_unread(attempt.row, text, wait)
        return "unreadable"

    async def _try_job(self, job: Job, attempt: Attempt) -> str:
        outcome = "done"
        try:
            if not await attempt.current() or (isinstance(job, ReviewJob) and not await _is_newest(attempt)):
                return "superseded"
            await self.work(job, attempt)
        except SupersededError:
            outcome = "superseded"
        except HostLimited as error:
            outcome = await self._postpone(job, attempt, error, error.retry_after)
        # JournalInUse: this job's own earlier attempt is ending.
        except (HostDown, StorageError, JournalInUse) as error:
            outcome = await self._postpone(
                job, attempt, error, self.settings.pause * 2 ** records.tries(attempt.row.id)
            )
        except HostRefused as error:  # the refusal may be temporary, and a missing thing may still appear
            if error.may_pass:
                wait = self.settings.refusal_pause * 2.0 ** records.tries(attempt.row.id)
                return await self._postpone(job, attempt, error, wait)
            wait, attempt.refusals = self.settings.refusal_pause * SLOWER**attempt.refusals, attempt.refusals + 1
            is_last = attempt.refusals > self.settings.refusals or isinstance(error, HostLocked)
            outcome = await (
                self._given_up(job, attempt, public(error)) if is_last else self._postpone(job, attempt, error, wait)
            )
        except Exception as error:  # an error in one job must not end the process
            log.exception("a job failed", extra={"facts": {"job": attempt.row.id}})
            inside = f"an error inside deeprepo ({type(error).__name__})"
            outcome = await self._given_up(job, attempt, public(error) if isinstance(error, DeepRepoError) else inside)
        return outcome

    async def _postpone(self, job: Job, attempt: Attempt, error: Exception, wait: float) -> str:
        """Store the next try as a separate job before this one ends."""
        if records.tries(attempt.row.id) >= self.settings.tries:
            return await self._given_up(job, attempt, public(error))
        if not await attempt.current():
            raise asyncio.CancelledError
        wait = min(wait, MAX_DELAY)
        log.warning(
            "a job was delayed", extra={"facts": {"job": attempt.row.id, "seconds": wait, "reason": str(error)}}
        )
        await engine.put(job, records.following(attempt.row.id), delay=wait, attributes=attempt.lasting)
        return "put off"

    async def _given_up(self, job: Job, attempt: Attempt, why: str) -> str:
        """Report the failure. If GitHub doesn't accept that, for example because of a wrong clock, try again later."""
        if GIVEN_UP not in attempt.row.attributes:
            log.error(
                "a job was given up",
                extra={"facts": {"job": attempt.id, "tries": records.tries(attempt.row.id), "reason": why}},
            )
        try:
            await self.apologise(job, why)
        except DeepRepoError as error:
            facts = {"job": attempt.row.id, "reason": str(error)}
            log.error("the failure could not be reported", extra={"facts": facts})  # noqa: TRY400
            again = int(attempt.row.attributes.get(AGAIN, 0))
            if again < MAX_REPORTS and await attempt.current():
                left = {**attempt.lasting, GIVEN_UP: why, AGAIN: again + 1}
                wait = min(REPORT_DELAY, self.settings.pause * 2**again)
                await engine.put(job, records.following(attempt.row.id), delay=wait, attributes=left)
        return "given up"

    async def watch(self) -> None:
        """Keep checking whether jobs that run here were canceled or taken over elsewhere, until canceled."""
        while True:
            await asyncio.sleep(WANTED_LOOK_SECONDS)
            try:
                for attempt in list(self.live.values()):
                    await attempt.current()
                if self.reports_now:
                    self.reports_now = False
                    for row in await engine.find(states=[engine.DELAYED]):
                        if GIVEN_UP in row.attributes:
                            await engine.make_due(row.id)
            except StorageError as error:
                facts = {"reason": str(error)}
                log.warning("the state of running jobs is unknown", extra={"facts": facts, "repeats": True})

    def end(self, names: Iterable[str]) -> None:
        """Mark jobs of this process as no longer wanted."""
        for name in names:
            if name in self.live:
                self.live[name].over.set()

    def interrupt(self) -> None:
        """Cancel every running job. Its record stays stored."""
        for attempt in self.live.values():
            if attempt.task is not None:
                attempt.task.cancel()


def _age(attempt: Attempt) -> tuple[float, str]:
    return attempt.stored_at, attempt.row.id


async def _is_newest(attempt: Attempt) -> bool:
    """Return whether this pull request has no newer review, finished or not.

    A newer one is stored if a process died before it ended the older one; it took over what this one was
    asked to do.
    """
    rows = await engine.find(prefixes=[attempt.row.id.rpartition("~")[0] + "~"], states=None, newest=True, most=RECENT)
    return all((row.since, row.id) <= _age(attempt) or records.first_try(row.id) == attempt.id for row in rows)
