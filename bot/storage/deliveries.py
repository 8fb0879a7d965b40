"""Deliveries of GitHub that were seen, and what became of them; and who installed the App."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import sqlalchemy as sa

from bot.storage.database import Database, upsert
from bot.storage.tables import delivery, installation


@dataclass(frozen=True, slots=True)
class Delivered:
    """One delivery. `received` in seconds since 1970; ids are 0 where it names none."""

    guid: str
    event: str
    action: str
    outcome: str
    received: float
    installation: int = 0
    repository: int = 0


@dataclass(frozen=True, slots=True)
class Deliveries:
    """What GitHub told us."""

    database: Database

    async def record(self, seen: Sequence[Delivered]) -> None:
        """Note deliveries with their outcomes; a copy of one changes its outcome."""

        def do(connection: sa.Connection) -> None:
            for one in seen:
                upsert(delivery, asdict(one), connection)

        await self.database.run(do)

    async def seen(self, guid: str) -> str | None:
        """What became of a delivery, None where it is new."""
        wanted = sa.select(delivery.c.outcome).where(delivery.c.guid == guid)
        return await self.database.run(lambda connection: connection.execute(wanted).scalar_one_or_none())

    async def counts(self) -> dict[tuple[str, str], int]:
        """How many deliveries are known, by event and outcome."""
        pair = delivery.c.event, delivery.c.outcome
        wanted = sa.select(*pair, sa.func.count()).group_by(*pair)
        found = await self.database.run(lambda connection: connection.execute(wanted).all())
        return {(row[0], row[1]): row[2] for row in found}

    async def installed(self, owner: int, account: str, facts: Mapping[str, Any], seen: float) -> None:
        """Note an installation of the App with what is known of it."""
        row = {"id": owner, "account": account, "facts": json.dumps(dict(facts)), "seen": seen}
        await self.database.run(lambda connection: upsert(installation, row, connection))

    async def installations(self) -> dict[int, str]:
        """Who has installed the App: the accounts by id."""
        wanted = sa.select(installation.c.id, installation.c.account)
        found = await self.database.run(lambda connection: connection.execute(wanted).all())
        return {row[0]: row[1] for row in found}
