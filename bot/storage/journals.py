"""Journals of reviews, kept beside their files: a worker on another machine continues with them and pays for nothing twice."""

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
    """A journal's second place. Lines are taken on at once; `wait_stored` returns when all of them are on disk.

    The first caller that waits stores for all that wait: many calls that end together cost one commit.
    """

    def __init__(self, journal: str, database: Database) -> None:
        self._journal, self._database = journal, database
        self._waiting: list[str] = []
        self._list, self._turn = threading.Lock(), asyncio.Lock()

    def put(self, text: str) -> None:
        """Take a line on."""
        with self._list:
            self._waiting.append(text)

    async def wait_stored(self) -> None:
        """Wait until every line that was taken on is on disk. Raises StorageError; the lines are tried again then."""
        # A caller that gives up does not tear a commit apart.
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
    """The lines of all journals, each in the order in which they were written."""

    async def lines(self, journal: str) -> list[str]:
        """Return the lines of a journal."""
        query = sa.select(line.c.text).where(line.c.journal == journal).order_by(line.c.id)
        return [row.text for row in await self.rows(query)]

    @asynccontextmanager
    async def hold(self, journal: str, path: Path) -> AsyncIterator[StoredJournal]:
        """Bring the file to where the journal stands, before it is opened; what is written in the block is kept here too."""
        stored_lines = await self.lines(journal)
        local = await asyncio.to_thread(_lines, path)
        sink = StoredJournal(journal, self.database)
        # This machine wrote it, and may have been killed before all of it came here.
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
        """Return of the journals whose name begins like this, the one that was written last."""
        fits = (line.c.journal >= prefix) & (line.c.journal < f"{prefix}\x7f")
        rows = await self.rows(sa.select(line.c.journal).where(fits).order_by(line.c.id.desc()).limit(1))
        return rows[0].journal if rows else None

    async def names(self) -> frozenset[str]:
        """Return the journals of which lines are kept."""
        return frozenset(row.journal for row in await self.rows(sa.select(line.c.journal).distinct()))


async def append(journal: str, texts: Sequence[str], database: Database) -> None:
    """Store lines at the end of a journal."""
    now = time.time()
    rows = [{"journal": journal, "text": text, "written": now} for text in texts]
    await database.run(lambda connection: connection.execute(sa.insert(line), rows))


def _lines(path: Path) -> list[str]:
    """The whole lines of a file; one that a crash tore is none."""
    if not path.exists():
        return []
    whole = path.read_text("utf-8", "replace").rpartition("\n")[0]
    return [text for text in whole.split("\n") if text]


def _write(path: Path, texts: Sequence[str]) -> None:
    """Write the file anew, for its owner alone; a crash leaves the old one or the new one."""
    files.write(path, "".join(f"{text}\n" for text in texts), private=True, folders=True)
