"""What a fix changed, and what a review of the result says of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.values.finding import Finding
from deeprepo.rlm.values import Exact


@dataclass(frozen=True, slots=True)
class Fix:
    """New contents of files, for which findings, and why other findings were left out."""

    contents: Exact[Mapping[str, bytes]] = field(default_factory=dict)  # path -> the whole file
    before: Exact[Mapping[str, bytes]] = field(default_factory=dict)  # the same, as reviewed
    findings: tuple[Finding, ...] = ()
    refusals: tuple[
        tuple[Finding, str], ...
    ] = ()  # with the reason: "none", "place", "moved", "clash", "syntax", "long", "part", "worse"
    patch: str = ""  # the same change as `git apply` reads it
    problems: tuple[str, ...] = ()  # what the fixes that were taken back would have brought, as "path:line what"

    def __bool__(self) -> bool:
        return bool(self.contents)


@dataclass(frozen=True, slots=True)
class FixCheck:
    """The review of the fixed code without a model: new findings, and fixed ones that are still reported."""

    new: tuple[Finding, ...] = ()
    still: tuple[Finding, ...] = ()
    by_code: int = (
        0  # of the fixed findings, those that a check by code had reported: silence about others means nothing
    )

    @property
    def is_clean(self) -> bool:
        """Whether every fixed finding is resolved and none is new."""
        return not self.new and not self.still
