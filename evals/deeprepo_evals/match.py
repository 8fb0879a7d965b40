"""Findings against labels, one to one: the right file, the right lines, the right class; each finding counts once. Pure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bot.values import Finding
from deeprepo_evals.plant.values import CLASSES, Label

NEAR = 3  # lines beside the planted one: a planted place is exact, and comments stand beside


@dataclass(frozen=True, slots=True)
class Matching:
    """Who found what: pairs of positions in `findings` and `labels`, and what was left over on both sides."""

    pairs: tuple[tuple[int, int], ...]
    extra: tuple[int, ...]
    missed_labels: tuple[int, ...]
    proven: int = 0  # pairs whose finding quotes the proof, or whose label needs none

    @property
    def recall(self) -> float:
        """The share of the labels that were found; 1 where there are none."""
        count = len(self.pairs) + len(self.missed_labels)
        return len(self.pairs) / count if count else 1.0

    @property
    def precision(self) -> float:
        """The share of the findings that are right; 1 where there are none."""
        count = len(self.pairs) + len(self.extra)
        return len(self.pairs) / count if count else 1.0

    @property
    def f1(self) -> float:
        """Both in one figure."""
        both = self.recall + self.precision
        return 2 * self.recall * self.precision / both if both else 0.0


def match(findings: Sequence[Finding], labels: Sequence[Label]) -> Matching:
    """The nearest pairs first; a label is found under one of the categories that its class of defect may have."""
    near = sorted(
        (gap, finding, label)
        for finding, one in enumerate(findings)
        for label, other in enumerate(labels)
        if one.category in CLASSES.get(other.kind, ()) and (gap := _gap(one, other)) <= NEAR
    )
    by_label: dict[int, int] = {}
    for _, finding, label in near:
        if finding not in by_label.values():
            by_label.setdefault(label, finding)
    return Matching(
        tuple(sorted((finding, label) for label, finding in by_label.items())),
        tuple(n for n in range(len(findings)) if n not in by_label.values()),
        tuple(n for n in range(len(labels)) if n not in by_label),
        sum(proven(findings[finding], labels[label]) for label, finding in by_label.items()),
    )


def proven(finding: Finding, label: Label) -> bool:
    """Whether the finding shows the line elsewhere that proves it; true of a defect that its own lines prove."""
    places = [(e.path, e.line, e.quote) for e in finding.evidence] + [(finding.path, finding.start, finding.quote)]
    return not label.proof or any(
        path == line.path and (number == line.number or line.text in quote)
        for line in label.proof
        for path, number, quote in places
    )


def _gap(finding: Finding, label: Label) -> float:
    """Lines between a finding and the planted line, or the line elsewhere that breaks by it."""
    places = ((label.path, label.line), *((line.path, line.number) for line in label.proof))
    lines = [line for path, line in places if path == finding.path and finding.start]
    last = max(finding.start, finding.end)
    return min((max(0, line - last, finding.start - line) for line in lines), default=math.inf)
