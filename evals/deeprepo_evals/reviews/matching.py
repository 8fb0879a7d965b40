"""Whether a finding is a labelled defect: by its place, by a judge's word; and what follows for one row. Pure."""

import statistics
from dataclasses import dataclass
from typing import Protocol

from deeprepo_evals.reviews.cases import Defect, near
from deeprepo_evals.reviews.judge import is_at
from deeprepo_evals.reviews.outcome import MeasuredFinding, MeasuredReview

Pull = tuple[MeasuredReview, ...]  # one pull request with all its rounds


class View(Protocol):
    """The judge of whether a finding is a labelled defect: its place, a judge."""

    @property
    def name(self) -> str:
        """What the tables call it."""

    def same(self, finding: MeasuredFinding, defect: Defect) -> bool:
        """Whether the finding is held for the defect."""


@dataclass(frozen=True, slots=True)
class Place:
    """By file and lines alone: an upper bound, the words are not read."""

    name: str = "place"

    def same(self, finding: MeasuredFinding, defect: Defect) -> bool:
        """The right file, near the lines. A defect without lines is never found by its place."""
        return bool(defect.spans) and is_at(finding, defect)


@dataclass(frozen=True, slots=True)
class Words:
    """At the right place, and by the words the same: as a judge says."""

    judge: View

    @property
    def name(self) -> str:
        """The judge's."""
        return self.judge.name

    def same(self, finding: MeasuredFinding, defect: Defect) -> bool:
        """Both at once."""
        return is_at(finding, defect) and self.judge.same(finding, defect)


def hit(row: MeasuredReview, number: int, view: View, *, aloud: bool = True) -> bool:
    """Whether a defect was found. An oracle must also have seen its proof: a lucky place is not a delivery."""
    together = row.outcome.together
    if together is not None and number not in together and not row.case.variant:
        return False
    defect = row.case.defects[number]
    return any(view.same(said, defect) for said in row.outcome.findings if said.aloud or not aloud)


def caller(row: MeasuredReview, number: int) -> bool:
    """Whether a finding names the forgotten caller, by its own place or in its evidence."""
    spans = [span for span in row.case.defects[number].spans if not span.in_diff]
    return any(
        near(path, start, end, spans)
        for said in row.outcome.findings
        for path, start, end in ((said.path, said.start, said.end), *((p, at, at) for p, at in said.evidence))
    )


def loud(row: MeasuredReview) -> int:
    """How many findings were shown in full."""
    return sum(said.aloud for said in row.outcome.findings)


def trap_count(row: MeasuredReview) -> int:
    """How many findings shown in full accuse a line that looks broken and is not, by their place or their evidence."""
    return sum(
        said.aloud
        and any(
            path == trap.file and start <= trap.line <= end
            for trap in row.case.traps
            for path, start, end in ((said.path, said.start, said.end), *((p, at, at) for p, at in said.evidence))
        )
        for said in row.outcome.findings
    )


def part(pull: Pull, variant: str, view: View) -> float:
    """Of the rounds over one variant, the share in which the defect was reported."""
    return statistics.fmean(hit(row, 0, view) for row in pull if row.case.variant == variant)
