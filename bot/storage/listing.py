"""Finished reviews as lists show them: page by page, newest first, without their output, for those who may see them."""

import base64
import json
import math
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from bot.errors import UsageError
from bot.storage.database import StoragePart
from bot.storage.days import Scope
from bot.storage.reviews import ReviewFacts
from bot.storage.tables import review

LONGEST = 400  # characters of a mark


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
    """A part of a list, and the mark with which the next one is asked for; "" at the end."""

    rows: tuple[ListedReview, ...]
    older: str


_COLUMNS = [review.c[name] for name in ListedReview.__dataclass_fields__]


class ReviewList(StoragePart):
    """The reviews of some installations."""

    async def page(
        self, scope: Scope, most: int, *, repository: int | None = None, state: str = "", after: str = ""
    ) -> ListPage:
        """The newest reviews that fit, or those that follow the mark `after`. Raises UsageError if that makes no sense."""
        place = _read(after) if after else None
        fits = [review.c.state == state] if state else []
        if place is not None:
            fits.append(sa.tuple_(review.c.finished, review.c.id) < sa.tuple_(*map(sa.literal, place)))
        if repository is not None:
            fits.append(review.c.repository == repository)
        whose = [[]] if scope is None else [[review.c.installation == one] for one in scope]
        newest = (review.c.finished.desc(), review.c.id.desc())
        queries = [sa.select(*_COLUMNS).where(*fits, *own).order_by(*newest).limit(most + 1) for own in whose]

        def do(connection: sa.Connection) -> list[sa.RowMapping]:
            return [row for one in queries for row in connection.execute(one).mappings()]

        page_rows = sorted(await self.database.look(do), key=lambda row: (row["finished"], row["id"]), reverse=True)
        rows = tuple(ListedReview(**row) for row in page_rows[:most])
        return ListPage(rows, _mark(rows[-1]) if len(page_rows) > most else "")

    async def one(self, job: str, scope: Scope) -> tuple[ListedReview, bytes] | None:
        """A review with its JSON output; None if this scope does not contain it."""
        query = sa.select(*_COLUMNS, review.c.output).where(review.c.id == job)
        if scope is not None:
            query = query.where(review.c.installation.in_(scope))
        row = await self.database.look(lambda connection: connection.execute(query).mappings().first())
        if row is None:
            return None
        return ListedReview(**{name: row[name] for name in ListedReview.__dataclass_fields__}), row["output"]

    async def pulls(self, scope: Scope, since: float) -> tuple[int, int]:
        """How many pull requests were reviewed since then, and of how many the last review was clean."""
        newest = (
            sa.func.row_number().over(partition_by=review.c.pull, order_by=review.c.finished.desc()).label("newest")
        )
        fits = [review.c.finished >= since] + ([] if scope is None else [review.c.installation.in_(scope)])
        last = sa.select(review.c.state, newest).where(*fits).subquery()
        clean = sa.func.sum(sa.case((last.c.state == "clean", 1), else_=0))
        query = sa.select(sa.func.count(), clean).select_from(last).where(last.c.newest == 1)
        row = await self.database.look(lambda connection: connection.execute(query).one())
        return int(row[0]), int(row[1] or 0)

    async def owner(self, installation: int) -> str:
        """The account of an installation, as its last review has it; "" without one."""
        query = sa.select(review.c.name).where(review.c.installation == installation)
        newest = query.order_by(review.c.finished.desc()).limit(1)
        name = await self.database.look(lambda connection: connection.execute(newest).scalar_one_or_none())
        return (name or "").partition("/")[0]

    async def name_of(self, repository: int, scope: Scope) -> str | None:
        """The name of a repository of which this scope has reviews."""
        query = sa.select(review.c.name).where(review.c.repository == repository)
        if scope is not None:
            query = query.where(review.c.installation.in_(scope))
        newest = query.order_by(review.c.finished.desc()).limit(1)
        return await self.database.look(lambda connection: connection.execute(newest).scalar_one_or_none())


def _mark(row: ListedReview) -> str:
    return base64.urlsafe_b64encode(json.dumps([row.finished, row.id]).encode()).decode().rstrip("=")


def _read(mark: str) -> tuple[float, str]:
    """What a mark says; it is part of an address, so it may hold anything."""
    if len(mark) <= LONGEST:
        with suppress(ValueError, TypeError, OverflowError, RecursionError):
            values: Any = json.loads(base64.urlsafe_b64decode(mark + "=" * (-len(mark) % 4)))
            finish_time, job = values
            if (
                type(finish_time) in (float, int)
                and math.isfinite(finish_time)
                and isinstance(job, str)
                and job.isprintable()
            ):
                return float(finish_time), job
    raise UsageError("this mark names no place in the list: begin at its first page")
