"""The result of fixing findings, and of the review of the fixed code."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.values.finding import Finding
from deeprepo.rlm.values import Exact


@dataclass(frozen=True, slots=True)
class Fix:
    """The new contents of files, the fixed findings, and why other findings were left out."""

    contents: Exact[Mapping[str, bytes]] = field(default_factory=dict)  # path -> the whole file
    # Path -> the file's content at the review.
    before: Exact[Mapping[str, bytes]] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    # Findings that were not fixed, each with the reason: "none", "place", "moved", "clash", "syntax", "long",
    # "part" or "worse".
    refusals: tuple[tuple[Finding, str], ...] = ()
    patch: str = ""  # the fix as a patch for `git apply`
    # Problems that fixes would have caused and that were undone: "path:line what".
    problems: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.contents)


@dataclass(frozen=True, slots=True)
class FixCheck:
    """The result of reviewing the fixed code with static checks."""

    new: tuple[Finding, ...] = ()  # findings that the fix has caused
    still: tuple[Finding, ...] = ()  # fixed findings that are reported again
    # How many of the fixed findings came from static checks. Static checks cannot tell if others are fixed.
    by_code: int = 0

    @property
    def is_clean(self) -> bool:
        """Whether no finding is reported again, and none is new."""
        return not self.new and not self.still
