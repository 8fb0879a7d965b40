"""What one reviewer said about one case, as it is kept: enough to be scored again without the case, the clone or a model."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from bot.values import Coverage, Finding, PlacedFinding, Review
from deeprepo.rlm.values import Cost
from deeprepo_evals.reviews.cases import Case

EXPERIMENT = "reviews"


@dataclass(frozen=True, slots=True)
class MeasuredFinding:
    """One finding. `place` is `folded` if the quota left it out of what is shown in full."""

    path: str
    start: int
    end: int
    title: str
    why: str = ""
    consequence: str = ""
    severity: str = ""
    category: str = ""
    place: str = "inline"
    verdict: str = ""
    source: str = ""
    evidence: tuple[tuple[str, int], ...] = ()  # (path, line)

    @property
    def aloud(self) -> bool:
        """Whether it was posted, not only listed."""
        return self.place != "folded"

    @property
    def text(self) -> str:
        """What a reader sees, as one text."""
        return "\n".join(filter(None, (self.title, self.why, self.consequence)))


@dataclass(frozen=True, slots=True)
class Outcome:
    """One review of one case."""

    findings: tuple[MeasuredFinding, ...] = ()
    seconds: float = 0.0
    calls: int = 0
    failed_calls: int = 0
    input: int = 0  # prompt tokens
    output: int = 0
    usd: float | None = 0.0  # None: a price is unknown
    units: int = 0
    units_read: int = 0
    partial: bool = False
    notes: tuple[str, ...] = ()
    shown: tuple[int, ...] | None = None  # of an oracle: the defects whose lines stood in a prompt
    together: tuple[int, ...] | None = None  # and whose proof stood beside them


@dataclass(frozen=True, slots=True)
class MeasuredReview:
    """A finished row: who reviewed which case, and what came of it."""

    case: Case
    reviewer: str
    round: int
    outcome: Outcome


def of_review(review: Review) -> Outcome:
    """A review of deeprepo as an outcome."""
    return Outcome(
        findings=measured_findings(review.reported),
        seconds=round(review.seconds, 3),
        partial=review.cut.partial,
        notes=review.notes,
        **_cost_fields(review.cost),
        **_read(review.coverage),
    )


def measured_findings(placed_findings: Iterable[PlacedFinding]) -> tuple[MeasuredFinding, ...]:
    """Findings in their places."""
    return tuple(_measured(item.finding, item.place) for item in placed_findings)


def costing(outcome: Outcome, cost: Cost) -> Outcome:
    """The outcome with what it cost."""
    return replace(outcome, **_cost_fields(cost))


def as_row(case: Case, outcome: Outcome) -> dict[str, Any]:
    """What is kept of a case and its outcome. The edits of a twin stay in its file."""
    return {"case": asdict(replace(case, around=(), before=(), change=())), "outcome": asdict(outcome)}


def _measured(finding: Finding, place: str) -> MeasuredFinding:
    return MeasuredFinding(
        path=finding.path,
        start=finding.start,
        end=finding.end,
        title=finding.title,
        why=finding.why,
        consequence=finding.consequence,
        severity=finding.severity,
        category=finding.category,
        place=place,
        verdict=finding.verdict,
        source=finding.source,
        evidence=tuple((item.path, item.line) for item in finding.evidence),
    )


def _cost_fields(cost: Cost) -> Mapping[str, Any]:
    usage = cost.usage
    counted = {"calls": cost.calls, "failed_calls": cost.failed_calls, "usd": cost.usd}
    return {**counted, "input": usage.input, "output": usage.output}


def _read(coverage: Coverage) -> Mapping[str, Any]:
    return {
        "units": coverage.count("unit"),
        "units_read": coverage.count("unit", "reviewed", "reused"),
    }
