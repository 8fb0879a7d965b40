"""Required checks: an owner's requirements for a change, and their results."""

from dataclasses import dataclass
from typing import Literal, get_args

from bot.values.finding import Evidence
from deeprepo.rlm.values import Exact

# The effect if a requirement is not met: it is only listed, the review is not clean, or the check run fails.
RequiredCheckSeverity = Literal["note", "warn", "fail"]
RequiredCheckResult = Literal["failed", "undecided", "unasked", "passed", "inapplicable"]  # worst first
REQUIRED_CHECK_RESULTS: tuple[RequiredCheckResult, ...] = get_args(RequiredCheckResult)


@dataclass(frozen=True, slots=True)
class RequiredCheck:
    """A requirement with its result. Features create these values."""

    name: str
    severity: RequiredCheckSeverity
    result: RequiredCheckResult
    reason: str = ""
    quotes: tuple[Evidence, ...] = ()
    digest: Exact[str] = ""  # a digest of the requirement

    @property
    def blocks(self) -> bool:
        """Whether it failed, and therefore fails the check run."""
        return self.result == "failed" and self.severity == "fail"

    @property
    def warns(self) -> bool:
        """Whether it keeps the review from being clean, because it failed or lacks a result that it needs."""
        if self.result == "failed":
            return self.severity != "note"
        return self.severity == "fail" and self.lacks_result

    @property
    def lacks_result(self) -> bool:
        """Whether it applies to the change but has no result."""
        return self.result in ("undecided", "unasked")
