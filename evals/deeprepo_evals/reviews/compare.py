"""Whether one reviewer is better than another on the same pull requests, and whether two judges see it alike. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from deeprepo_evals import intervals
from deeprepo_evals.intervals import Interval
from deeprepo_evals.reviews import cases, judge, matching, score
from deeprepo_evals.reviews.cases import PAIRED
from deeprepo_evals.reviews.judge import JudgeAnswers
from deeprepo_evals.reviews.matching import Pull, View
from deeprepo_evals.reviews.outcome import MeasuredReview


@dataclass(frozen=True, slots=True)
class Difference:
    """How much more one finds than the other, in one view."""

    kind: str
    one: str
    other: str
    view: str
    by: Interval

    @property
    def clear(self) -> int:
        """1 and -1 where the whole interval is on one side, 0 where it does not."""
        return (self.by.low > 0) - (self.by.high < 0)


def differences(rows: Sequence[MeasuredReview], views: Sequence[View]) -> list[Difference]:
    """Every two reviewers over the pull requests that both have reviewed."""
    return [
        Difference(kind, one, other, view.name, by)
        for kind in cases.order({row.case.kind for row in rows})
        for one, other in combinations(dict.fromkeys(row.reviewer for row in rows if row.case.kind == kind), 2)
        for view in views
        if (by := _by([row for row in rows if row.case.kind == kind], one, other, view)) is not None
    ]


def sentences(differences: Sequence[Difference]) -> Iterator[str]:
    """The conclusion about them. A difference that only one judge sees does not count."""
    for key in dict.fromkeys((d.kind, d.one, d.other) for d in differences):
        told = [d for d in differences if (d.kind, d.one, d.other) == key]
        kind, one, other = key
        figures = "; ".join(f"{d.view}: {d.by.value:+.2f} [{d.by.low:+.2f}, {d.by.high:+.2f}]" for d in told)
        yield f"{kind}: {one} against {other}: {_verdict(told, one, other)} ({figures})"


def agreements(judges: Sequence[JudgeAnswers]) -> Iterator[str]:
    """How far every two judges agree, and on what they gave no usable answer."""
    for one, other in combinations(judges, 2):
        told = judge.agreement(one, other)
        yield f"{one.name} and {other.name} agree on {told.share:.0%} of {told.pairs} pairs, kappa {told.kappa:.2f}"
    for one in judges:
        if one.unheard:
            yield f"{one.name} gave no usable answer on {one.unheard} of {len(one.verdicts)} pairs; they count as not the same"


def _verdict(differences: Sequence[Difference], one: str, other: str) -> str:
    signs = {d.clear for d in differences}
    if signs == {1}:
        return f"{one} finds more"
    if signs == {-1}:
        return f"{other} finds more"
    if signs == {0}:
        return "no difference is shown"
    seen = ", ".join(d.view for d in differences if d.clear)
    return f"only {seen} sees a difference: no result"


def _by(rows: Sequence[MeasuredReview], one: str, other: str, view: View) -> Interval | None:
    """Paired: the same pull requests are drawn for both."""
    ours, theirs = ({_name(pull): pull for pull in _of(rows, reviewer)} for reviewer in (one, other))
    both = [(ours[name], theirs[name]) for name in ours if name in theirs]
    counted = [(_count(a, view), _count(b, view)) for a, b in both]
    known = [(a, b) for a, b in counted if a[1] and b[1]]
    if not known:
        return None
    return intervals.bootstrap(known, lambda sample: _share([a for a, _ in sample]) - _share([b for _, b in sample]))


def _of(rows: Sequence[MeasuredReview], reviewer: str) -> list[Pull]:
    pulls = score.group([row for row in rows if row.reviewer == reviewer])
    whole = {"bad", "good"}
    return [p for p in pulls if p[0].case.kind not in PAIRED or {row.case.variant for row in p} == whole]


def _name(pull: Pull) -> str:
    return pull[0].case.twin or pull[0].case.id


def _count(pull: Pull, view: View) -> tuple[float, int]:
    """What was found, of how much: for twins the hit minus the report."""
    if pull[0].case.kind in PAIRED:
        return matching.part(pull, "bad", view) - matching.part(pull, "good", view), 1
    hits = [matching.hit(row, n, view) for row in pull for n in range(len(row.case.defects))]
    return float(sum(hits)), len(hits)


def _share(counts: Sequence[tuple[float, int]]) -> float:
    return sum(found for found, _ in counts) / sum(of for _, of in counts)
