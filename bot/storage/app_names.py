"""Under which name the App writes, as GitHub said it last: a server that starts while GitHub is away knows when it is called."""

import sqlalchemy as sa

from bot.storage.database import StoragePart
from bot.storage.tables import app_name


class AppNames(StoragePart):
    """The login and the number of each App, by the address of GitHub's API and the id in the settings."""

    async def keep(self, api: str, app: str, login: str, number: int) -> None:
        """Remember it in the place of an earlier one: an App can be renamed."""
        await self.put(app_name, {"api": api, "app": app, "login": login, "number": number})

    async def name_of(self, api: str, app: str) -> tuple[str, int] | None:
        """Return the login and the number, None if GitHub has not been asked yet."""
        wanted = sa.select(app_name.c.login, app_name.c.number).where(app_name.c.api == api, app_name.c.app == app)
        row = await self.database.look(lambda connection: connection.execute(wanted).first())
        return None if row is None else (row.login, row.number)
