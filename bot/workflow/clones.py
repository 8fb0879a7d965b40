"""The clones of repositories that use others, kept below the data folder: one commit of each, the ones used last, within a bound."""

import logging
import os
import re
import shutil
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from bot.errors import UsageError
from bot.machine import files

logger = logging.getLogger(__name__)

FOLDER = "consumers"
IN_USE = 900.0  # seconds after its last use in which a clone is not removed to make room: a review may read it
_NAME = re.compile(r"(\d+)-([0-9a-f]{40,64})\.git")


def folder(data: Path) -> Path:
    """The folder of the clones, for this user alone."""
    path = Path(data, FOLDER)
    files.folder(path, private=True)
    return path


def find(data: Path, repository: int, commit: str) -> Path | None:
    """The clone of a repository at this commit, or None. It counts as used now."""
    path = Path(data, FOLDER, f"{repository}-{commit}.git")
    if not _NAME.fullmatch(path.name) or not path.is_dir():
        return None
    with suppress(OSError):
        os.utime(path)
    return path


def keep(data: Path, store: Path, repository: int, commit: str) -> Path:
    """Keep a clone that was fetched for later reviews. Return where it is now: where it was, if it cannot be kept."""
    path = folder(data) / f"{repository}-{commit}.git"
    try:
        files.place(store, path)  # or another process was first, and its clone is the same commit
    except UsageError:
        logger.warning("the clone of repository %d cannot be kept for later reviews", repository, exc_info=True)
        return store
    return path


def make_room(data: Path, most: int) -> None:
    """Remove older commits of one repository, then those used longest ago, until they take no more than so many bytes."""
    now, newest, total = time.time(), set[str](), 0
    for last_use, path in sorted(_rows(data), key=lambda row: -row[0]):
        repository = path.name.partition("-")[0]
        total += _size(path)
        if (repository in newest or total > most) and now - last_use > IN_USE:
            shutil.rmtree(path, ignore_errors=True)
        newest.add(repository)


def forget(data: Path, repositories: Iterable[int]) -> None:
    """Remove the clones of these repositories."""
    ids = {str(one) for one in repositories}
    for _, path in _rows(data):
        if path.name.partition("-")[0] in ids:
            shutil.rmtree(path, ignore_errors=True)


def _rows(data: Path) -> list[tuple[float, Path]]:
    rows = []
    for path in Path(data, FOLDER).glob("*.git"):
        with suppress(OSError):
            if _NAME.fullmatch(path.name):
                rows.append((path.stat().st_mtime, path))
    return rows


def _size(path: Path) -> int:
    total = 0
    for part in path.rglob("*"):
        with suppress(OSError):
            total += part.stat().st_size
    return total
