"""What a server keeps in its data folder: journals of paid calls, cached facts about files, and jobs' own folders.

Each repository has its own folder of facts, so none can affect another.
"""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.machine import fact_files, files
from bot.values import ReviewJob
from bot.values.job import ASKED

JOURNALS, FACTS, WORK = "journals", "facts", "work"  # folders in the data folder


def journal_name(job: ReviewJob, head: str, base: str, run: str) -> str:
    """Return a name per change of a pull request, so that a replacing review does not pay again.

    A review that a person requested gets its own journal, because that person wants a new review.
    """
    suffix = hashlib.sha256(run.encode()).hexdigest()[:12] if job.trigger in ASKED else ""
    return "-".join(filter(None, (str(job.pull.repository), str(job.pull.number), base[:12], head[:12], suffix)))


def journal(data: Path, name: str) -> Path:
    """Return the file of a journal."""
    return data / JOURNALS / f"{name}.jsonl"


def facts(data: Path, journal: str) -> Path:
    """Return the folder with the facts of a journal's repository, with whose ID the journal's name starts."""
    return data / FACTS / journal.partition("-")[0]


def forget(data: Path, repositories: Iterable[int]) -> None:
    """Delete everything about these repositories."""
    for repository in repositories:
        for path in (data / JOURNALS).glob(f"{repository}-*.jsonl"):
            path.unlink(missing_ok=True)
        shutil.rmtree(data / FACTS / str(repository), ignore_errors=True)


def prune(data: Path, since: float, orphans_since: float, known_journals: Collection[str] | None) -> int:
    """Delete files that were last written before `since` (seconds since 1970), and return the number of journals.

    `known_journals` are those in the database, if another process can have deleted their records. Others were
    deleted there, so they only stay if they were written after `orphans_since`.
    """
    count = 0
    for path in (data / JOURNALS).glob("*.jsonl"):
        is_known = known_journals is None or path.stem in known_journals
        if path.stat().st_mtime < (since if is_known else orphans_since):
            path.unlink(missing_ok=True)
            count += 1
    fact_files.sweep(data / FACTS, since)
    return count


def create(data: Path) -> None:
    """Create the data folder with its folders. Raises UsageError, for example if one of them is a file."""
    for name in (JOURNALS, FACTS, WORK):
        files.folder(data / name, below=data, label="the data folder, DEEPREPO_DATA, ", private=True)


@contextmanager
def scratch_folder(data: Path) -> Iterator[str]:
    """Yield a folder for one job, which is removed afterwards."""
    files.folder(data / WORK, private=True)
    prefix = f"pull-{os.getpid()}-"
    with tempfile.TemporaryDirectory(prefix=prefix, dir=data / WORK, ignore_cleanup_errors=True) as folder:
        yield folder


def remove_leftovers(data: Path) -> None:
    """Remove the folders of processes that no longer run. Called before the first job."""
    for left in (data / WORK).glob("pull-*-*"):
        if not _is_running(int(left.name.split("-")[1])):
            shutil.rmtree(left, ignore_errors=True)
    shutil.rmtree(data / "consumers", ignore_errors=True)  # clones that 0.2.0 stored


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return process != os.getpid()
