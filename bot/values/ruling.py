"""Required checks: requirements for a change, and their results. Like a finding, one may fail the check."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from bot.values.finding import Evidence
from deeprepo.rlm.values import Exact

# The effect of a failed check: only a row, a neutral conclusion, or a failed one.
RulingSeverity = Literal["note", "warn", "fail"]
RulingResult = Literal["failed", "undecided", "unasked", "passed", "inapplicable"]  # worst first
RULING_RESULTS: tuple[RulingResult, ...] = get_args(RulingResult)


def is_threshold_set(fail_on: object | None, severities: Iterable[str]) -> bool:
    """Return whether the owner has set a failure threshold, for findings or for required checks."""
    return fail_on is not None or "fail" in severities


@dataclass(frozen=True, slots=True)
class Ruling:
    """A required check as the owner defines it, with its result. Features create them."""

    name: str
    severity: RulingSeverity
    result: RulingResult
    reason: str = ""
    quotes: tuple[Evidence, ...] = ()
    digest: Exact[str] = ""  # of the requirement

    @property
    def blocks(self) -> bool:
        """Whether it failed and blocks the change."""
        return self.result == "failed" and self.severity == "fail"

    @property
    def warns(self) -> bool:
        """Whether it keeps a review from being clean: it failed, or a blocking check has no result."""
        if self.result == "failed":
            return self.severity != "note"
        return self.severity == "fail" and self.lacks_result

    @property
    def lacks_result(self) -> bool:
        """Whether it applies but has no result."""
        return self.result in ("undecided", "unasked")
