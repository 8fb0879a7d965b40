"""A connection to a SQLite file that loses nothing: the one way in which both the jobs and the storage open one."""

import sqlite3
import time
from pathlib import Path

from bot.machine import files

BUSY = 30.0  # seconds to wait for another writer


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
