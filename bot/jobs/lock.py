"""One process per data folder, where the jobs are in a file: two would carry out the same job."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.errors import UsageError

NAME = "jobs.lock"


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold the folder until the end of the block. Raises UsageError where another process has it, or it cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = os.fdopen(os.open(folder / NAME, os.O_RDWR | os.O_CREAT, 0o600), "r+")
    except OSError as error:
        raise UsageError(f"the data folder {folder} cannot be written: {error.strerror}") from error
    with file:
        try:
            fcntl.flock(
                file, fcntl.LOCK_EX | fcntl.LOCK_NB
            )  # the system lifts it when the process ends, however it ends
        except OSError as error:
            who = file.read(20).strip()
            raise UsageError(
                f"the data folder {folder} is in use by another process{f' ({who})' if who else ''}: stop it first, "
                "name another folder, or keep the jobs in PostgreSQL, which several processes can share"
            ) from error
        file.truncate(0)
        file.write(f"process {os.getpid()}\n")
        file.flush()
        yield
