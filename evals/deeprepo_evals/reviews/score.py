"""From finished rows to figures with their intervals. Kinds are told apart and never averaged. Pure.

A pull request is drawn with all its defects and rounds: they are not independent of each other.
"""

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from deeprepo_evals import intervals
from deeprepo_evals.intervals import Interval
from deeprepo_evals.reviews import cases, matching
from deeprepo_evals.reviews.cases import PAIRED, Defect
from deeprepo_evals.reviews.matching import Pull, View
from deeprepo_evals.reviews.outcome import MeasuredReview

RECENT = "2025"  # cases from then on are told apart too: models may remember older fixes
Unit = Literal["share", "number", "usd", "s", "tokens"]


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of one reviewer over one kind of cases. `view` is empty where nothing had to be matched."""

    kind: str
    reviewer: str
    view: str
    measure: str
    value: float
    low: float | None = None
    high: float | None = None
    of: int = 0
    unit: Unit = "share"
    group: str = ""  # "cross-file", "python"


def figures(rows: Sequence[MeasuredReview], views: Sequence[View]) -> list[Figure]:
    """Every figure, kind by kind, reviewer by reviewer."""
    found: list[Figure] = []
    for kind in cases.order({row.case.kind for row in rows}):
        for reviewer in dict.fromkeys(row.reviewer for row in rows if row.case.kind == kind):
            pulls = group([row for row in rows if (row.case.kind, row.reviewer) == (kind, reviewer)])
            told = _ReviewerRows(kind, reviewer, pulls)
            for view in views:
                found += told.twins(view) if kind in PAIRED else told.match_figures(view)
            found += [*told.noise(), *told.cost_figures()]
    return found


def group(rows: Sequence[MeasuredReview]) -> list[Pull]:
    """Rows by pull request; of a twin both variants belong together."""
    names = dict.fromkeys(row.case.twin or row.case.id for row in rows)
    return [tuple(row for row in rows if (row.case.twin or row.case.id) == name) for name in names]


@dataclass(frozen=True, slots=True)
class _ReviewerRows:
    """One reviewer's rows of one kind."""

    kind: str
    reviewer: str
    pulls: Sequence[Pull]

    def match_figures(self, view: View) -> Iterator[Figure]:
        """What was found of what is known."""
        if not any(row.case.defects for pull in self.pulls for row in pull):
            return
        yield from self._recall(view)
        for name, of in (("scope", _scope), ("since", _since)):
            groups = sorted({of(row, d) for pull in self.pulls for row in pull for d in row.case.defects} - {""})
            for group in groups if len(groups) > 1 or name == "since" else ():
                kept = _only(of, group)
                yield self._share("recall", lambda r, n: matching.hit(r, n, view), view, kept, f"{name}: {group}")
        if self.kind == "omit":
            yield self._share(
                "recall", lambda r, n: matching.hit(r, n, view) and matching.caller(r, n), view, group="caller named"
            )

    def _recall(self, view: View) -> Iterator[Figure]:
        yield self._share("recall", lambda r, n: matching.hit(r, n, view), view)
        yield self._share("recall, folded too", lambda r, n: matching.hit(r, n, view, aloud=False), view)
        if any(row.outcome.shown is not None for pull in self.pulls for row in pull):
            yield self._share("shown in a prompt", lambda r, n: n in (r.outcome.shown or ()), view)
            yield self._share("shown with its proof", lambda r, n: n in (r.outcome.together or ()), view)

    def twins(self, view: View) -> Iterator[Figure]:
        """The main number: found where the tree breaks, not said where it does not."""
        whole = [pull for pull in self.pulls if {row.case.variant for row in pull} == {"bad", "good"}]
        yield from self._net(whole, view)
        scopes = list(dict.fromkeys(_reach(pull) for pull in whole))
        for scope in sorted(scopes) if len(scopes) > 1 else ():
            yield from self._net([pull for pull in whole if _reach(pull) == scope], view, f", {scope}")
        trapped = [pull for pull in whole if any(row.case.traps for row in pull)]
        if trapped:
            told = [statistics.fmean(matching.trap_count(row) for row in pull) for pull in trapped]
            yield self._figure("reports at a trap", intervals.mean(told), of=len(trapped), unit="number")

    def _net(self, pulls: Sequence[Pull], view: View, among: str = "") -> Iterator[Figure]:
        if not pulls:
            return
        bad, good = ([matching.part(pull, variant, view) for pull in pulls] for variant in ("bad", "good"))
        net = [hit - report for hit, report in zip(bad, good, strict=True)]
        for measure, values in (("hits - reports", net), ("hits on bad", bad), ("reports on good", good)):
            yield self._figure(f"{measure}{among}", intervals.mean(values), view, of=len(pulls))

    def noise(self) -> Iterator[Figure]:
        """Everything that was reported."""
        per_pull = [statistics.fmean(matching.loud(row) for row in pull) for pull in self.pulls]
        yield self._figure("findings per PR", intervals.mean(per_pull), unit="number")
        if self.kind == "clean":
            silent = sum(not any(matching.loud(row) for row in pull) for pull in self.pulls)
            yield self._figure("PRs with none", intervals.share(silent, len(self.pulls)))

    def cost_figures(self) -> Iterator[Figure]:
        """What it took."""
        rows = [row.outcome for pull in self.pulls for row in pull]
        paid = [row.usd for row in rows if row.usd is not None]
        if paid and not any(row.shown is not None for row in rows):  # an oracle is free
            yield self._figure("$ per PR", intervals.mean(paid), unit="usd", of=len(paid))
        yield self._plain("prompt tokens per PR, median", statistics.median(row.input for row in rows), "tokens")
        yield self._plain("seconds per PR, median", statistics.median(row.seconds for row in rows), "s")
        for name, read, there in (("units read", sum(r.units_read for r in rows), sum(r.units for r in rows)),):
            if there:
                yield Figure(self.kind, self.reviewer, "", name, read / there, of=there)
        partial = sum(row.partial for row in rows)
        if partial:
            yield self._plain("partial reviews", partial, "number")

    def _share(
        self,
        measure: str,
        is_found: Callable[[MeasuredReview, int], bool],
        view: View,
        is_kept: Callable[[MeasuredReview, Defect], bool] = lambda _r, _d: True,
        group: str = "",
    ) -> Figure:
        """A share of defects, over pull requests."""
        counted = [
            [is_found(row, n) for row in pull for n, defect in enumerate(row.case.defects) if is_kept(row, defect)]
            for pull in self.pulls
        ]
        told = [pull for pull in counted if pull]
        hits, of = sum(map(sum, told)), sum(map(len, told))
        return self._figure(measure, _interval(told, hits, of), view, of=of, group=group)

    def _figure(
        self, measure: str, at: Interval, view: View | None = None, of: int = 0, unit: Unit = "share", group: str = ""
    ) -> Figure:
        name = view.name if view else ""
        count = of or len(self.pulls)
        return Figure(self.kind, self.reviewer, name, measure, at.value, at.low, at.high, count, unit, group)

    def _plain(self, measure: str, value: float, unit: Unit) -> Figure:
        return Figure(self.kind, self.reviewer, "", measure, value, of=len(self.pulls), unit=unit)


def _interval(hits_by_pull: Sequence[Sequence[bool]], hits: int, of: int) -> Interval:
    """By bootstrap over pull requests; at 0 of n and n of n that has no width, and Wilson's tells more."""
    if hits in (0, of):
        return intervals.share(hits, of)
    return intervals.bootstrap(hits_by_pull, lambda sample: sum(map(sum, sample)) / sum(map(len, sample)))


def _only(of: Callable[[MeasuredReview, Defect], str], group: str) -> Callable[[MeasuredReview, Defect], bool]:
    return lambda row, defect: of(row, defect) == group


def _reach(pull: Pull) -> str:
    return pull[0].case.defects[0].scope


def _scope(_row: MeasuredReview, defect: Defect) -> str:
    return defect.scope


def _since(row: MeasuredReview, _defect: Defect) -> str:
    return RECENT if row.case.kind == "natural" and row.case.date >= RECENT else ""
