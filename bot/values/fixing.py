"""Define the result of a fix, and of the review after it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.values.finding import Finding
from deeprepo.rlm.values import Exact


@dataclass(frozen=True, slots=True)
class Fix:
    """The new contents of files, the fixed findings, and why other findings were left out."""

    contents: Exact[Mapping[str, bytes]] = field(default_factory=dict)  # path -> the whole file
    before: Exact[Mapping[str, bytes]] = field(default_factory=dict)  # the same files as reviewed
    findings: tuple[Finding, ...] = ()
    # With the reason: "none", "place", "moved", "clash", "syntax", "long", "part" or "worse".
    refusals: tuple[tuple[Finding, str], ...] = ()
    patch: str = ""  # the same change, for `git apply`
    problems: tuple[str, ...] = ()  # what the undone fixes would have introduced, as "path:line what"

    def __bool__(self) -> bool:
        return bool(self.contents)


@dataclass(frozen=True, slots=True)
class FixCheck:
    """The review of the fixed code without a model: new findings, and fixed ones that are still reported."""

    new: tuple[Finding, ...] = ()
    still: tuple[Finding, ...] = ()
    # How many of the fixed findings static checks had reported. For others, silence means nothing.
    by_code: int = 0

    @property
    def is_clean(self) -> bool:
        """Whether every fixed finding is resolved and none is new."""
        return not self.new and not self.still
