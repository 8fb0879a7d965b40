"""Which sign-in links of the operator's pages were used, and which sessions have ended."""

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from bot.storage.database import StoragePart, spent


class Sessions(StoragePart):
    """Used links and ended sessions, until they would have expired."""

    async def end(self, name: str, until: float) -> bool:
        """Record that a link was used or that a session has ended. Return False if it was recorded before.

        `until`: when it would expire, in seconds since 1970.
        """

        def do(connection: sa.Connection) -> bool:
            try:
                with connection.begin_nested():
                    connection.execute(sa.insert(spent).values(id=name, until=until))
            except IntegrityError:
                return False
            return True

        return await self.database.run(do)

    async def is_over(self, name: str) -> bool:
        """Return whether a session has ended."""
        return bool(await self.rows(sa.select(spent.c.id).where(spent.c.id == name)))
