"""What a running server holds: its jobs, its storage, its counters, and who it is at GitHub."""

import asyncio
import shutil
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol, Unpack

from pydantic import SecretStr

from bot import jobs, storage
from bot.app import failing, logs
from bot.app.metrics import Metrics
from bot.app.rounds import rounds, tidying
from bot.config import App, Server, ServerPlace
from bot.errors import ConfigError, StorageError, UsageError
from bot.events import Ours
from bot.github import Identity, RequestPace
from bot.jobs import Jobs, JobSettings
from bot.limits import ProcessLimits
from bot.ports import Job
from bot.storage import Store
from bot.values import Ask, PullRef
from bot.workflow import Surroundings

MONTH = 30 * 86_400.0  # seconds
LEAST_SPACE = 32 << 20  # bytes on the disk, below which nothing more is promised
Work = Callable[[Ask, Job], Awaitable[None]]
Apologise = Callable[[Ask, str], Awaitable[None]]


class OpenWork(Protocol):
    """Who carries out the jobs: made by `wiring` of what the server has opened. What it gives up it apologises for."""

    def __call__(self, *, caps: ProcessLimits, **given: Unpack[Surroundings]) -> tuple[Work, Apologise]:
        """The work, and the apology."""


@dataclass(slots=True)
class Opened:
    """A running server. Not frozen: it learns its name at GitHub, and one day it is told to rest."""

    place: ServerPlace
    app: App
    metrics: Metrics
    store: Store
    jobs: Jobs
    identity: Identity
    pace: RequestPace
    ours: Ours
    resting: bool = False

    @property
    def secret(self) -> SecretStr:
        """What GitHub signs its deliveries with."""
        return self.app.webhook_secret

    async def unready(self) -> str:
        """Why deliveries cannot be stored or worked on, "" where they can."""
        if self.resting:
            return "the server is being stopped"
        well, why = await self.jobs.healthy()
        if not well:
            return why
        try:
            if shutil.disk_usage(self.place.data).free < LEAST_SPACE:
                return "the disk of the data folder is full"
            await self.store.database.run(lambda _: None)  # begins as a writer does
        except OSError:
            return "the data folder is gone"
        except StorageError:
            return "the database cannot be written"
        return ""

    async def counts(self) -> dict[str, int]:
        """The jobs by state; none where the database does not answer, so that the other figures still can be read."""
        try:
            return await self.jobs.counts()
        except StorageError:
            return {}

    async def outcomes(self) -> Mapping[str, int]:
        """What became of the findings of the last 30 days; nothing where the database does not answer."""
        try:
            return {**await self.store.outcomes.totals(time.time() - MONTH)}
        except StorageError:
            return {}

    async def rest(self) -> None:
        """Take on nothing more; what runs has its time, and what is unfinished is taken up at the next start."""
        self.resting = True
        await self.jobs.stop(self.place.grace)


@asynccontextmanager
async def opened(settings: Server, open_work: OpenWork, *, web: bool = True) -> AsyncIterator[Opened]:
    """Open the data folder and the databases, and begin to work. Raises UsageError and StorageError."""
    place, app = settings.place, settings.app
    if app is None:
        raise ConfigError("the App's credentials are not set")
    metrics = Metrics(by_repository=place.metrics_by_repository)
    identity = Identity(app.app_id, app.private_key, place.github_api)
    pace = RequestPace(place.write_pause, heard=metrics.github)
    known: asyncio.Future[Jobs] = asyncio.get_running_loop().create_future()  # jobs begin before we have them here

    async def submit(ask: Ask, delivery: str) -> bool:
        return await (await known).submit(ask, delivery)

    async def cancel(pull: PullRef) -> bool:
        return bool(await (await known).cancel(pull))

    async def forget(installation: int, repositories: Sequence[int]) -> int:
        return await (await known).forget(installation, repositories)

    _made(place.data)
    url = settings.url or f"sqlite:///{place.data / 'deeprepo.db'}"
    async with storage.opened(url) as store:
        failed = partial(failing.failed, store)

        async def given_up(ask: Ask, why: str) -> None:
            await failed(ask, why)
            await apologise(ask, why)

        work, apologise = open_work(
            identity=identity,
            pace=pace,
            store=store,
            folder=place.data,
            submit=submit,
            cancel=cancel,
            forget=forget,
            failed=failed,
            told=metrics.review,
            caps=ProcessLimits(memory=place.review_memory_mb << 20, cpu=place.review_cpu_seconds),
        )
        run = jobs.running(
            _jobs(settings, web=web), work, store=store, serve=web, work_here=place.work or not web, apologise=given_up
        )
        async with run as found:
            known.set_result(found)
            logs.tame()  # the jobs' library brings a handler of its own along
            server = Opened(place, app, metrics, store, found, identity, pace, Ours(app.app_id, ""))
            async with _beside(rounds(server) if web else tidying(server)):
                yield server


def _made(folder: Path) -> None:
    """The data folder, for this user alone."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"the data folder {folder} cannot be created ({error.strerror}): name another in DEEPREPO_DATA"
        ) from error


def _jobs(settings: Server, *, web: bool) -> JobSettings:
    place = settings.place
    return JobSettings(
        folder=place.data,
        url=settings.url,
        name="all" if web else "worker",
        at_once=place.reviews,
        per_installation=place.reviews_per_installation,
        debounce=place.debounce,
        lease=place.lease,
        crashes=place.crashes,
        keep_days=place.retention_days,
    )


@asynccontextmanager
async def _beside(doing: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """What goes on beside, until the end of the block."""
    task = asyncio.create_task(doing)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})
