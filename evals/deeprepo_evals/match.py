"""Findings against labels, one to one: the right file, the right lines, the right class; each finding counts once. Pure."""

from collections.abc import Mapping, Sequence
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


def match(
    findings: Sequence[Finding],
    labels: Sequence[Label],
    *,
    near: int = NEAR,
    classes: Mapping[str, Sequence[str]] | None = CLASSES,
) -> Matching:
    """As many pairs as there can be. `classes`: the categories that each class of defect may be reported under; None: any."""
    reach = [_reach(finding, labels, near, classes) for finding in findings]
    by_label: dict[int, int] = {}
    for number in range(len(findings)):
        _augment(number, reach, by_label, set())
    pairs = tuple(sorted((finding, label) for label, finding in by_label.items()))
    said = {finding for finding, _ in pairs}
    return Matching(
        pairs,
        tuple(n for n in range(len(findings)) if n not in said),
        tuple(n for n in range(len(labels)) if n not in by_label),
        sum(proven(findings[finding], labels[label]) for finding, label in pairs),
    )


def proven(finding: Finding, label: Label) -> bool:
    """Whether the finding shows the line elsewhere that proves it; true of a defect that its own lines prove."""
    places = [(e.path, e.line, e.quote) for e in finding.evidence] + [(finding.path, finding.start, finding.quote)]
    return not label.proof or any(
        path == line.path and (number == line.number or line.text in quote)
        for line in label.proof
        for path, number, quote in places
    )


def _reach(
    finding: Finding, labels: Sequence[Label], near: int, classes: Mapping[str, Sequence[str]] | None
) -> list[int]:
    """The labels that this finding may stand for, the nearest first."""
    found = []
    for number, label in enumerate(labels):
        fits = classes is None or finding.category in classes.get(label.kind, ())
        gaps = [_gap(finding, path, start, end) for path, start, end in _places(label)] if fits else []
        best = min((gap for gap in gaps if gap is not None), default=None)
        if best is not None and best <= near:
            found.append((best, number))
    return [number for _, number in sorted(found)]


def _places(label: Label) -> list[tuple[str, int, int]]:
    """Where it may be reported: at the planted line, or at the line elsewhere that breaks by it."""
    return [(label.path, label.line, label.line), *((line.path, line.number, line.number) for line in label.proof)]


def _gap(finding: Finding, path: str, start: int, end: int) -> int | None:
    """Lines between the finding and a place; None where it is another file, or the finding has no line."""
    if finding.path != path or not finding.start:
        return None
    last = max(finding.start, finding.end)
    return max(0, start - last, finding.start - end)


def _augment(finding: int, reach: Sequence[Sequence[int]], by_label: dict[int, int], visited: set[int]) -> bool:
    """Give the finding a label, moving others to theirs where that makes room."""
    for label in reach[finding]:
        if label in visited:
            continue
        visited.add(label)
        if label not in by_label or _augment(by_label[label], reach, by_label, visited):
            by_label[label] = finding
            return True
    return False
