"""Update the check run during a review: first the coverage and the static findings, then the current step.

GitHub counts every update as a write, so later steps are shown at most every few seconds.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

from bot.errors import HostError
from bot.values.progress import Progress, ProgressCallback, ReviewProgress

EVERY = 10.0  # seconds between two updates
log = logging.getLogger("deeprepo.review")


@asynccontextmanager
async def progress(
    update: Callable[[Progress], Awaitable[None]], every: float = EVERY
) -> AsyncIterator[ProgressCallback]:
    """Collect a review's progress and pass on the newest.

    Coverage and static findings are passed on immediately, a step every `every` seconds. A failed update
    stops nothing.
    """
    newest, news = Progress(), asyncio.Event()

    def say(message: str | ReviewProgress) -> None:
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
                # In Python 3.11 `wait_for` can miss a cancellation that arrives with the event.
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
