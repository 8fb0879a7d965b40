"""Store facts about files in a folder private to this user: implements `deeprepo.impact.reading.memo.Store`.

The folder stays open, and files in it are accessed by name without following links. A folder that another
user owns or can read or write is not used, so no data from another user is trusted.
"""

import os
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from bot.machine.files import OPEN_FLAGS, PRIVATE_MODE

MAX_CACHE_BYTES = 512 << 20  # bytes, in whole blocks
LEFT = 3 / 4  # share of it that is kept, by last use, when the limit is reached
BLOCK = 4096
UNNOTED_SECONDS = 24 * 3600.0  # seconds during which a further use is not recorded
EACH = 64 << 20  # bytes per file; longer files are no facts
EACH_FOLDER = MAX_CACHE_BYTES // 8  # per repository, on a server with a folder for each
Name = TypeVar("Name")
SWEEP_PREFIX = "00"  # prefix of names that may trigger a cleanup, one in 256
BETWEEN = 1 / 16  # share of the limit that is written between two cleanups, each of which reads the whole folder


class FactFiles:
    """One file per fact, named by its hash."""

    def __init__(self, folder: Path, most: int = MAX_CACHE_BYTES) -> None:
        """Open or create the folder. Raises OSError unless it is private to this user."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder, self._most = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | OPEN_FLAGS), most
        self._unswept = self._most * BETWEEN  # bytes written since the last cleanup; enough for the first
        status = os.fstat(self._folder)
        if status.st_uid != os.geteuid() or stat.S_IMODE(status.st_mode) & 0o077:
            os.close(self._folder)
            raise PermissionError(f"{folder} is accessible to other users")
        # A home folder can be a work tree, in which these files must not show up as changes.
        with (
            suppress(OSError),
            os.fdopen(self._open(".gitignore", os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file,
        ):
            file.write(b"*\n")

    def get(self, name: str) -> bytes | None:
        """Return a file's content, None if it cannot be read. Its use is recorded once a day."""
        with suppress(OSError), os.fdopen(self._open(name, os.O_RDONLY), "rb") as file:
            status = os.fstat(file.fileno())
            if status.st_size > EACH:
                return None
            if time.time() - status.st_mtime > UNNOTED_SECONDS:
                os.utime(file.fileno())
            return file.read()
        return None

    def put(self, name: str, data: bytes) -> None:
        """Write a file fully or not at all. A full disk only costs the fact."""
        beside = f".{os.urandom(8).hex()}"
        with suppress(OSError):
            try:
                with os.fdopen(self._open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
                    file.write(data)
                os.rename(beside, name, src_dir_fd=self._folder, dst_dir_fd=self._folder)
            except OSError:
                os.unlink(beside, dir_fd=self._folder)
            self._unswept += _on_disk(len(data))
            if name.startswith(SWEEP_PREFIX) and self._unswept >= self._most * BETWEEN:
                self._unswept = 0
                self._bound()

    def _open(self, name: str, how: int) -> int:
        return os.open(name, how | OPEN_FLAGS, PRIVATE_MODE, dir_fd=self._folder)

    def _bound(self) -> None:
        """Delete the least recently used files if there is too much."""
        with os.scandir(self._folder) as entries:
            rows = [(entry.stat(follow_symlinks=False), entry.name) for entry in entries]
        for name in _surplus(rows, self._most):
            os.unlink(name, dir_fd=self._folder)


def sweep(folder: Path, unused_since: float, most: int = MAX_CACHE_BYTES) -> None:
    """Delete unused and surplus facts from the folders in a folder.

    `unused_since` is in seconds since 1970.
    """
    rows: list[tuple[os.stat_result, Path]] = []
    for path in folder.glob("*/*"):
        with suppress(OSError):
            rows.append((path.lstat(), path))
    kept = [row for row in rows if row[0].st_mtime >= unused_since]
    gone = {path for _, path in rows} - {path for _, path in kept}
    for path in (*gone, *_surplus(kept, most)):
        with suppress(OSError):
            path.unlink()
    for path in folder.glob("*"):
        with suppress(OSError):
            path.rmdir()  # only empty folders can be removed


def _surplus(rows: Iterable[tuple[os.stat_result, Name]], most: int) -> Iterator[Name]:
    """Yield the least recently used until the rest is well below `most` bytes; nothing if the total fits."""
    sized = sorted(
        ((_on_disk(status.st_size), status, name) for status, name in rows),
        key=lambda row: row[1].st_mtime_ns,
    )
    total = sum(size for size, *_ in sized)
    surplus = total - most * LEFT if total > most else 0
    for size, _, name in sized:
        if surplus <= 0:
            return
        yield name
        surplus -= size


def _on_disk(size: int) -> int:
    return -(-size // BLOCK) * BLOCK
