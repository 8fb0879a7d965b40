"""Rulings: what must hold for a change, and whether it does. As a finding does, a ruling may stop the change."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from bot.values.finding import Evidence
from deeprepo.rlm.values import Exact

# What a ruling that failed comes to: a row, a neutral conclusion, a failed one.
RulingSeverity = Literal["note", "warn", "fail"]
RulingResult = Literal["failed", "undecided", "unasked", "passed", "inapplicable"]  # the worst first
RULING_RESULTS: tuple[RulingResult, ...] = get_args(RulingResult)


def is_bar(fail_on: object | None, severities: Iterable[str]) -> bool:
    """Tell whether an owner stops changes: for findings of a severity, or for what must hold."""
    return fail_on is not None or "fail" in severities


@dataclass(frozen=True, slots=True)
class Ruling:
    """What must hold, as the owner has named it, and what a review says of it. A feature makes them: its part of a review has them."""

    name: str
    severity: RulingSeverity
    result: RulingResult
    reason: str = ""
    quotes: tuple[Evidence, ...] = ()
    digest: Exact[str] = ""  # of what must hold

    @property
    def blocks(self) -> bool:
        """Whether the owner wants the change to be stopped for it."""
        return self.result == "failed" and self.severity == "fail"

    @property
    def warns(self) -> bool:
        """Whether a review is not clean for it: it failed, or nobody knows of one that would stop the change."""
        if self.result == "failed":
            return self.severity != "note"
        return self.severity == "fail" and self.lacks_result

    @property
    def lacks_result(self) -> bool:
        """Whether it applies, and neither passed nor failed."""
        return self.result in ("undecided", "unasked")
