"""Finished reviews for the operator's pages: lists, and totals by day and by repository."""

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from bot.errors import UsageError
from bot.storage.database import Scope, StoragePart, review, within
from bot.storage.reviews import Figures


@dataclass(frozen=True, slots=True)
class ListedReview(Figures):
    """One finished review without its output."""

    pull: str
    installation: int
    repository: int
    name: str
    number: int
    fork: bool
    title: str | None
    state: str
    found: int | None
    still: int | None
    fixed: int | None

    @property
    def seconds(self) -> float:
        """How long the review took, in seconds."""
        return self.finished - self.started


@dataclass(frozen=True, slots=True)
class ListPage:
    """One page of a list, newest first."""

    rows: tuple[ListedReview, ...]
    older: str  # the ID of the last review, for requesting the next page, or "" on the last page


_COLUMNS = [review.c[name] for name in ListedReview.__dataclass_fields__]
_NEWEST = (review.c.finished.desc(), review.c.id.desc())


class Lists(StoragePart):
    """Lists of reviews, limited to some installations."""

    async def page(
        self, scope: Scope, most: int, *, repository: int | None = None, state: str = "", after: str = ""
    ) -> ListPage:
        """Return the newest `most` matching reviews, or those that follow the review with the ID `after`.

        Raises UsageError if there is no such review.
        """
        conditions = [within(scope, review)]
        conditions += [review.c.state == state] if state else []
        conditions += [] if repository is None else [review.c.repository == repository]
        if after:
            place = await self.rows(
                sa.select(review.c.finished, review.c.id).where(review.c.id == after, within(scope, review))
            )
            if not place:
                raise UsageError("this page does not exist. Start at the first page")
            conditions.append(sa.tuple_(review.c.finished, review.c.id) < sa.tuple_(*map(sa.literal, place[0])))
        query = sa.select(*_COLUMNS).where(*conditions).order_by(*_NEWEST).limit(most + 1)
        rows = [ListedReview(*row) for row in await self.rows(query)]
        return ListPage(tuple(rows[:most]), rows[most - 1].id if len(rows) > most else "")

    async def one(self, job: str, scope: Scope) -> tuple[ListedReview, bytes] | None:
        """Return a review with its JSON output, or None if it doesn't exist in this scope."""
        rows = await self.rows(sa.select(*_COLUMNS, review.c.output).where(review.c.id == job, within(scope, review)))
        return (ListedReview(*rows[0][:-1]), rows[0].output) if rows else None

    async def pulls(self, scope: Scope, since: float) -> tuple[int, int]:
        """Return how many pull requests were reviewed since then, and how many had a clean last review."""
        rank = sa.func.row_number().over(partition_by=review.c.pull, order_by=review.c.finished.desc())
        last = (
            sa.select(review.c.state, rank.label("rank"))
            .where(within(scope, review), review.c.finished >= since)
            .subquery()
        )
        clean = sa.func.coalesce(sa.func.sum(sa.case((last.c.state == "clean", 1))), 0)
        (row,) = await self.rows(sa.select(sa.func.count(), clean).where(last.c.rank == 1))
        return int(row[0]), int(row[1])

    async def owner(self, installation: int) -> str:
        """Return the name of an installation's account, from its last review, or "" if it has no reviews."""
        return (await self._name(review.c.installation == installation) or "").partition("/")[0]

    async def name_of(self, repository: int, scope: Scope) -> str | None:
        """Return a repository's latest owner/name, or None if it has no reviews in this scope."""
        return await self._name((review.c.repository == repository) & within(scope, review))

    async def _name(self, conditions: sa.ColumnElement[bool]) -> str | None:
        rows = await self.rows(sa.select(review.c.name).where(conditions).order_by(*_NEWEST).limit(1))
        return rows[0].name if rows else None


DAY = 86400


@dataclass(frozen=True, slots=True)
class DaySum:
    """The totals of one day, of one repository, or of all reviews."""

    reviews: int = 0
    clean: int = 0
    found: int = 0
    calls: int = 0
    tokens: int = 0
    usd: float = 0.0  # as far as prices are known
    unpriced_reviews: int = 0  # reviews with an unknown price
    half: float | None = None  # median duration in seconds
    most: float | None = None  # 95th percentile of the duration in seconds
    last: float = 0.0  # when the newest review was finished, in seconds since 1970
    repository: str = ""  # latest owner/name
    key: int = 0  # days since 1970 (UTC), or the repository's ID


class Days(StoragePart):
    """Totals of reviews, limited to some installations. `since` is in seconds since 1970."""

    async def by_day(self, scope: Scope, since: float) -> tuple[DaySum, ...]:
        """Return the totals of each day with reviews, oldest first."""
        day = sa.cast(review.c.finished, sa.BigInteger) // DAY
        return tuple(sorted(await self._sums(day, scope, since), key=lambda row: row.key))

    async def by_repository(self, scope: Scope, since: float) -> tuple[DaySum, ...]:
        """Return the totals of each repository, most expensive first."""
        rows = await self._sums(review.c.repository, scope, since)
        return tuple(sorted(rows, key=lambda row: (-row.usd, -row.reviews, row.repository)))

    async def whole(self, scope: Scope, since: float) -> DaySum:
        """Return the totals of all reviews."""
        return next(iter(await self._sums(sa.literal(0), scope, since)), DaySum())

    async def _sums(self, key: sa.ColumnElement[int], scope: Scope, since: float) -> list[DaySum]:
        conditions = [review.c.finished >= since, within(scope, review)]
        seconds = review.c.finished - review.c.started
        rank = sa.func.row_number().over(partition_by=key, order_by=seconds)
        each = sa.select(
            key.label("key"),
            *(review.c[name] for name in ("name", "state", "found", "calls", "tokens", "usd", "finished")),
            seconds.label("seconds"),
            # The position in the order of durations: above 0, and at most 1.
            (rank * 1.0 / sa.func.count().over(partition_by=key)).label("place"),
        )
        columns = each.where(*conditions).subquery().c

        def quantile(share: float) -> sa.ColumnElement[Any]:
            return sa.func.min(sa.case((columns.place >= share, columns.seconds)))

        def total(column: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
            return sa.func.coalesce(sa.func.sum(column), 0)

        query = sa.select(
            sa.func.count().label("reviews"),
            total(sa.case((columns.state == "clean", 1))).label("clean"),
            *(total(columns[name]).label(name) for name in ("found", "calls", "tokens", "usd")),
            total(sa.case((columns.usd.is_(None), 1))).label("unpriced_reviews"),
            quantile(0.5).label("half"),
            quantile(0.95).label("most"),
            sa.func.max(columns.finished).label("last"),
            sa.func.max(columns.name).label("repository"),
            columns.key,
        ).group_by(columns.key)
        rows = await self.database.read(lambda connection: connection.execute(query).mappings().all())
        integers = ("reviews", "clean", "found", "calls", "tokens", "unpriced_reviews", "key")
        return [
            DaySum(**{**row, **{name: int(row[name]) for name in integers}, "usd": float(row["usd"])}) for row in rows
        ]
