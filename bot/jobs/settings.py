"""What the jobs need to know: where they are kept, and how many run at once."""

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class JobSettings:
    """Where jobs are kept and how they are carried out. Without `url`, a SQLite file in the folder, for one process alone."""

    folder: Path
    url: str = field(default="", repr=False)  # of a PostgreSQL database that several processes share, with its password
    executor: str = ""  # this process among the others; by default its machine's name and a random part
    at_once: int = 8  # reviews that this process carries out at the same time, and as many commands beside them
    debounce: float = 5.0  # seconds that a push waits for the next one
    crashes: int = 5  # processes that may die during a job before it is given up
    tries: int = 8  # how often a job is put off because GitHub does not answer or asks to wait
    pause: float = 30.0  # seconds before the second try where GitHub names no time; doubled with each
    refusals: int = (
        3  # how often a job is tried again that GitHub refuses: it may pass, or come of a replica that is late
    )
    refusal_pause: float = 2.0  # seconds before the second try then; four times as long with each
    poll: float = 0.5  # seconds between two looks for work
    keep_days: int = 30  # finished jobs, by which late copies of a delivery are recognised

    @property
    def is_shared(self) -> bool:
        """Whether several processes can work on what is stored."""
        return bool(self.url) and not self.url.startswith("sqlite")

    @property
    def sweep(self) -> float:
        """Seconds between two looks for jobs whose process is gone; at the second look they are taken over."""
        return max(1.0, 10 * self.poll)

    @property
    def file(self) -> Path:
        """The SQLite file."""
        return self.folder / "jobs.db"
