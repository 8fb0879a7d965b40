"""A connection to a SQLite file that loses nothing: the one way in which both the jobs and the storage open one."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path

from bot.errors import StorageError
from bot.machine import files

BUSY = 30.0  # seconds to wait for another writer
WORTH = 1000  # free pages, 4 MB: fewer are not worth the wait


def connect(path: Path) -> sqlite3.Connection:
    """Open the file, for its owner alone. What was committed survives a power cut; readers and the writer do not block each other."""
    if not path.exists():
        files.append(path, private=True).close()
    connection = sqlite3.connect(path, timeout=BUSY, check_same_thread=False)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")  # NORMAL may lose the last commits at a power cut
    # The jobs' library orders by these, and of this SQLite both count whole seconds at best.
    connection.create_function("strftime", 2, lambda form, _: time.time() if form == "%s" else None)
    if sqlite3.sqlite_version_info < (3, 42):
        connection.create_function("unixepoch", 1, lambda _: time.time())
    return connection


def tidy(path: Path) -> None:
    """Give back the space of deleted rows, where it is a quarter of the file or more. Only while nobody else has it open.

    Raises StorageError.
    """
    if not path.exists():
        return
    try:
        with closing(sqlite3.connect(path, timeout=BUSY)) as connection:
            pages, free = (
                connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count")
            )
            if free * 4 >= pages and free > WORTH:
                connection.execute("VACUUM")
    except sqlite3.Error as error:
        raise StorageError(f"{path} cannot be used as a database: {error}") from error
