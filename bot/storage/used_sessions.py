"""What may be used once: links that sign somebody in, and sessions that were ended before their time."""

import sqlalchemy as sa

from bot.storage.database import StoragePart
from bot.storage.dialect import insert
from bot.storage.tables import used_session


class UsedSessions(StoragePart):
    """Their ids, until they would have ended by themselves."""

    async def use(self, name: str, until: float) -> bool:
        """Use it up. False where it was used before."""

        def do(connection: sa.Connection) -> bool:
            query = insert(used_session, connection).values(id=name, until=until).on_conflict_do_nothing()
            return connection.execute(query).rowcount > 0

        return await self.database.run(do)

    async def has(self, name: str) -> bool:
        """Whether it was used up."""
        query = sa.select(used_session.c.id).where(used_session.c.id == name)
        return await self.database.look(lambda connection: connection.execute(query).first() is not None)
