"""What became of each finding that was reported: taken care of, rejected, or still open when its pull request was closed."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

import sqlalchemy as sa

from bot.storage.database import StoragePart, upsert
from bot.storage.tables import outcome, owner_columns
from bot.values import PullRef

Outcome = Literal["waiting", "fixed", "accepted", "rejected", "left"]
OUTCOMES: tuple[Outcome, ...] = ("waiting", "fixed", "accepted", "rejected", "left")


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
    """The outcomes of all findings."""

    async def of_repositories(self, repositories: Collection[int], since: float) -> tuple[FindingOutcomes, ...]:
        """How the findings of these repositories ended, one row for each that has any, by the repository's number.

        `since` (seconds since 1970): only findings of which something became known after it. One query, answered from an index.
        """
        fits = outcome.c.repository.in_(repositories) & (outcome.c.at > since)
        pair = outcome.c.repository, outcome.c.state
        query = sa.select(*pair, sa.func.count()).where(fits).group_by(*pair)
        rows = await self.database.run(lambda connection: connection.execute(query).all())
        counts: dict[int, dict[str, int]] = {}
        for repository, state, number in rows:
            counts.setdefault(repository, {})[state] = number
        return tuple(FindingOutcomes(repository, **counts[repository]) for repository in sorted(counts))

    async def totals(self, since: float) -> dict[str, int]:
        """The same over all repositories, answered from an index too."""
        query = sa.select(outcome.c.state, sa.func.count()).where(outcome.c.at > since).group_by(outcome.c.state)
        rows = await self.database.run(lambda connection: connection.execute(query).all())
        totals = {row[0]: row[1] for row in rows}
        return {name: totals.get(name, 0) for name in OUTCOMES}

    async def reject(self, pull: PullRef, fingerprint: str, now: float) -> None:
        """Somebody who may decide it does not want this finding."""
        await self.database.run(
            lambda connection: settle(pull, {fingerprint: "rejected"}, now, connection, known_only=True)
        )

    async def close(self, pull: PullRef, now: float) -> None:
        """The pull request was merged or closed: what waits is left."""
        ours = (outcome.c.pull == pull.key) & (outcome.c.state == "waiting")
        change = sa.update(outcome).where(ours).values(state="left", at=now)
        await self.database.run(lambda connection: connection.execute(change))


def settle(
    pull: PullRef,
    states: Mapping[str, Outcome],
    now: float,
    connection: sa.Connection,
    *,
    known_only: bool = False,
) -> None:
    """Store outcomes by fingerprint. A person's rejection stands, whatever becomes of the code. `known_only`: of what was reported before."""
    query = sa.select(outcome.c.fingerprint, outcome.c.state).where(outcome.c.pull == pull.key)
    known_states = {row[0]: row[1] for row in connection.execute(query)}
    for fingerprint, state in states.items():
        before = known_states.get(fingerprint)
        if before != "rejected" and not (before is None and known_only):
            upsert(outcome, {**owner_columns(pull), "fingerprint": fingerprint, "state": state, "at": now}, connection)
