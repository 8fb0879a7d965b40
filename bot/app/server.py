"""Run a server from start to end: setup if needed, then its databases, its jobs and its answers."""

import asyncio
import gc
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from bot import config, storage
from bot.app import http_server, logs, operator, setup
from bot.app.create import create
from bot.app.http_server import Shutdown
from bot.app.maintenance import maintain, own_account
from bot.app.metrics import Metrics
from bot.app.readiness import KEY_SECONDS, AppKey, Look, constant
from bot.app.running_server import RunningServer
from bot.config import Server, environment
from bot.errors import ConfigError, UsageError
from bot.github import Identity, RequestPace
from bot.machine import files
from bot.machine.limits import ProcessLimits
from bot.storage import Store
from bot.values import Review
from bot.values.review import ReviewStatus
from bot.workflow.jobs import REFUSAL_PAUSE, Apologise, Jobs, JobSettings, Work

TURN = 0.0002  # seconds for which a computing thread keeps the interpreter: each word with a database waits for it
SETUP_LOOK_SECONDS = 1.0  # seconds between two looks for the file of the set-up page
_log = logs.log("server")
# Who carries out the jobs, and who apologises for those that are given up: `workflow.dispatch.open_work`, of what the server has opened.
OpenWork = Callable[
    [Store, Jobs, Identity, RequestPace, Path, Callable[[Review, str, ReviewStatus], None], ProcessLimits],
    tuple[Work, Apologise],
]


@asynccontextmanager
async def open_server(
    settings: Server,
    open_work: OpenWork,
    *,
    web: bool = True,
    model_fault: str = "",
    refusal_pause: float = REFUSAL_PAUSE,
) -> AsyncIterator[RunningServer]:
    """Open the data folder and the databases, and begin to work. Raises UsageError and StorageError.

    `model_fault`: why a configured model cannot be asked on this machine, "" if it can. `refusal_pause`: seconds
    until a job that GitHub refused is tried again.
    """
    options, app = settings.options, settings.app
    if app is None:
        raise ConfigError("the App's credentials are not set")
    metrics = Metrics(by_repository=options.metrics_by_repository)
    identity = Identity(app.app_id, app.private_key, options.github_api)
    pace = RequestPace(options.write_pause, on_answer=metrics.github)
    caps = ProcessLimits(memory=options.review_memory_mb << 20, cpu=options.review_cpu_seconds)
    files.folder(options.data, label="the data folder, DEEPREPO_DATA, ", private=True)
    async with storage.open_store(settings.database) as store:
        jobs = Jobs(replace(_jobs(settings), refusal_pause=refusal_pause), store)
        work, apologise = open_work(store, jobs, identity, pace, options.data, metrics.review, caps)
        async with jobs.running(work, apologise, serve=web, work_here=options.work or not web):
            logs.remove_library_handlers()  # the jobs' library brings a handler of its own along
            server = RunningServer(options, app, metrics, store, jobs, identity, pace, await own_account(identity))
            server.operator = environment()
            server.looks = (constant(model_fault), Look(AppKey(identity).fault, KEY_SECONDS))
            async with _beside(maintain(server, web=web)):
                yield server


def _jobs(settings: Server) -> JobSettings:
    options = settings.options
    return JobSettings(
        folder=options.data,
        url=settings.url,
        at_once=options.reviews,
        debounce=options.debounce,
        poll=options.poll,
        crashes=options.crashes,
        keep_days=options.retention_days,
    )


@asynccontextmanager
async def _beside(doing: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Run a task until the end of the block."""
    task = asyncio.create_task(doing)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})


async def serve(
    settings: Server,
    open_work: OpenWork,
    say: Callable[[str], None],
    *,
    web: bool = True,
    secrets: Iterable[str] = (),
    model_fault: str = "",
) -> None:
    """Run a server (`web`) or a worker until a signal arrives.

    Logs also hide the given `secrets`.

    `model_fault`: why a configured model can't be used on this machine.
    """
    options = settings.options
    sys.setswitchinterval(TURN)
    logs.start(options.log_level, options.log_format, (*settings.secrets(), *secrets))
    shutdown = Shutdown()
    if settings.app is None:
        await (_set_up if web else _wait)(settings, shutdown, say)
        settings = config.server_settings()
        logs.start(options.log_level, options.log_format, (*settings.secrets(), *secrets))
    if shutdown.asked.is_set():
        return
    listener = http_server.listen(options)
    try:
        async with open_server(settings, open_work, web=web, model_fault=model_fault) as server:
            gc.collect()
            if web:
                url = settings.options.public_url or options.address(listener.getsockname()[1])
                say(f"One-time sign-in link for the operator's page: {operator.link(settings, url)}")
            gc.set_threshold(150_000, 20, 20)  # it runs for long, and cycles of what it has served add up
            gc.freeze()  # what is loaded stays: to look through it in each full collection stops everything for 0.2 s
            await http_server.serve(
                create(server, web=web), listener, options, shutdown, rest=server.rest, until=asyncio.Event()
            )
    finally:
        listener.close()
    _log("stopped")


async def _set_up(settings: Server, shutdown: Shutdown, say: Callable[[str], None]) -> None:
    """Serve the setup page until the credentials exist. Its token is printed here, and never logged."""
    options, page = settings.options, setup.Setup(settings.options)
    listener = http_server.listen(options)
    url = options.public_url or options.address(listener.getsockname()[1])
    say(f"No credentials are set. Register your GitHub App here: {url}/setup?token={page.token}")
    say("(or set DEEPREPO_APP_ID, DEEPREPO_PRIVATE_KEY and DEEPREPO_WEBHOOK_SECRET)")
    await http_server.serve(setup.create(page), listener, options, shutdown, until=page.is_done)


async def _wait(settings: Server, shutdown: Shutdown, say: Callable[[str], None]) -> None:
    """Wait until the server that shares the file has been set up."""
    options, page = settings.options, setup.Setup(settings.options)
    say(f"No credentials are set. Waiting for {options.credentials}, which the server's setup page writes")
    listener, watch = http_server.listen(options), asyncio.create_task(_watch(page))
    await http_server.serve(setup.waiting(), listener, options, shutdown, until=page.is_done)
    watch.cancel()


async def _watch(page: setup.Setup) -> None:
    while not page.options.credentials.exists():  # noqa: ASYNC110 - another process writes it
        await asyncio.sleep(SETUP_LOOK_SECONDS)
    page.is_done.set()


def worker(settings: Server) -> Server:
    """Return the settings of a worker. Raises UsageError where there is nothing that it could share."""
    if settings.app is None and settings.options.app_path is None:
        raise UsageError(
            "a worker needs its server's credentials. Set the same DEEPREPO_ variables, "
            "or set DEEPREPO_APP_PATH to the file that its setup page wrote"
        )
    if not settings.url:
        raise UsageError(
            "a worker needs a PostgreSQL database that it shares with the server. Set DEEPREPO_DATABASE_URL for both. "
            "With SQLite, `deeprepo serve` runs every job itself."
        )
    return settings
