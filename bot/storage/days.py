"""Sums of a repository's reviews by day: what a month of plots and tables is made of, whatever number of reviews is stored.

A review is counted in the transaction that stores it first, so that sums and reviews agree. Sums stay until the day is forgotten.
"""

import bisect
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from bot.storage.database import StoragePart
from bot.storage.dialect import insert
from bot.storage.tables import BUCKETS, day

DAY = 86400
SUMS = ("reviews", "clean", "found", "calls", "tokens", "usd", "unpriced")
TIMES = tuple(f"t{number:02}" for number in range(BUCKETS))
EDGES = tuple(2 ** (number / 2 + 1) for number in range(BUCKETS - 1))  # seconds: 2, 2.8, 4, ... 4096

Scope = tuple[int, ...] | None  # installations; None: all


@dataclass(frozen=True, slots=True)
class DaySum:
    """The reviews of one day, or of one repository over many days. `times` counts them by how long they took."""

    reviews: int
    clean: int
    found: int
    calls: int
    tokens: int
    usd: float
    unpriced: int
    times: tuple[int, ...]
    day: int = 0  # days since 1970, UTC
    repository: int = 0
    name: str = ""
    last: float = 0.0  # seconds since 1970

    def within(self, share: float) -> float | None:
        """The seconds within which this share of the reviews was done, as closely as the buckets tell; None: there were none."""
        return within(self.times, share)


def within(times: Sequence[int], share: float) -> float | None:
    """The same of bare counts: a line is drawn through the bucket that the share falls into."""
    whole = sum(times)
    if not whole:
        return None
    wanted_count = share * whole
    for number, (count, before) in enumerate(zip(times, (0, *itertools.accumulate(times)), strict=False)):
        if count and before + count >= wanted_count:
            low = EDGES[number - 1] if number else 0.0
            high = EDGES[number] if number < len(EDGES) else 2 * low
            return low + (high - low) * (wanted_count - before) / count
    return None


def one(row: Mapping[str, Any]) -> tuple[dict[str, int], dict[str, float]]:
    """The key of the day that a review belongs to, and what it adds to its sums."""
    sums = {
        "reviews": 1,
        "clean": int(row["state"] == "clean"),
        "found": row["found"] or 0,
        "calls": row["calls"],
        "tokens": row["tokens"],
        "usd": row["usd"] or 0.0,
        "unpriced": int(row["usd"] is None),
    }
    sums |= dict.fromkeys(TIMES, 0) | {TIMES[bisect.bisect_right(EDGES, row["finished"] - row["started"])]: 1}
    key = {name: row[name] for name in ("installation", "repository")} | {"day": int(row["finished"]) // DAY}
    return key, sums


def count(row: Mapping[str, Any], connection: sa.Connection) -> None:
    """Add one review, given as its row, to the sums of its day."""
    key, sums = one(row)
    query = insert(day, connection).values(**key, **sums, name=row["name"], last=row["finished"])
    new_values = {name: day.c[name] + query.excluded[name] for name in sums}
    new_values |= {name: query.excluded[name] for name in ("name", "last")}
    connection.execute(query.on_conflict_do_update(index_elements=list(key), set_=new_values))


class Days(StoragePart):
    """The sums, for those who may see these installations."""

    async def by_day(self, scope: Scope, since: int, repository: int | None = None) -> tuple[DaySum, ...]:
        """A sum for each day from `since` (days since 1970) on which there were reviews, oldest first."""
        fits = _fits(scope, since)
        if repository is not None:
            fits &= day.c.repository == repository
        query = sa.select(day.c.day, *_sums()).where(fits).group_by(day.c.day).order_by(day.c.day)
        rows = await self.database.look(lambda connection: connection.execute(query).mappings().all())
        return tuple(_read(row, day=row["day"]) for row in rows)

    async def by_repository(self, scope: Scope, since: int) -> tuple[DaySum, ...]:
        """A sum for each repository, the dearest first."""
        more = sa.func.max(day.c.name).label("name"), sa.func.max(day.c.last).label("last")
        query = sa.select(day.c.repository, *more, *_sums()).where(_fits(scope, since)).group_by(day.c.repository)
        sum_rows = await self.database.look(lambda connection: connection.execute(query).mappings().all())
        rows = [_read(row, repository=row["repository"], name=row["name"], last=row["last"]) for row in sum_rows]
        return tuple(sorted(rows, key=lambda row: (-row.usd, -row.reviews, row.name)))


def _sums() -> list[sa.Label[Any]]:
    return [sa.func.sum(day.c[name]).label(name) for name in (*SUMS, *TIMES)]


def _fits(scope: Scope, since: int) -> sa.ColumnElement[bool]:
    fits = day.c.day >= since
    return fits if scope is None else fits & day.c.installation.in_(scope)


def _read(row: sa.RowMapping, **more: Any) -> DaySum:  # noqa: ANN401 - the other fields
    sums: dict[str, Any] = {name: float(row[name]) if name == "usd" else int(row[name]) for name in SUMS}
    return DaySum(**sums, times=tuple(int(row[name]) for name in TIMES), **more)
