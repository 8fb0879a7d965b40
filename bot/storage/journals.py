"""Copies of review journals, so that a worker on another machine can continue without paying again."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import sqlalchemy as sa

from bot.errors import StorageError
from bot.machine import files
from bot.storage.database import Database, StoragePart
from bot.storage.tables import line


class StoredJournal:
    """The stored copy of a journal. `put` only queues lines; `wait_stored` returns when all are on disk.

    The first waiting caller stores the lines of all, so many calls that end together cost one commit.
    """

    def __init__(self, journal: str, database: Database) -> None:
        self._journal, self._database = journal, database
        self._waiting: list[str] = []
        self._list, self._turn = threading.Lock(), asyncio.Lock()

    def put(self, text: str) -> None:
        """Queue a line."""
        with self._list:
            self._waiting.append(text)

    async def wait_stored(self) -> None:
        """Wait until all queued lines are on disk. Raises StorageError; the lines are then tried again."""
        # Shielded, because a canceled caller must not interrupt a commit.
        await asyncio.shield(asyncio.ensure_future(self._store()))

    async def _store(self) -> None:
        async with self._turn:
            with self._list:
                batch, self._waiting = self._waiting, []
            if not batch:
                return
            try:
                await append(self._journal, batch, self._database)
            except StorageError:
                with self._list:
                    self._waiting = [*batch, *self._waiting]
                raise


class Journals(StoragePart):
    """The lines of all journals, in the order in which they were written."""

    async def lines(self, journal: str) -> list[str]:
        """Return the lines of a journal."""
        query = sa.select(line.c.text).where(line.c.journal == journal).order_by(line.c.id)
        return [row.text for row in await self.rows(query)]

    @asynccontextmanager
    async def hold(self, journal: str, path: Path) -> AsyncIterator[StoredJournal]:
        """Bring a journal's file up to date, and store what is written inside the block."""
        stored_lines = await self.lines(journal)
        local = await asyncio.to_thread(_lines, path)
        sink = StoredJournal(journal, self.database)
        # This machine wrote the journal, and may have been killed before all lines were stored.
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

    async def newest(self, prefix: str) -> str | None:
        """Return the most recently written journal whose name starts with a prefix."""
        fits = (line.c.journal >= prefix) & (line.c.journal < f"{prefix}\x7f")
        rows = await self.rows(sa.select(line.c.journal).where(fits).order_by(line.c.id.desc()).limit(1))
        return rows[0].journal if rows else None

    async def names(self) -> frozenset[str]:
        """Return the names of the stored journals."""
        return frozenset(row.journal for row in await self.rows(sa.select(line.c.journal).distinct()))


async def append(journal: str, texts: Sequence[str], database: Database) -> None:
    """Store lines at the end of a journal."""
    now = time.time()
    rows = [{"journal": journal, "text": text, "written": now} for text in texts]
    await database.run(lambda connection: connection.execute(sa.insert(line), rows))


def _lines(path: Path) -> list[str]:
    """Return the complete lines of a file, without one that a crash cut off."""
    if not path.exists():
        return []
    whole = path.read_text("utf-8", "replace").rpartition("\n")[0]
    return [text for text in whole.split("\n") if text]


def _write(path: Path, texts: Sequence[str]) -> None:
    """Rewrite the file for its owner only. A crash leaves the old or the new file."""
    files.write(path, "".join(f"{text}\n" for text in texts), private=True, folders=True)
