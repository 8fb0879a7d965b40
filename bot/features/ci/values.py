"""What is known of failed jobs of CI."""

from dataclasses import dataclass, field
from typing import Literal

from deeprepo.impact.values import Side
from deeprepo.rlm.values import Exact

JobEnding = Literal["failure", "timed_out", "cancelled", "startup_failure"]
LogState = Literal["read", "forbidden", "expired", "unread"]  # of a job: whether GitHub has let it be read


@dataclass(frozen=True, slots=True)
class CIJobLog:
    """What CI reports of a job that failed."""

    id: int  # of its check run
    name: str
    ending: JobEnding
    on_base: bool  # whether a job of this name failed on the base commit too
    text: str = field(default="", repr=False)
    log: LogState = "unread"


@dataclass(frozen=True, slots=True)
class CIFailure:
    """A job that failed: the first real error of its log, and the changed line that it comes from."""

    id: int  # of its check run
    name: str
    ending: Exact[JobEnding]
    error: str = ""  # one line; empty if its log could not be read, or shows no error
    path: Exact[str] = ""  # empty: the log names no changed line
    line: int = 0
    side: Side = "head"
    on_base: bool = False  # a job of this name failed on the base commit too
    log: LogState = "read"  # whether it could be read: only then an empty error means that it shows none


@dataclass(frozen=True, slots=True)
class FilePatch:
    """What changed in a file, as GitHub shows it. `patch` is empty if it is too large or no text."""

    path: str
    old_path: str
    patch: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class CIReport:
    """The jobs of CI that failed on the head of a stored review, and the change that they ran on."""

    logs: tuple[CIJobLog, ...]
    patches: tuple[FilePatch, ...]
