"""The values that describe failed CI jobs."""

from dataclasses import dataclass, field
from typing import Literal

from deeprepo.impact.values import Side
from deeprepo.rlm.values import Exact

JobEnding = Literal["failure", "timed_out", "cancelled", "startup_failure"]
LogState = Literal["read", "forbidden", "expired", "unread"]  # whether GitHub allowed reading a job's log


@dataclass(frozen=True, slots=True)
class CIJobLog:
    """A failed CI job and its log."""

    id: int  # the check run's id
    name: str
    ending: JobEnding
    on_base: bool  # whether a job of this name failed on the base commit too
    text: str = field(default="", repr=False)
    log: LogState = "unread"


@dataclass(frozen=True, slots=True)
class CIFailure:
    """A failed job with the error in its log, and the changed line that causes it."""

    id: int  # the check run's id
    name: str
    ending: Exact[JobEnding]
    error: str = ""  # one line; empty if the log could not be read or shows no error
    path: Exact[str] = ""  # of the changed line; empty if none was found
    line: int = 0
    side: Side = "head"
    on_base: bool = False  # whether a job of this name failed on the base commit too
    log: LogState = "read"  # only with "read" does an empty error mean that the log shows none


@dataclass(frozen=True, slots=True)
class FilePatch:
    """A changed file's patch, as GitHub returns it. `patch` is empty for large or binary files."""

    path: str
    old_path: str
    patch: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class CIReport:
    """The CI jobs that failed on a stored review's head, and the patches of the change."""

    logs: tuple[CIJobLog, ...]
    patches: tuple[FilePatch, ...]
