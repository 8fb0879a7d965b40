"""What a review in progress can say of itself: what it reads, what code has found, and what it is doing now."""

from collections.abc import Callable
from dataclasses import dataclass

from bot.values.finding import Finding


@dataclass(frozen=True, slots=True)
class Reading:
    """What a review reads, and what static checks have found so far.

    Counts are complete; names and findings are the first few.
    """

    files: int  # changed files that are read
    names: tuple[str, ...]
    units: int | None = None  # None: of the change only the files are known yet, not who depends on it
    left_out: int = 0  # changed files that are not read
    users: int = 0  # unchanged files that depend on what changed
    user_names: tuple[str, ...] = ()
    is_checked: bool = False  # whether every check by code is done
    findings: int = 0  # that code has proven
    worst_findings: tuple[Finding, ...] = ()  # the worst of them


@dataclass(frozen=True, slots=True)
class Progress:
    """The newest of both."""

    reading: Reading | None = None  # None: the change is not known yet
    step: str = ""  # one short line


Say = Callable[[str | Reading], None]  # what a review reports its progress to: one short line, or what it reads
