"""The operator's pages: links that were used and sessions that were ended."""

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from bot.storage.database import StoragePart
from bot.storage.tables import spent


class Sessions(StoragePart):
    """What is over before its time."""

    async def end(self, name: str, until: float) -> bool:
        """Remember that one is over; False if that is known already."""

        def do(connection: sa.Connection) -> bool:
            try:
                with connection.begin_nested():
                    connection.execute(sa.insert(spent).values(id=name, until=until))
            except IntegrityError:
                return False
            return True

        return await self.database.run(do)

    async def is_over(self, name: str) -> bool:
        """Return whether one is over."""
        return bool(await self.rows(sa.select(spent.c.id).where(spent.c.id == name)))
