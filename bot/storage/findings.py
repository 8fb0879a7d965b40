"""Reported findings, as the last round that spoke of each left it; and what became of each: taken care of, rejected, or left open."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

import sqlalchemy as sa

from bot.storage.database import StoragePart
from bot.storage.tables import finding
from bot.values import PullRef, Status

Outcome = Literal["waiting", "fixed", "accepted", "rejected", "left"]
OUTCOMES: tuple[Outcome, ...] = ("waiting", "fixed", "accepted", "rejected", "left")


@dataclass(frozen=True, slots=True)
class StoredFinding:
    """One finding as a round left it."""

    fingerprint: str
    state: Status
    severity: str
    kind: str  # the check's own code, else the category: what a rule silences
    source: str
    path: str
    title: str


@dataclass(frozen=True, slots=True)
class FindingOutcomes:
    """How many of the findings of one repository ended how.

    `fixed`: a later commit took care of it. `accepted`: with exactly the suggested lines. `rejected`: ignored, 👎, "won't fix",
    withdrawn, or silenced by a rule after it was shown. `left`: still open when the pull request was merged or closed.
    `waiting`: its pull request is open.
    """

    repository: int
    waiting: int = 0
    fixed: int = 0
    accepted: int = 0
    rejected: int = 0
    left: int = 0

    @property
    def share(self) -> float | None:
        """The fixed and accepted ones among those that are decided; None where nothing is."""
        decided_count = self.fixed + self.accepted + self.rejected + self.left
        return (self.fixed + self.accepted) / decided_count if decided_count else None

    @classmethod
    def together(cls, rows: "Collection[FindingOutcomes]") -> "FindingOutcomes":
        """Several repositories as one, with the number 0."""
        return cls(0, **{name: sum(getattr(row, name) for row in rows) for name in OUTCOMES})


class Outcomes(StoragePart):
    """What became of the findings that were reported."""

    async def of_repositories(self, repositories: Collection[int] | None, since: float) -> tuple[FindingOutcomes, ...]:
        """How the findings of these repositories (None: of all) ended, one row for each that has any, by the repository's number.

        `since` (seconds since 1970): only findings of which something became known after it. One query, answered from an index.
        """
        fits = finding.c.at > since
        if repositories is not None:
            fits &= finding.c.repository.in_(repositories)
        pair = finding.c.repository, finding.c.outcome
        query = sa.select(*pair, sa.func.count()).where(fits).group_by(*pair)
        counts: dict[int, dict[str, int]] = {}
        for repository, outcome, number in await self.database.look(lambda c: c.execute(query).all()):
            counts.setdefault(repository, {})[outcome] = number
        return tuple(FindingOutcomes(repository, **counts[repository]) for repository in sorted(counts))

    async def reject(self, pull: PullRef, fingerprint: str, now: float) -> None:
        """Somebody who may decide it does not want this finding."""
        await self.database.run(lambda connection: settle(pull, [fingerprint], "rejected", now, connection))

    async def close(self, pull: PullRef, now: float) -> None:
        """The pull request was merged or closed: what waits is left."""
        ours = (finding.c.pull == pull.key) & (finding.c.outcome == "waiting")
        change = sa.update(finding).where(ours).values(outcome="left", at=now)
        await self.database.run(lambda connection: connection.execute(change))


def settle(
    pull: PullRef, fingerprints: Collection[str], outcome: Outcome, now: float, connection: sa.Connection
) -> None:
    """Store what became of findings that were reported. A person's rejection stands, whatever becomes of the code."""
    of = finding.c
    ours = (of.pull == pull.key) & of.fingerprint.in_(fingerprints) & (of.outcome != "rejected")
    connection.execute(sa.update(finding).where(ours).values(outcome=outcome, at=now))
