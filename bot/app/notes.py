"""Which deliveries came and what became of them, for the operator's eyes: written down together, once in a while.

What a delivery asks for is on disk before it is answered; that it came may be forgotten in a crash.
"""

import asyncio
from contextlib import suppress

from bot.errors import StorageError
from bot.storage import Delivered, Store

EVERY = 1.0  # seconds; a commit for each delivery would slow down those that matter
MOST = 10_000  # that wait for a database that does not answer


class Notes:
    """The deliveries that are not written down yet."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: list[Delivered] = []

    def add(self, seen: Delivered) -> None:
        """Take one on."""
        if len(self._waiting) < MOST:
            self._waiting.append(seen)

    async def write(self) -> None:
        """Write down what waits. Where that fails it goes on waiting."""
        batch, self._waiting = self._waiting, []
        if not batch:
            return
        with suppress(StorageError):
            await self._store.deliveries.record(batch)
            return
        self._waiting = [*batch, *self._waiting][:MOST]

    async def write_on(self) -> None:
        """The same again and again, until cancelled."""
        while True:
            await asyncio.sleep(EVERY)
            await self.write()
