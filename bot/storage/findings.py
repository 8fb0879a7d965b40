"""Reported findings with their latest state and outcome, and statistics about merged pull requests."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeVar

import sqlalchemy as sa

from bot.storage.database import Scope, StoragePart, feedback, finding, review, within
from bot.values import PullRef, Status

# Outcomes of a reported finding:
# - `waiting`: the finding and its pull request are open
# - `fixed`: a later commit fixed it
# - `accepted`: in data of 0.2.0, a later commit fixed it with exactly the suggested lines
# - `rejected`: somebody ignored it, reacted with 👎 or replied "won't fix", it was withdrawn, or a rule
#   silenced it after it was shown
# - `left`: the finding was open when the pull request was merged or closed
FindingOutcome = Literal["waiting", "fixed", "accepted", "rejected", "left"]
OUTCOMES: tuple[FindingOutcome, ...] = ("waiting", "fixed", "accepted", "rejected", "left")


@dataclass(frozen=True, slots=True)
class StoredFinding:
    """One finding as of the last review that mentioned it."""

    fingerprint: str
    state: Status
    severity: str
    kind: str  # the check's rule, or the category; learned rules silence findings by kind
    source: str
    path: str
    title: str


def addressed_share(counts: Mapping[FindingOutcome, int]) -> float | None:
    """Return the share of fixed or accepted findings among those not waiting, or None if all are waiting."""
    decided_count = sum(counts.values()) - counts.get("waiting", 0)
    return (counts.get("fixed", 0) + counts.get("accepted", 0)) / decided_count if decided_count else None


class Outcomes(StoragePart):
    """The outcomes of reported findings."""

    async def of_repositories(
        self, repositories: Collection[int] | None, since: float
    ) -> dict[int, Counter[FindingOutcome]]:
        """Return the number of findings per outcome, by repository ID. None means all repositories.

        Only findings whose outcome changed after `since` (seconds since 1970) are counted.
        """
        condition = finding.c.at > since
        if repositories is not None:
            condition &= finding.c.repository.in_(repositories)
        pair = finding.c.repository, finding.c.outcome
        query = sa.select(*pair, sa.func.count()).where(condition).group_by(*pair).order_by(*pair)
        counts: dict[int, Counter[FindingOutcome]] = {}
        for repository, outcome, number in await self.rows(query):
            counts.setdefault(repository, Counter())[outcome] = number
        return counts

    async def rejected(self, pull: PullRef) -> frozenset[str]:
        """Return the identities of a pull request's rejected findings."""
        query = sa.select(finding.c.fingerprint).where(finding.c.pull == pull.key, finding.c.outcome == "rejected")
        return frozenset(mark for (mark,) in await self.rows(query))

    async def close(self, pull: PullRef, now: float) -> None:
        """Record that a pull request was merged or closed, and its waiting findings as "left"."""
        ours = (finding.c.pull == pull.key) & (finding.c.outcome == "waiting")
        change = sa.update(finding).where(ours).values(outcome="left", at=now)
        await self.change(change)


MergedOutcome = Literal["fixed", "rejected", "ignored", "left"]
Key = TypeVar("Key", str, tuple[str, str, str])


@dataclass(frozen=True, slots=True)
class OutcomeCounts:
    """Numbers of findings by outcome, on merged pull requests.

    `fixed` includes accepted findings. `ignored` are those dismissed with `/deeprepo ignore`, and `rejected`
    are those dismissed in any other way. `left` were open at the merge.
    """

    fixed: int = 0
    rejected: int = 0
    ignored: int = 0
    left: int = 0

    @property
    def shown(self) -> int:
        """The number of all findings that were shown."""
        return self.fixed + self.rejected + self.ignored + self.left

    @property
    def dismissed(self) -> int:
        """The number of rejected and ignored findings."""
        return self.rejected + self.ignored


@dataclass(frozen=True, slots=True)
class Worth:
    """The outcomes of findings on merged pull requests, in total, by kind and by folder, most shown first."""

    pulls: int  # pull requests that were reviewed and merged
    usd: float  # known cost of their reviews
    unpriced: int  # reviews with an unknown price
    results: OutcomeCounts
    by_kind: dict[str, OutcomeCounts]
    by_path: dict[str, OutcomeCounts]  # by repository and top-level folder

    @property
    def usd_per_fixed(self) -> float | None:
        """The cost per fixed finding, or None if no finding was fixed."""
        return self.usd / self.results.fixed if self.results.fixed else None


class _Row(NamedTuple):
    repository: str
    kind: str
    path: str
    result: MergedOutcome
    number: int


class Worths(StoragePart):
    """Statistics about findings on merged pull requests."""

    async def since(self, scope: Scope, when: float) -> Worth:
        """Return the outcomes of findings on pull requests merged since `when` (seconds since 1970)."""
        usd = sa.func.coalesce(sa.func.sum(review.c.usd), 0.0).label("usd")
        unpriced = sa.func.sum(sa.case((review.c.usd.is_(None), 1), else_=0)).label("unpriced")
        columns = review.c.pull, sa.func.max(review.c.name).label("name"), usd, unpriced
        pulls = (
            sa.select(*columns)
            .where(review.c.merged >= when, within(scope, review))
            .group_by(review.c.pull)
            .cte("pulls")
        )
        total = sa.func.count(), sa.func.sum(pulls.c.usd), sa.func.sum(pulls.c.unpriced)
        (sums,) = await self.database.read(lambda connection: connection.execute(sa.select(*total)).all())
        rows = [_Row(*row) for row in await self.rows(_findings(pulls))]
        return Worth(
            pulls=int(sums[0]),
            usd=float(sums[1] or 0.0),
            unpriced=int(sums[2] or 0),
            results=_results(rows),
            by_kind=_grouped((row.kind, row) for row in rows),
            by_path=_grouped((f"{row.repository}: {_top_folder(row.path)}", row) for row in rows),
        )


def _findings(pulls: sa.CTE) -> "sa.Select[tuple[str, str, str, MergedOutcome, int]]":
    ours = (feedback.c.pull == finding.c.pull) & (feedback.c.fingerprint == finding.c.fingerprint)
    is_ignored = sa.exists().where(ours, feedback.c.kind == "ignored")
    outcome = finding.c.outcome
    result = sa.case(
        (outcome.in_(("fixed", "accepted")), "fixed"),
        ((outcome == "rejected") & is_ignored, "ignored"),
        (outcome == "rejected", "rejected"),
        else_="left",
    )
    columns = pulls.c.name, finding.c.kind, finding.c.path, result.label("result")
    joined = sa.join(finding, pulls, finding.c.pull == pulls.c.pull)
    of = sa.select(*columns).select_from(joined).where(outcome.is_not(None)).subquery().c
    return sa.select(of.name, of.kind, of.path, of.result, sa.func.count()).group_by(*of)


def _results(rows: Iterable[_Row]) -> OutcomeCounts:
    counts = Counter[str]()
    for row in rows:
        counts[row.result] += row.number
    return OutcomeCounts(**counts)


def _grouped(rows: Iterable[tuple[Key, _Row]]) -> dict[Key, OutcomeCounts]:
    """Return the results by key, most shown first."""
    groups: dict[Key, list[_Row]] = {}
    for key, row in rows:
        groups.setdefault(key, []).append(row)
    results = {key: _results(groups[key]) for key in sorted(groups)}
    return dict(sorted(results.items(), key=lambda item: -item[1].shown))


def _top_folder(path: str) -> str:
    """Return the top-level folder that contains a file, or "/"."""
    top, slash, _ = path.partition("/")
    return f"{top}/" if slash else "/"
