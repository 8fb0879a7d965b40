"""The check run while the review works: what is read at once, what code has found as soon as that is known, then what it is doing now.

GitHub counts every update as a write, so later ones come no sooner than people look.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

from bot.errors import HostError
from bot.values.progress import Progress, Reading, Say

EVERY = 10.0  # seconds between two updates
log = logging.getLogger("deeprepo.review")


@asynccontextmanager
async def progress(update: Callable[[Progress], Awaitable[None]], every: float = EVERY) -> AsyncIterator[Say]:
    """Take what a review says and hand on the newest: at once what is read and what code has found, and a step every so many seconds.

    An update that fails stops nothing.
    """
    newest, news = Progress(), asyncio.Event()

    def say(message: str | Reading) -> None:
        nonlocal newest
        if isinstance(message, str):
            newest = Progress(newest.reading, message)
        else:
            newest = Progress(message, newest.step)
            news.set()

    async def tell() -> None:
        last_shown = Progress()
        while True:
            with suppress(TimeoutError):
                # `wait_for` of Python 3.11 passes over a cancellation that comes with the event.
                async with asyncio.timeout(every):
                    await news.wait()
            news.clear()
            if newest != last_shown:
                last_shown = newest
                try:
                    await update(last_shown)
                except HostError as error:
                    log.info("progress could not be updated", extra={"facts": {"reason": str(error)}})

    telling = asyncio.create_task(tell())
    try:
        yield say
    finally:
        telling.cancel()
        await asyncio.gather(telling, return_exceptions=True)
