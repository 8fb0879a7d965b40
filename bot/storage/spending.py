"""What reviews spend in a day: reserved before the first paid call, settled at the end with what was really paid.

A reservation counts in full until it is settled. So no order of pushes, and no number of workers, gets more out of a day than
its caps; and what a killed process may have spent counts until the job that continues with its journal settles it.
"""

import math
import secrets
from dataclasses import dataclass
from typing import Literal

import sqlalchemy as sa

from bot.storage.database import Database, upsert
from bot.storage.tables import spending
from bot.values import PullRef

DAY = 86400.0
LEAST = 0.1  # of what a review wants: with less it would break off before it has read anything
LOCK = 4_307_113  # of PostgreSQL: reservations are made one after the other, over all processes

Which = Literal["forks", "repository", "installation", "server"]


@dataclass(frozen=True, slots=True)
class Caps:
    """The caps of 24 hours; None: there is none. `forks` counts reviews, the others dollars."""

    repository: float | None = None
    installation: float | None = None
    server: float | None = None
    forks: int | None = None  # None: this review is not one of those that nobody has asked for


@dataclass(frozen=True, slots=True)
class Grant:
    """What a review may spend. `holder` names this reservation: only who has it settles it."""

    journal: str
    holder: str
    usd: float


@dataclass(frozen=True, slots=True)
class Exhausted:
    """A cap of the day is reached."""

    which: Which
    cap: float


@dataclass(frozen=True, slots=True)
class Spending:
    """The reservations of the last days, one for each journal: who continues with a journal pays nothing in it twice."""

    database: Database

    async def reserve(self, pull: PullRef, journal: str, usd: float, caps: Caps, now: float) -> Grant | Exhausted:
        """Set aside what a review may spend: less than it wants, if the day leaves no more.

        The same journal again takes the place of its earlier reservation.
        """

        def do(connection: sa.Connection) -> Grant | Exhausted:
            if connection.dialect.name == "postgresql":
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(LOCK)))
            exhausted, granted = _weighed(pull, journal, usd, caps, now, connection)
            if exhausted is not None:
                return exhausted
            row = {"journal": journal, "installation": pull.installation, "repository": pull.repository}
            holder = secrets.token_hex(8)
            row |= {"holder": holder, "fork": caps.forks is not None, "begun": now, "usd": granted}
            upsert(spending, row, connection)
            return Grant(journal, holder, granted)

        return await self.database.run(do)

    async def settle(self, grant: Grant, usd: float | None, *, calls: int) -> None:
        """Count what was paid in the place of what was reserved; without a call the reservation is given back.

        Calls of a free model cost nothing, but they count as a review. None: nobody knows what was paid, so the reservation counts in full. One that another job has taken over stays as it is.
        """
        ours = (spending.c.journal == grant.journal) & (spending.c.holder == grant.holder)
        if usd is None:
            return
        change = sa.update(spending).where(ours).values(usd=usd) if calls else sa.delete(spending).where(ours)
        await self.database.run(lambda connection: connection.execute(change))

    async def spent(self, now: float, *, repository: int | None = None) -> tuple[int, float]:
        """How many journals were paid for in the last day, and the dollars; reservations in full."""
        fits = spending.c.begun > now - DAY
        if repository is not None:
            fits &= spending.c.repository == repository
        wanted = sa.select(spending.c.usd).where(fits)
        found = await self.database.run(lambda connection: list(connection.execute(wanted).scalars()))
        return len(found), math.fsum(found)


def _weighed(
    pull: PullRef, journal: str, usd: float, caps: Caps, now: float, connection: sa.Connection
) -> tuple[Exhausted | None, float]:
    """The cap that is reached, or what can be granted."""
    table = spending.c
    today = (table.begun > now - DAY) & (table.journal != journal)
    if caps.forks is not None:
        unasked = today & table.fork & (table.repository == pull.repository)
        count = connection.execute(sa.select(sa.func.count()).select_from(spending).where(unasked)).scalar_one()
        if count >= caps.forks:
            return Exhausted("forks", caps.forks), 0.0
    granted = usd
    whose: tuple[tuple[Which, float | None, sa.ColumnElement[bool]], ...] = (
        ("repository", caps.repository, table.repository == pull.repository),
        ("installation", caps.installation, table.installation == pull.installation),
        ("server", caps.server, sa.true()),
    )
    for which, cap, fits in whose:
        if cap is None:
            continue
        used = connection.execute(sa.select(sa.func.coalesce(sa.func.sum(table.usd), 0.0)).where(today & fits))
        granted = min(granted, cap - float(used.scalar_one()))
        if granted <= 0 or granted < usd * LEAST:
            return Exhausted(which, cap), 0.0
    return None, granted
