"""Cache facts about files in a folder that is private to this user.

Implements `deeprepo.impact.reading.memo.Store`. The folder stays open, and its files are opened relative to
it, without following links. If another user owns the folder or has access to it, it is not used, so data from
other users is never trusted.
"""

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from bot.machine.files import OPEN_FLAGS, PRIVATE_MODE
from deeprepo.impact.reading import memo

MAX_CACHE_BYTES = 512 << 20  # on disk
BLOCK_BYTES = 512  # of `st_blocks`
KEPT_SHARE = 3 / 4  # the share of the limit that a cleanup keeps, most recently used files first
MAX_REPOSITORY_BYTES = MAX_CACHE_BYTES // 8  # for each repository on a server, where each has its own folder
Name = TypeVar("Name")
SWEEP_PREFIX = "00"  # only writing a file whose name starts like this, one in 256, triggers a cleanup


class FactFiles:
    """A folder with a file for each fact, whose name is a hash."""

    def __init__(self, folder: Path, most: int = MAX_CACHE_BYTES) -> None:
        """Open or create the folder, of at most `most` bytes. Raises OSError if others can access it."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder, self._most = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | OPEN_FLAGS), most
        status = os.fstat(self._folder)
        if status.st_uid != os.geteuid() or stat.S_IMODE(status.st_mode) & 0o077:
            os.close(self._folder)
            raise PermissionError(f"{folder} is accessible to other users")
        # The folder can be in a work tree, in which these files must not appear as changes.
        with (
            suppress(OSError),
            os.fdopen(self._open(".gitignore", os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file,
        ):
            file.write(b"*\n")

    def get(self, name: str) -> bytes | None:
        """Return a fact, or None if it isn't cached. Record its use in the file's modification time."""
        with suppress(OSError), os.fdopen(self._open(name, os.O_RDONLY), "rb") as file:
            os.utime(file.fileno())
            return file.read()
        return None

    def put(self, name: str, data: bytes) -> None:
        """Cache a fact. The file is written atomically. Errors such as a full disk are ignored."""
        temporary = f".{os.urandom(8).hex()}"
        with suppress(OSError):
            try:
                with os.fdopen(self._open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
                    file.write(data)
                os.rename(temporary, name, src_dir_fd=self._folder, dst_dir_fd=self._folder)
            except OSError:
                os.unlink(temporary, dir_fd=self._folder)
            if name.startswith(SWEEP_PREFIX):
                self._clean_up()

    def _open(self, name: str, how: int) -> int:
        return os.open(name, how | OPEN_FLAGS, PRIVATE_MODE, dir_fd=self._folder)

    def _clean_up(self) -> None:
        with os.scandir(self._folder) as entries:
            rows = [(entry.stat(follow_symlinks=False), entry.name) for entry in entries]
        for name in _surplus(rows, self._most):
            os.unlink(name, dir_fd=self._folder)


def sweep(folder: Path, unused_since: float, most: int = MAX_CACHE_BYTES) -> None:
    """Delete unused facts from all folders in a folder, and limit their total size.

    `unused_since` is in seconds since 1970, and `most` in bytes.
    """
    rows: list[tuple[os.stat_result, Path]] = []
    for path in folder.glob("*/*"):
        with suppress(OSError):
            rows.append((path.lstat(), path))
    kept = [row for row in rows if row[0].st_mtime >= unused_since]
    unused = {path for _, path in rows} - {path for _, path in kept}
    for path in (*unused, *_surplus(kept, most)):
        with suppress(OSError):
            path.unlink()
    for path in folder.glob("*"):
        with suppress(OSError):
            path.rmdir()  # fails unless the folder is empty


def _surplus(rows: Iterable[tuple[os.stat_result, Name]], most: int) -> Iterator[Name]:
    """Yield the least recently used files to delete if the total is above `most` bytes, until it is lower."""
    by_use = sorted(rows, key=lambda row: row[0].st_mtime_ns)
    total = sum(status.st_blocks for status, _ in by_use) * BLOCK_BYTES
    surplus = total - most * KEPT_SHARE if total > most else 0
    for status, name in by_use:
        if surplus <= 0:
            return
        yield name
        surplus -= status.st_blocks * BLOCK_BYTES


DEFAULT_FOLDER = "~/.cache/deeprepo/facts"


def keep_facts(folder: str | Path | None, most: int = MAX_CACHE_BYTES) -> None:
    """Cache facts in a folder, up to `most` bytes.

    Nothing is cached if the folder is None or "off", or if other users can access it.
    """
    store = None
    if folder is not None and folder != "off":
        with suppress(OSError, RuntimeError):  # RuntimeError: there is no home folder
            store = FactFiles(Path(folder).expanduser(), most)
    memo.use_store(store)
