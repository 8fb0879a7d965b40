"""The progress of a running review: the size of the change, the findings so far, and the current step."""

from collections.abc import Callable
from dataclasses import dataclass

from bot.values.finding import Finding


@dataclass(frozen=True, slots=True)
class Reading:
    """The size of the change under review, and the findings so far.

    The numbers are complete, but `names`, `user_names` and `worst_findings` only contain the first few.
    """

    files: int  # number of changed files under review
    names: tuple[str, ...]  # the paths of these files
    units: int | None = None  # number of code regions; None until the dependents are known
    left_out: int = 0  # number of changed files that are skipped
    users: int = 0  # number of unchanged files that depend on changed code
    user_names: tuple[str, ...] = ()  # the paths of these files
    is_checked: bool = False  # whether all static checks are done
    findings: int = 0  # number of findings that need no confirmation: proven, or reported by several passes
    worst_findings: tuple[Finding, ...] = ()  # the worst of them
    pending: int = 0  # number of findings that are still to be confirmed


@dataclass(frozen=True, slots=True)
class Progress:
    """What a progress page shows."""

    reading: Reading | None = None  # None until the change is known
    step: str = ""  # the current step, as one short line


# Gets the current step as a short line, or the progress.
ProgressCallback = Callable[[str | Reading], None]
