"""Where the journal of a review lies, and under which name its paid calls are found again."""

import hashlib
from collections.abc import Collection, Iterable
from pathlib import Path

from bot.values import ReviewAsk
from bot.values.ask import ASKED

JOURNALS_FOLDER = "journals"


def name(ask: ReviewAsk, head: str, base: str, job: str) -> str:
    """Return one name for each change of a pull request, so that a review which takes another's place pays nothing again.

    Who asks for a review by hand wants a fresh look: that has a journal of its own.
    """
    suffix = hashlib.sha256(job.encode()).hexdigest()[:12] if ask.trigger in ASKED else ""
    return "-".join(filter(None, (str(ask.pull.repository), str(ask.pull.number), base[:12], head[:12], suffix)))


def path(folder: Path, journal: str) -> Path:
    """Return the file of a journal."""
    return Path(folder, JOURNALS_FOLDER, f"{journal}.jsonl")


def repository(journal: str) -> str:
    """Return the id of the repository that a journal's name begins with."""
    return journal.partition("-")[0]


def of_repository(folder: Path, repository: int) -> list[Path]:
    """Return the journals of a repository."""
    return sorted(Path(folder, JOURNALS_FOLDER).glob(f"{repository}-*.jsonl"))


def older(folder: Path, than: float) -> list[Path]:
    """Return the journals that were last written before this time (seconds since 1970)."""
    return [path for path in Path(folder, JOURNALS_FOLDER).glob("*.jsonl") if path.stat().st_mtime < than]


def orphans(folder: Path, than: float, known_names: Collection[str]) -> list[Path]:
    """Return those of the older ones that are in no database any more: another process was told to forget them."""
    return [path for path in older(folder, than) if path.stem not in known_names]


def delete(paths: Iterable[Path]) -> None:
    """Remove journals; one that is gone already is not an error."""
    for path in paths:
        path.unlink(missing_ok=True)
