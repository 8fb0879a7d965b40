"""Data folders with the databases of a fresh server. Creating them in each test would take half a second."""

import shutil
import tempfile
from pathlib import Path

from bot import storage
from bot.values import Job
from bot.workflow.jobs import Attempt, Jobs, JobSettings

FILES = ("deeprepo.db", "jobs.db")
_made: list[tempfile.TemporaryDirectory[str]] = []  # one per process, removed when the process ends


async def prepare(data: Path) -> None:
    """Copy the databases of a server that has done nothing into a data folder."""
    if not _made:
        made = tempfile.TemporaryDirectory(prefix="deeprepo-prepared-")
        await _run_once(Path(made.name))
        _made.append(made)
    _copy(Path(_made[0].name), data)


async def _run_once(folder: Path) -> None:
    url = f"sqlite:///{folder / 'deeprepo.db'}"
    async with storage.open_store(url) as store, Jobs(JobSettings(folder), store).running(_unexpected, _unexpected):
        pass


def _copy(source: Path, data: Path) -> None:
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name in FILES:
        assert not (source / f"{name}-wal").exists(), f"{name} was not closed"
        if not (data / name).exists():
            shutil.copyfile(source / name, data / name)


async def _unexpected(ask: Job, _: Attempt | str) -> None:
    raise AssertionError(f"{ask} was asked of a server that had nothing to do")
