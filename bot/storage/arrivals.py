"""What people have sent in the last hour: counted by installation and person, before any request to GitHub."""

from dataclasses import dataclass
from typing import Literal

import sqlalchemy as sa

from bot.storage.database import StoragePart
from bot.storage.tables import arrival
from bot.values import PullRef

HOUR, DAY = 3600.0, 86400.0
Kind = Literal["comment", "change"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """What has come in the hour before: of this person, and of all strangers of the installation. `is_known`: counted before."""

    own: int
    strangers: int
    stranger: bool
    is_known: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How much of one kind is taken on in an hour: of one person, of one stranger, and of all strangers of an installation."""

    person: int
    stranger: int
    strangers: int

    def full(self, traffic: Traffic) -> bool:
        """Whether no more is taken on of this person."""
        if not traffic.stranger:
            return traffic.own >= self.person
        return traffic.own >= self.stranger or traffic.strangers >= self.strangers


class Arrivals(StoragePart):
    """Deliveries that a person has caused. What is not taken on is not stored, so their number is bounded."""

    async def count(
        self, delivery: str, pull: PullRef, who: str, kind: Kind, bounds: Bounds, now: float, *, stranger: bool
    ) -> Traffic:
        """What came before this one, which counts from now on unless the bounds are reached. A copy of a delivery counts once.

        `stranger`: nothing in the delivery says that the person belongs to the repository. People who were seen to have write permission do not count as strangers.
        """
        table = arrival.c
        here = (table.installation == pull.installation) & (table.kind == kind) & (table.given > now - HOUR)
        own_rows = (table.installation == pull.installation) & (table.who == who) & sa.not_(table.stranger)
        row = {"id": delivery, "installation": pull.installation, "repository": pull.repository, "who": who}

        def do(connection: sa.Connection) -> Traffic:
            def number(*fits: sa.ColumnElement[bool]) -> int:
                return int(
                    connection.execute(sa.select(sa.func.count()).select_from(arrival).where(*fits)).scalar_one()
                )

            foreign = stranger and not number(own_rows, table.given > now - DAY)
            is_known = number(table.id == delivery) > 0
            traffic = Traffic(
                own=number(here, table.who == who),
                strangers=number(here, table.stranger),
                stranger=foreign,
                is_known=is_known,
            )
            if not is_known and not bounds.full(traffic):
                values = row | {"kind": kind, "stranger": foreign, "given": now}
                connection.execute(sa.insert(arrival).values(**values))
            return traffic

        return await self.database.run(do)

    async def writes(self, pull: PullRef, who: str) -> None:
        """Note that GitHub names this person among those who may write: for a day they do not count as a stranger."""
        own = (arrival.c.installation == pull.installation) & (arrival.c.who == who) & arrival.c.stranger
        change = sa.update(arrival).where(own).values(stranger=False)
        await self.database.run(lambda connection: connection.execute(change))
