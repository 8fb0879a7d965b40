"""Define the progress of a running review: what it reads, what it has found, and its current step."""

from collections.abc import Callable
from dataclasses import dataclass

from bot.values.finding import Finding


@dataclass(frozen=True, slots=True)
class Reading:
    """What a review reads, and what it has found so far.

    Counts are complete; names and findings are the first few.
    """

    files: int  # changed files that are read
    names: tuple[str, ...]
    units: int | None = None  # None while only the files are known, not their dependents
    left_out: int = 0  # changed files that are not read
    users: int = 0  # unchanged files that depend on changed code
    user_names: tuple[str, ...] = ()
    is_checked: bool = False  # whether all static checks are done
    findings: int = 0  # number of findings that need no confirmation: proven, or reported by several passes
    worst_findings: tuple[Finding, ...] = ()  # the worst of them
    pending: int = 0  # number of findings that a second model call still has to confirm


@dataclass(frozen=True, slots=True)
class Progress:
    """The latest progress."""

    reading: Reading | None = None  # None if the change is not known yet
    step: str = ""  # one short line


Say = Callable[[str | Reading], None]  # receives progress: one short line, or what the review reads
