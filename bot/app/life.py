"""A server from its start to its end: set up where that is needed, then answering until it is told to stop."""

import asyncio
import gc
import sys
from collections.abc import Callable, Iterable

from bot import config
from bot.app import logs, operator, running, setup
from bot.app.create import create
from bot.app.opening import OpenWork, open_server
from bot.app.running import Leaving
from bot.config import Server
from bot.errors import UsageError

TURN = 0.0002  # seconds for which a computing thread keeps the interpreter: each word with a database waits for it
FOREVER = asyncio.Event  # one that nobody sets
_log = logs.log("server")


async def serve(
    settings: Server, open_work: OpenWork, say: Callable[[str], None], *, web: bool = True, secrets: Iterable[str] = ()
) -> None:
    """Run a server (`web`), or a worker beside it, until a signal comes. `secrets` are further ones that no log may show."""
    place = settings.place
    sys.setswitchinterval(TURN)
    logs.start(place.log_level, place.log_format, (*settings.secrets(), *secrets))
    leaving = Leaving()
    if settings.app is None:
        await _set_up(settings, leaving, say)
        settings = config.server_settings()
        logs.start(place.log_level, place.log_format, (*settings.secrets(), *secrets))
    if leaving.asked.is_set():
        return
    listener = running.listen(place)
    try:
        async with open_server(settings, open_work, web=web) as server:
            gc.collect()
            if web:
                here = settings.place.public_url or place.address(listener.getsockname()[1])
                say(f"The operator's page, signed in, once: {operator.link(settings, here)}")
            gc.freeze()  # what is loaded stays: to look through it in each full collection stops everything for 0.2 s
            await running.answer(create(server, web=web), listener, place, leaving, rest=server.rest, until=FOREVER())
    finally:
        listener.close()
    _log("stopped")


async def _set_up(settings: Server, leaving: Leaving, say: Callable[[str], None]) -> None:
    """Answer with the set-up page until the credentials are there. Its token is said here, and logged nowhere."""
    place, page = settings.place, setup.Setup(settings.place)
    listener = running.listen(place)
    here = place.public_url or place.address(listener.getsockname()[1])
    say(f"No credentials are set. Register your GitHub App here: {here}/setup?token={page.token}")
    say("(or set DEEPREPO_APP_ID, DEEPREPO_PRIVATE_KEY and DEEPREPO_WEBHOOK_SECRET)")
    await running.answer(setup.create(page), listener, place, leaving, until=page.is_done)


def worker(settings: Server) -> Server:
    """The settings of a worker. Raises UsageError where there is nothing that it could share."""
    if settings.app is None:
        raise UsageError(
            "a worker needs the credentials of the server that it works for: set the same DEEPREPO_ variables"
        )
    if not settings.url:
        raise UsageError(
            "a worker shares its jobs with the server through PostgreSQL: set DEEPREPO_DATABASE_URL for both. "
            "With SQLite `deeprepo serve` does all the work itself."
        )
    return settings
