"""Facts of files in a folder of this user's alone: `deeprepo.impact.memo.Store`.

The folder is held open, and everything happens in it by names without a link. One that somebody else owns or may write to or read is
not used: nothing is believed that another user of the machine could have written.
"""

import os
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from bot.machine.files import OPEN_FLAGS, PRIVATE_MODE

MAX_CACHE_BYTES = 512 << 20  # bytes, of whole blocks
LEFT = 3 / 4  # of that: how much stays when it is reached, what was used last
BLOCK = 4096
UNNOTED_SECONDS = 24 * 3600.0  # seconds in which a further use is not noted
EACH = 64 << 20  # bytes of one file; what is longer is nobody's fact
EACH_FOLDER = MAX_CACHE_BYTES // 8  # of one repository, where a server keeps a folder for each
Name = TypeVar("Name")
SWEEP_PREFIX = "00"  # how a name begins after which the folder is looked through: one in 256


class FactFiles:
    """One file for each fact, called by its hash."""

    def __init__(self, folder: Path, most: int = MAX_CACHE_BYTES) -> None:
        """Open the folder, made if it is missing. Raises OSError if it is not there for this user alone."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder, self._most = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | OPEN_FLAGS), most
        status = os.fstat(self._folder)
        if status.st_uid != os.geteuid() or stat.S_IMODE(status.st_mode) & 0o077:
            os.close(self._folder)
            raise PermissionError(f"{folder} is accessible to other users")
        # A home folder can be a work tree: what is kept in it is no change of its files.
        with (
            suppress(OSError),
            os.fdopen(self._open(".gitignore", os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file,
        ):
            file.write(b"*\n")

    def get(self, name: str) -> bytes | None:
        """Return the content of a file, None if it cannot be read. That it was used is noted once a day."""
        with suppress(OSError), os.fdopen(self._open(name, os.O_RDONLY), "rb") as file:
            status = os.fstat(file.fileno())
            if status.st_size > EACH:
                return None
            if time.time() - status.st_mtime > UNNOTED_SECONDS:
                os.utime(file.fileno())
            return file.read()
        return None

    def put(self, name: str, data: bytes) -> None:
        """Write a file whole or not at all. A full disk costs a fact, and no review."""
        beside = f".{os.urandom(8).hex()}"
        with suppress(OSError):
            try:
                with os.fdopen(self._open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
                    file.write(data)
                os.rename(beside, name, src_dir_fd=self._folder, dst_dir_fd=self._folder)
            except OSError:
                os.unlink(beside, dir_fd=self._folder)
            if name.startswith(SWEEP_PREFIX):
                self._bound()

    def _open(self, name: str, how: int) -> int:
        return os.open(name, how | OPEN_FLAGS, PRIVATE_MODE, dir_fd=self._folder)

    def _bound(self) -> None:
        """Remove what was used least recently, if there is too much."""
        with os.scandir(self._folder) as entries:
            rows = [(entry.stat(follow_symlinks=False), entry.name) for entry in entries]
        for name in _surplus(rows, self._most):
            os.unlink(name, dir_fd=self._folder)


def sweep(folder: Path, unused_since: float, most: int = MAX_CACHE_BYTES) -> None:
    """Remove from the folders in a folder what was last used before a moment (seconds since 1970), and of the rest what is too much."""
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
            path.rmdir()  # of the empty ones


def _surplus(rows: Iterable[tuple[os.stat_result, Name]], most: int) -> Iterator[Name]:
    """What was used least recently, until what is left is well below `most` bytes; nothing, where all of it is not above."""
    sized = sorted(
        ((-(-status.st_size // BLOCK) * BLOCK, status, name) for status, name in rows),
        key=lambda row: row[1].st_mtime_ns,
    )
    total = sum(size for size, *_ in sized)
    surplus = total - most * LEFT if total > most else 0
    for size, _, name in sized:
        if surplus <= 0:
            return
        yield name
        surplus -= size
