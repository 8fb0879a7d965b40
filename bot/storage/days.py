"""Sums of finished reviews, by day and by repository: what plots and tables are made of."""

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from bot.storage.database import StoragePart
from bot.storage.tables import Scope, review, within

DAY = 86400


@dataclass(frozen=True, slots=True)
class DaySum:
    """The reviews of one day, of one repository over many days, or all of them."""

    reviews: int = 0
    clean: int = 0
    found: int = 0
    calls: int = 0
    tokens: int = 0
    usd: float = 0.0  # as far as prices are known
    unpriced_reviews: int = 0  # reviews with a price that nobody knows
    half: float | None = None  # seconds within which half of the reviews were done
    most: float | None = None  # the same of 95 in 100
    last: float = 0.0  # when the newest was finished, seconds since 1970
    repository: str = ""  # owner/name as it was last
    key: int = 0  # the day since 1970, UTC; or the repository's id


class Days(StoragePart):
    """The sums, for those who may see these installations. `since` is in seconds since 1970."""

    async def by_day(self, scope: Scope, since: float) -> tuple[DaySum, ...]:
        """A sum for each day on which there were reviews, oldest first."""
        day = sa.cast(review.c.finished, sa.BigInteger) // DAY
        return tuple(sorted(await self._sums(day, scope, since), key=lambda row: row.key))

    async def by_repository(self, scope: Scope, since: float) -> tuple[DaySum, ...]:
        """A sum for each repository, the dearest first."""
        rows = await self._sums(review.c.repository, scope, since)
        return tuple(sorted(rows, key=lambda row: (-row.usd, -row.reviews, row.repository)))

    async def whole(self, scope: Scope, since: float) -> DaySum:
        """All of them together."""
        return next(iter(await self._sums(sa.literal(0), scope, since)), DaySum())

    async def _sums(self, key: sa.ColumnElement[int], scope: Scope, since: float) -> list[DaySum]:
        fits = [review.c.finished >= since, within(scope, review)]
        seconds = review.c.finished - review.c.started
        rank = sa.func.row_number().over(partition_by=key, order_by=seconds)
        each = sa.select(
            key.label("key"),
            *(review.c[name] for name in ("name", "state", "found", "calls", "tokens", "usd", "finished")),
            seconds.label("seconds"),
            (rank * 1.0 / sa.func.count().over(partition_by=key)).label("place"),  # above 0, at most 1
        )
        of = each.where(*fits).subquery().c

        def quantile(share: float) -> sa.ColumnElement[Any]:
            return sa.func.min(sa.case((of.place >= share, of.seconds)))

        def total(column: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
            return sa.func.coalesce(sa.func.sum(column), 0)

        query = sa.select(
            sa.func.count().label("reviews"),
            total(sa.case((of.state == "clean", 1))).label("clean"),
            *(total(of[name]).label(name) for name in ("found", "calls", "tokens", "usd")),
            total(sa.case((of.usd.is_(None), 1))).label("unpriced_reviews"),
            quantile(0.5).label("half"),
            quantile(0.95).label("most"),
            sa.func.max(of.finished).label("last"),
            sa.func.max(of.name).label("repository"),
            of.key,
        ).group_by(of.key)
        rows = await self.database.look(lambda connection: connection.execute(query).mappings().all())
        whole = ("reviews", "clean", "found", "calls", "tokens", "unpriced_reviews", "key")
        return [DaySum(**{**row, **{name: int(row[name]) for name in whole}, "usd": float(row["usd"])}) for row in rows]
