"""The check run while the review works: what it is doing now, told no more often than people look."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from bot.errors import HostError

EVERY = 10.0  # seconds; each update is a write that GitHub counts
log = logging.getLogger("deeprepo.review")


@asynccontextmanager
async def progress(
    update: Callable[[str], Awaitable[None]], every: float = EVERY
) -> AsyncIterator[Callable[[str], None]]:
    """Take short lines and hand on the newest one, at most once in `every` seconds. That an update fails hurts nobody."""
    newest: list[str] = []

    async def tell() -> None:
        told = ""
        while True:
            await asyncio.sleep(every)
            if newest and newest[0] != told:
                told = newest[0]
                try:
                    await update(told)
                except HostError as error:
                    log.info("progress could not be shown", extra={"facts": {"reason": str(error)}})

    telling = asyncio.create_task(tell())
    try:
        yield lambda text: newest.__setitem__(slice(None), [text])
    finally:
        telling.cancel()
        await asyncio.gather(telling, return_exceptions=True)
