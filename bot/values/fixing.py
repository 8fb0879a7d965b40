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
    """A review by code of the result: what it reports that it did not report before, and which fixed findings it still reports."""

    new: tuple[Finding, ...] = ()
    still: tuple[Finding, ...] = ()
    by_code: int = (
        0  # of the fixed findings, those that a check by code had reported: silence about others means nothing
    )

    @property
    def is_clean(self) -> bool:
        """Whether every finding is gone and nothing came."""
        return not self.new and not self.still
