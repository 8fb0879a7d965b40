"""The check run while the review works: what is read at once, what code has found as soon as that is known, then what it is doing now.

GitHub counts every update as a write, so later ones come no sooner than people look.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from itertools import chain, repeat

from bot.errors import HostError
from bot.values.progress import Progress, Reading

EVERY = 10.0  # seconds between two updates
log = logging.getLogger("deeprepo.review")
Say = Callable[[str | Reading], None]


class _Newest:
    """What was said last of each kind."""

    def __init__(self) -> None:
        self.progress = Progress()
        self.known, self.checked = asyncio.Event(), asyncio.Event()

    def say(self, message: str | Reading) -> None:
        if isinstance(message, str):
            self.progress = Progress(self.progress.reading, message)
            return
        self.progress = Progress(message, self.progress.step)
        self.known.set()
        if message.is_checked:
            self.checked.set()


@asynccontextmanager
async def progress(update: Callable[[Progress], Awaitable[None]], every: float = EVERY) -> AsyncIterator[Say]:
    """Take what a review says and hand on the newest: once it is known what is read, and once the checks by code are done.

    Between and after these an update comes every so many seconds at most. One that fails stops nothing.
    """
    newest = _Newest()

    async def tell() -> None:
        progress_now = Progress()
        for awaited_event in chain((newest.known, newest.checked), repeat(asyncio.Event())):  # the last one never comes
            await _set(awaited_event, every)
            if newest.progress != progress_now:
                progress_now = newest.progress
                try:
                    await update(progress_now)
                except HostError as error:
                    log.info("progress could not be shown", extra={"facts": {"reason": str(error)}})

    telling = asyncio.create_task(tell())
    try:
        yield newest.say
    finally:
        telling.cancel()
        await asyncio.gather(telling, return_exceptions=True)


async def _set(event: asyncio.Event, seconds: float) -> None:
    """Wait for an event, no longer than so many seconds."""
    with suppress(TimeoutError):
        # `wait_for` of Python 3.11 passes over a cancellation that comes with the event.
        async with asyncio.timeout(seconds):
            await event.wait()
