"""Copies of review journals in the database.

With them, a worker on another machine can continue a review without paying for the same calls again.
"""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import sqlalchemy as sa

from bot.errors import StorageError
from bot.machine import files
from bot.storage.database import Database, StoragePart, line


class StoredJournal:
    """Writes to the stored copy of a journal. `put` only queues lines.

    `wait_stored` waits until they are stored. The first caller that waits stores the queued lines of
    everybody, so that concurrent calls share one commit.
    """

    def __init__(self, journal: str, database: Database) -> None:
        self._journal, self._database = journal, database
        self._queued: list[str] = []
        self._queue_lock, self._store_lock = threading.Lock(), asyncio.Lock()

    def put(self, text: str) -> None:
        """Queue a line."""
        with self._queue_lock:
            self._queued.append(text)

    async def wait_stored(self) -> None:
        """Wait until all queued lines are stored. Raises StorageError, and keeps them queued."""
        # The shield keeps a canceled caller from interrupting the commit for everybody.
        await asyncio.shield(asyncio.ensure_future(self._store()))

    async def _store(self) -> None:
        async with self._store_lock:
            with self._queue_lock:
                batch, self._queued = self._queued, []
            if not batch:
                return
            try:
                await append(self._journal, batch, self._database)
            except StorageError:
                with self._queue_lock:
                    self._queued = [*batch, *self._queued]
                raise


class Journals(StoragePart):
    """The stored copies of all journals."""

    async def lines(self, journal: str) -> list[str]:
        """Return a journal's lines, oldest first."""
        query = sa.select(line.c.text).where(line.c.journal == journal).order_by(line.c.id)
        return [row.text for row in await self.rows(query)]

    @asynccontextmanager
    async def synchronized(self, journal: str, path: Path) -> AsyncIterator[StoredJournal]:
        """Synchronize a journal's file with its stored copy, and yield the object that stores further lines.

        At the end of the block, wait until all lines are stored.
        """
        stored_lines = await self.lines(journal)
        local = await asyncio.to_thread(_lines, path)
        sink = StoredJournal(journal, self.database)
        # If the file continues the copy, a process on this machine was killed before it had stored all lines.
        if local[: len(stored_lines)] == stored_lines:
            for text in local[len(stored_lines) :]:
                sink.put(text)
            await sink.wait_stored()
        else:
            await asyncio.to_thread(_write, path, stored_lines)
        try:
            yield sink
        finally:
            await sink.wait_stored()

    async def names(self) -> frozenset[str]:
        """Return the names of the stored journals."""
        return frozenset(row.journal for row in await self.rows(sa.select(line.c.journal).distinct()))


async def append(journal: str, texts: Sequence[str], database: Database) -> None:
    """Store lines at the end of a journal."""
    now = time.time()
    rows = [{"journal": journal, "text": text, "written": now} for text in texts]
    await database.run(lambda connection: connection.execute(sa.insert(line), rows))


def _lines(path: Path) -> list[str]:
    """Return a file's complete lines. A last line without a line break, as after a crash, is omitted."""
    if not path.exists():
        return []
    whole = path.read_text("utf-8", "replace").rpartition("\n")[0]
    return [text for text in whole.split("\n") if text]


def _write(path: Path, texts: Sequence[str]) -> None:
    """Replace a file atomically. Only its owner can read it."""
    files.write(path, "".join(f"{text}\n" for text in texts), private=True, folders=True)
