"""One process per data folder, where the jobs are in a file: two would carry out the same job."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.errors import UsageError
from bot.machine import files

NAME = "jobs.lock"


@contextmanager
def hold(folder: Path) -> Iterator[None]:
    """Hold the folder until the end of the block. Raises UsageError where another process has it, or it cannot be written."""
    files.folder(folder, label="the data folder ", private=True)
    with files.append(folder / NAME, below=folder, label="the lock of the data folder, ", private=True) as file:
        try:  # the system lifts it when the process ends, however it ends
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            file.seek(0)
            who = file.read(20).strip()
            raise UsageError(
                f"the data folder {folder} is in use by another process{f' ({who})' if who else ''}: stop it first, "
                "name another folder, or keep the jobs in PostgreSQL, which several processes can share"
            ) from error
        file.truncate(0)
        file.write(f"process {os.getpid()}\n")
        file.flush()
        yield
