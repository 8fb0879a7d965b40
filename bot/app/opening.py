"""How a server is opened: its data folder, its databases, its jobs, and what it does by itself beside them."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from bot import jobs, storage
from bot.app import logs
from bot.app.metrics import Metrics
from bot.app.rounds import rounds
from bot.app.running_server import RunningServer
from bot.config import Server, environment
from bot.errors import ConfigError
from bot.github import Identity, RequestPace
from bot.jobs import Jobs, JobSettings, codec
from bot.machine import files
from bot.machine.limits import ProcessLimits
from bot.ports import Job
from bot.render import line, visible
from bot.storage import Failure, Store
from bot.values import Ask, CommandAsk, PullRef, RemarkAsk, ReviewAsk
from bot.workflow import Surroundings
from bot.workflow.events import Ours

Work = Callable[[Ask, Job], Awaitable[None]]
Apologise = Callable[[Ask, str], Awaitable[None]]


# Who carries out the jobs, made by `wiring` of what the server has opened; what is given up it apologises for.
OpenWork = Callable[[Surroundings, ProcessLimits], tuple[Work, Apologise]]


@asynccontextmanager
async def open_server(settings: Server, open_work: OpenWork, *, web: bool = True) -> AsyncIterator[RunningServer]:
    """Open the data folder and the databases, and begin to work. Raises UsageError and StorageError."""
    place, app = settings.place, settings.app
    if app is None:
        raise ConfigError("the App's credentials are not set")
    metrics = Metrics(by_repository=place.metrics_by_repository)
    identity = Identity(app.app_id, app.private_key, place.github_api)
    pace = RequestPace(place.write_pause, on_answer=metrics.github)
    jobs_ready: asyncio.Future[Jobs] = asyncio.get_running_loop().create_future()  # jobs begin before we have them here

    async def submit(ask: Ask, delivery: str) -> bool:
        return await (await jobs_ready).submit(ask, delivery)

    async def reviews(pull: PullRef) -> Mapping[str, ReviewAsk]:
        return await (await jobs_ready).reviews(pull)

    async def cancel(pull: PullRef, runs: Collection[str] | None) -> bool:
        return bool(await (await jobs_ready).cancel(pull, runs))

    async def forget(installation: int, repositories: Sequence[int]) -> int:
        return await (await jobs_ready).forget(installation, repositories)

    files.folder(place.data, label="the data folder, DEEPREPO_DATA, ", private=True)
    async with storage.open_store(settings.database) as store:
        remember_failure = partial(_remember_failure, store)

        async def given_up(ask: Ask, why: str) -> None:
            await remember_failure(ask, why)
            await apologise(ask, why)

        doors = submit, reviews, cancel, forget, remember_failure, metrics.review
        caps = ProcessLimits(memory=place.review_memory_mb << 20, cpu=place.review_cpu_seconds)
        work, apologise = open_work(Surroundings(identity, pace, store, place.data, *doors), caps)
        run = jobs.running(
            _jobs(settings), work, store=store, serve=web, work_here=place.work or not web, apologise=given_up
        )
        async with run as running_jobs:
            jobs_ready.set_result(running_jobs)
            logs.tame()  # the jobs' library brings a handler of its own along
            server = RunningServer(place, app, metrics, store, running_jobs, identity, pace, Ours(app.app_id, ""))
            server.looks_at_consumers = environment().consumers not in (None, "off")
            async with _beside(rounds(server, web=web)):
                yield server


async def _remember_failure(store: Store, ask: Ask, why: str) -> None:
    """Keep what came to nothing until it is tried again: the last review of a pull request, a comment's command or remark.

    What nobody waits for (a cancellation) is in the log alone, and a merge queue that stops in its check run.
    """
    if isinstance(ask, ReviewAsk):
        name, what = ask.pull.key, "review"
    elif isinstance(ask, CommandAsk | RemarkAsk):
        word = ask.word if isinstance(ask, CommandAsk) else "remark"
        name, what = f"{ask.pull.key}~{ask.comment.kind}{ask.comment.id}", line(visible(word))
    else:
        return
    await store.failures.record(Failure(name, ask.pull, what, line(visible(why)), codec.write(ask), time.time()))


def _jobs(settings: Server) -> JobSettings:
    place = settings.place
    return JobSettings(
        folder=place.data,
        url=settings.url,
        at_once=place.reviews,
        debounce=place.debounce,
        poll=place.poll,
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
