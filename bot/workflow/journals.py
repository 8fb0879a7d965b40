"""The files that reviews leave in the data folder: the journals of paid calls, and cached facts about files.

Each repository has its own folder of facts, so none can affect another.
"""

import hashlib
import shutil
from collections.abc import Collection, Iterable
from pathlib import Path

from bot.values import ReviewAsk
from bot.values.ask import ASKED

JOURNALS_FOLDER = "journals"


def name(ask: ReviewAsk, head: str, base: str, job: str) -> str:
    """Return a name per change of a pull request, so that a replacing review does not pay again.

    A review that a person requested gets its own journal, because that person wants a new review.
    """
    suffix = hashlib.sha256(job.encode()).hexdigest()[:12] if ask.trigger in ASKED else ""
    return "-".join(filter(None, (str(ask.pull.repository), str(ask.pull.number), base[:12], head[:12], suffix)))


def path(folder: Path, journal: str) -> Path:
    """Return the file of a journal."""
    return Path(folder, JOURNALS_FOLDER, f"{journal}.jsonl")


def repository(journal: str) -> str:
    """Return the id of the repository with which a journal's name starts."""
    return journal.partition("-")[0]


def of_repository(folder: Path, repository: int) -> list[Path]:
    """Return the journals of a repository."""
    return sorted(Path(folder, JOURNALS_FOLDER).glob(f"{repository}-*.jsonl"))


def older(folder: Path, than: float) -> list[Path]:
    """Return the journals that were last written before this time (seconds since 1970)."""
    return [path for path in Path(folder, JOURNALS_FOLDER).glob("*.jsonl") if path.stat().st_mtime < than]


def orphans(folder: Path, than: float, known_names: Collection[str]) -> list[Path]:
    """Return older journals that the database does not list, because another process deleted their records."""
    return [path for path in older(folder, than) if path.stem not in known_names]


def delete(paths: Iterable[Path]) -> None:
    """Remove journals. Missing files are not an error."""
    for path in paths:
        path.unlink(missing_ok=True)


FACTS_FOLDER = "facts"  # in the data folder


def facts_folder(data: Path, repository: str) -> Path:
    """Return the folder of one repository."""
    return data / FACTS_FOLDER / repository


def forget_facts(data: Path, repositories: Iterable[int]) -> None:
    """Remove the cached facts of these repositories."""
    for repository in repositories:
        shutil.rmtree(facts_folder(data, str(repository)), ignore_errors=True)
