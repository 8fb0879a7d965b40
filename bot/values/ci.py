"""Jobs of continuous integration that failed on the reviewed head."""

from dataclasses import dataclass, field
from typing import Literal

from bot.values.change import Side
from bot.values.exact import EXACT

JobEnding = Literal["failure", "timed_out", "cancelled", "startup_failure"]


@dataclass(frozen=True, slots=True)
class CIJobLog:
    """What CI reports of a job that failed. `notes` are its annotations: message, path and line."""

    id: int  # of its check run
    name: str
    ending: JobEnding
    on_base: bool  # whether a job of this name failed on the base commit too
    text: str = field(default="", repr=False)
    notes: tuple[tuple[str, str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class CIFailure:
    """A job that failed: the first real error of its log, and the changed line that it comes from."""

    id: int  # of its check run
    name: str
    ending: JobEnding = field(metadata=EXACT)
    error: str = ""  # one line; empty if its log could not be read, or shows no error
    path: str = field(default="", metadata=EXACT)  # empty: the log names no changed line
    line: int = 0
    side: Side = "head"
    on_base: bool = False  # a job of this name failed on the base commit too
