"""Finished reviews as lists show them: page by page, newest first, without their output, for those who may see them."""

from dataclasses import dataclass

import sqlalchemy as sa

from bot.errors import UsageError
from bot.storage.database import StoragePart
from bot.storage.reviews import ReviewFacts
from bot.storage.tables import Scope, review, within


@dataclass(frozen=True, slots=True)
class ListedReview(ReviewFacts):
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
    journal: str | None

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.finished - self.started


@dataclass(frozen=True, slots=True)
class ListPage:
    """A part of a list, and the mark with which the next one is asked for, its last review's id; "" at the end."""

    rows: tuple[ListedReview, ...]
    older: str


_COLUMNS = [review.c[name] for name in ListedReview.__dataclass_fields__]
_NEWEST = (review.c.finished.desc(), review.c.id.desc())


class ReviewList(StoragePart):
    """The reviews of some installations."""

    async def page(
        self, scope: Scope, most: int, *, repository: int | None = None, state: str = "", after: str = ""
    ) -> ListPage:
        """The newest reviews that fit, or those that follow the mark `after`. Raises UsageError if there is no such place."""
        fits = [within(scope, review)]
        fits += [review.c.state == state] if state else []
        fits += [] if repository is None else [review.c.repository == repository]
        if after:
            place = await self.rows(
                sa.select(review.c.finished, review.c.id).where(review.c.id == after, within(scope, review))
            )
            if not place:
                raise UsageError("this mark names no place in the list: begin at its first page")
            fits.append(sa.tuple_(review.c.finished, review.c.id) < sa.tuple_(*map(sa.literal, place[0])))
        query = sa.select(*_COLUMNS).where(*fits).order_by(*_NEWEST).limit(most + 1)
        rows = [ListedReview(*row) for row in await self.rows(query)]
        return ListPage(tuple(rows[:most]), rows[most - 1].id if len(rows) > most else "")

    async def one(self, job: str, scope: Scope) -> tuple[ListedReview, bytes] | None:
        """A review with its JSON output; None if this scope does not contain it."""
        rows = await self.rows(sa.select(*_COLUMNS, review.c.output).where(review.c.id == job, within(scope, review)))
        return (ListedReview(*rows[0][:-1]), rows[0].output) if rows else None

    async def pulls(self, scope: Scope, since: float) -> tuple[int, int]:
        """How many pull requests were reviewed since then, and of how many the last review was clean."""
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
        """The account of an installation, as its last review has it; "" without one."""
        return (await self._name(review.c.installation == installation) or "").partition("/")[0]

    async def name_of(self, repository: int, scope: Scope) -> str | None:
        """The name of a repository of which this scope has reviews."""
        return await self._name((review.c.repository == repository) & within(scope, review))

    async def _name(self, fits: sa.ColumnElement[bool]) -> str | None:
        rows = await self.rows(sa.select(review.c.name).where(fits).order_by(*_NEWEST).limit(1))
        return rows[0].name if rows else None
