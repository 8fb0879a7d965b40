"""The operator's pages: used links and ended sessions."""

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from bot.storage.database import StoragePart
from bot.storage.tables import spent


class Sessions(StoragePart):
    """Links and sessions that ended before they expired."""

    async def end(self, name: str, until: float) -> bool:
        """Record that one has ended; return False if that was recorded before."""

        def do(connection: sa.Connection) -> bool:
            try:
                with connection.begin_nested():
                    connection.execute(sa.insert(spent).values(id=name, until=until))
            except IntegrityError:
                return False
            return True

        return await self.database.run(do)

    async def is_over(self, name: str) -> bool:
        """Return whether one has ended."""
        return bool(await self.rows(sa.select(spent.c.id).where(spent.c.id == name)))
