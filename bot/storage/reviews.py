"""Finished reviews and their findings: what the next round builds upon, and what figures are made of."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import sqlalchemy as sa

from bot.storage import days
from bot.storage.database import Database, upsert
from bot.storage.tables import finding, owned, review
from bot.values import PullRef

State = Literal["posted", "listed", "open", "fixed", "suppressed", "unproven"]
Outcome = Literal["clean", "findings", "partial", "provider", "interrupted"]  # the last two: what cut it short


@dataclass(frozen=True, slots=True)
class Known:
    """One finding as a round left it."""

    fingerprint: str
    state: State
    severity: str
    category: str
    source: str
    path: str
    title: str


@dataclass(frozen=True, slots=True)
class Finished:
    """One review that came to its end."""

    id: str  # the job's
    pull: PullRef
    head: str
    trigger: str
    round: int
    started: float  # seconds since 1970
    finished: float
    conclusion: str
    strategy: str
    calls: int
    tokens: int
    usd: float | None
    output: bytes = field(repr=False)  # the JSON output
    findings: tuple[Known, ...] = ()
    fork: bool = False  # of a pull request that came from a fork
    title: str | None = None  # the pull request's
    state: Outcome = "findings"
    found: int | None = None  # findings that are new in this round
    still: int | None = None  # findings of earlier rounds that are still open
    fixed: int | None = None  # findings of earlier rounds that are gone
    journal: str | None = None  # its name


@dataclass(frozen=True, slots=True)
class RepositorySpending:
    """What the reviews of one repository came to."""

    repository: str  # owner/name as it was last
    reviews: int
    clean: int  # of them, those whose check run succeeded
    calls: int
    tokens: int
    usd: float  # as far as prices are known
    unpriced: int  # reviews with a price that nobody knows
    last: float  # seconds since 1970


@dataclass(frozen=True, slots=True)
class Reviews:
    """The reviews of all pull requests."""

    database: Database

    async def keep(self, done: Finished) -> None:
        """Store a review with its findings; the same one again changes nothing."""
        row = {name: getattr(done, name) for name in (column.name for column in review.c) if hasattr(done, name)}
        row |= {**owned(done.pull), "name": f"{done.pull.owner}/{done.pull.name}", "number": done.pull.number}

        def do(connection: sa.Connection) -> None:
            fresh = connection.execute(sa.select(review.c.id).where(review.c.id == done.id)).first() is None
            upsert(review, row, connection)
            if fresh:
                days.count(row, connection)
            first = _first(done.pull.key, connection)
            for each in done.findings:
                rounds = {"first": first.get(each.fingerprint, done.round), "last": done.round}
                upsert(finding, {**owned(done.pull), **asdict(each), **rounds, "seen": done.finished}, connection)

        await self.database.run(do)

    async def last(self, pull: PullRef) -> bytes | None:
        """The JSON output of the last finished review, None where there is none."""
        wanted = sa.select(review.c.output).where(review.c.pull == pull.key).order_by(review.c.finished.desc()).limit(1)
        return await self.database.run(lambda connection: connection.execute(wanted).scalar_one_or_none())

    async def has(self, job: str) -> bool:
        """Whether this job's review is stored: then all of it is done."""
        wanted = sa.select(review.c.id).where(review.c.id == job)
        return await self.database.run(lambda connection: connection.execute(wanted).first() is not None)

    async def heads(self, pull: PullRef) -> frozenset[str]:
        """The heads of a pull request that were reviewed."""
        wanted = sa.select(review.c.head).where(review.c.pull == pull.key)
        return await self.database.run(lambda connection: frozenset(connection.execute(wanted).scalars()))

    async def findings(self, pull: PullRef) -> tuple[Known, ...]:
        """The findings of a pull request, as the last round that spoke of each left it."""
        wanted = sa.select(finding).where(finding.c.pull == pull.key).order_by(finding.c.seen, finding.c.fingerprint)
        found = await self.database.run(lambda connection: connection.execute(wanted).mappings().all())
        return tuple(Known(**{name: row[name] for name in Known.__dataclass_fields__}) for row in found)

    async def recent(self, most: int = 50) -> Sequence[dict[str, Any]]:
        """The newest reviews with their figures and without their text."""
        columns = [column for column in review.c if column.name != "output"]
        wanted = sa.select(*columns).order_by(review.c.finished.desc()).limit(most)
        found = await self.database.run(lambda connection: connection.execute(wanted).mappings().all())
        return [dict(row) for row in found]

    async def spending(self, since: float) -> tuple[RepositorySpending, ...]:
        """What the reviews since then came to, by repository, the dearest first."""
        columns, total = review.c, sa.func.sum
        wanted = (
            sa.select(
                sa.func.max(columns.name),
                sa.func.count(),
                total(sa.case((columns.conclusion == "success", 1), else_=0)),
                total(columns.calls),
                total(columns.tokens),
                sa.func.coalesce(total(columns.usd), 0.0),
                total(sa.case((columns.usd.is_(None), 1), else_=0)),
                sa.func.max(columns.finished),
            )
            .where(columns.finished > since)
            .group_by(columns.repository)
        )
        found = await self.database.run(lambda connection: connection.execute(wanted).all())
        rows = (
            RepositorySpending(
                str(name), int(count), int(clean), int(calls), int(tokens), float(usd), int(unpriced), float(last)
            )
            for name, count, clean, calls, tokens, usd, unpriced, last in found
        )
        return tuple(sorted(rows, key=lambda row: (-row.usd, -row.reviews, row.repository)))


def _first(pull: str, connection: sa.Connection) -> dict[str, int]:
    """The rounds that found what is known of a pull request."""
    wanted = sa.select(finding.c.fingerprint, finding.c.first).where(finding.c.pull == pull)
    return {row.fingerprint: row.first for row in connection.execute(wanted)}
