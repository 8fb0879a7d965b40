"""Run a server or a worker: the setup page if needed, then its database, its jobs and its web application."""

import asyncio
import gc
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from bot import storage
from bot.app import http_server, logs, operator, setup
from bot.app.create import create
from bot.app.http_server import Shutdown
from bot.app.maintenance import maintain, own_account
from bot.app.readiness import KEY_SECONDS, AppKey, CachedCheck, constant
from bot.app.running_server import Metrics, RunningServer
from bot.config import environment
from bot.config.server import Server, server_settings
from bot.errors import ConfigError, UsageError
from bot.github import Identity, RequestPace
from bot.machine.processes import ProcessLimits
from bot.storage import Store
from bot.values import Review
from bot.values.review import ReviewStatus
from bot.workflow import data_folder
from bot.workflow.jobs import REFUSAL_PAUSE, Apologise, Jobs, JobSettings, Work

# How long a busy thread keeps the interpreter lock. Every database query waits for the lock, so the time is
# short.
SWITCH_INTERVAL = 0.0002
# How often a worker checks whether the server's setup page has written the credentials
SETUP_POLL_SECONDS = 1.0
_log = logs.log("server")
# The type of `workflow.dispatch.open_work`. It returns the function that carries out jobs, and the one that
# comments on a pull request if its job is given up.
OpenWork = Callable[
    [Store, Jobs, Identity, RequestPace, Path, Callable[[Review, ReviewStatus], None], ProcessLimits],
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
    """Open the data folder and the database, and start the jobs and the maintenance.

    `model_fault`: why a configured model can't be used on this machine, or "" if it can. `refusal_pause`:
    seconds until a job that GitHub refused is tried again. Raises UsageError and StorageError.
    """
    options, app = settings.options, settings.app
    if app is None:
        raise ConfigError("the App's credentials are not set")
    metrics = Metrics()
    identity = Identity(app.app_id, app.private_key, options.github_api)
    limits = ProcessLimits(memory=options.review_memory_mb << 20, cpu=options.review_cpu_seconds)
    data_folder.create(options.data)
    async with storage.open_store(settings.database) as store:
        jobs = Jobs(replace(_jobs(settings), refusal_pause=refusal_pause), store)
        pace = RequestPace(options.write_pause, on_answer=metrics.github, on_return=jobs.report_now)
        work, apologise = open_work(store, jobs, identity, pace, options.data, metrics.review, limits)
        async with jobs.running(work, apologise, serve=web, work_here=options.work or not web):
            logs.remove_library_handlers()  # the job queue's library has just installed a log handler
            server = RunningServer(options, app, metrics, store, jobs, identity, pace, await own_account(identity))
            server.operator = environment()
            server.checks += (constant(model_fault), CachedCheck(AppKey(identity).fault, KEY_SECONDS))
            async with _in_background(maintain(server, web=web)):
                yield server


def _jobs(settings: Server) -> JobSettings:
    options = settings.options
    return JobSettings(
        folder=options.data,
        url=settings.url,
        at_once=options.reviews,
        debounce=options.debounce,
        poll=options.poll,
        keep_days=options.retention_days,
    )


@asynccontextmanager
async def _in_background(coroutine: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Run a coroutine until the end of the `async with` block, then cancel it."""
    task = asyncio.create_task(coroutine)
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

    `say` prints a line for the operator, and `secrets` are hidden in the log in addition to the server's own.
    `model_fault`: why a configured model can't be used on this machine.
    """
    options = settings.options
    sys.setswitchinterval(SWITCH_INTERVAL)
    logs.start(options.log_level, options.log_format, (*settings.secrets(), *secrets))
    say = logs.as_json(say) if options.log_format == "json" else say
    shutdown = Shutdown()
    if settings.app is None:
        await (_set_up if web else _wait)(settings, shutdown, say)
        settings = server_settings()
        logs.start(options.log_level, options.log_format, (*settings.secrets(), *secrets))
    if shutdown.is_requested.is_set():
        return
    listener = http_server.listen(options)
    try:
        async with open_server(settings, open_work, web=web, model_fault=model_fault) as server:
            gc.collect()
            if web:
                url = settings.options.public_url or options.address(listener.getsockname()[1])
                is_json = options.log_format == "json"  # log collectors must not get the link
                link = "run `deeprepo status --link`" if is_json else operator.link(settings, url)
                say(f"One-time sign-in link for the operator's page: {link}")
            # Requests leave reference cycles, so collection stays on, but runs less often than by default.
            gc.set_threshold(150_000, 20, 20)
            # Exempts what is loaded; a full collection would otherwise block everything for 0.2 s
            gc.freeze()
            await http_server.serve(
                create(server, web=web), listener, options, shutdown, drain=server.drain, until=asyncio.Event()
            )
    finally:
        listener.close()
    _log("stopped")


async def _set_up(settings: Server, shutdown: Shutdown, say: Callable[[str], None]) -> None:
    """Serve the setup page until the credentials exist. The page's token is printed, but never logged."""
    options, page = settings.options, setup.Setup(settings.options)
    listener = http_server.listen(options)
    url = options.public_url or options.address(listener.getsockname()[1])
    say(f"No credentials are set. Register your GitHub App here: {url}/setup?token={page.token}")
    say("(or set DEEPREPO_APP_ID, DEEPREPO_PRIVATE_KEY and DEEPREPO_WEBHOOK_SECRET)")
    await http_server.serve(setup.create(page), listener, options, shutdown, until=page.is_done)


async def _wait(settings: Server, shutdown: Shutdown, say: Callable[[str], None]) -> None:
    """Serve a worker's probes until the server's setup page has written the shared credentials file."""
    options, page = settings.options, setup.Setup(settings.options)
    say(f"No credentials are set. Waiting for {options.credentials}, which the server's setup page writes")
    listener, watch = http_server.listen(options), asyncio.create_task(_watch(page))
    await http_server.serve(setup.waiting(), listener, options, shutdown, until=page.is_done)
    watch.cancel()


async def _watch(page: setup.Setup) -> None:
    while not page.options.credentials.exists():  # noqa: ASYNC110 - another process writes it
        await asyncio.sleep(SETUP_POLL_SECONDS)
    page.is_done.set()


def worker(settings: Server) -> Server:
    """Return the settings. Raises UsageError if they lack what a worker has to share with its server."""
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
