"""Check runs that were begun and not ended: nobody else would end them where a process dies and a newer push takes its place."""

import sqlalchemy as sa

from bot.storage.database import StoragePart
from bot.storage.tables import check, owned
from bot.values import PullRef


class OpenChecks(StoragePart):
    """The check runs in progress, by the job that began each."""

    async def begun(self, pull: PullRef, number: int, run: str, now: float) -> None:
        """Remember one."""
        row = {**owned(pull), "run": run, "number": number, "begun": now}
        await self.put(check, row)

    async def ended(self, run: str) -> None:
        """It is ended."""
        gone = sa.delete(check).where(check.c.run == run)
        await self.database.run(lambda connection: connection.execute(gone))

    async def of(self, pull: PullRef) -> tuple[tuple[str, int], ...]:
        """Those of a pull request: job and GitHub's number."""
        wanted = sa.select(check.c.run, check.c.number).where(check.c.pull == pull.key).order_by(check.c.begun)
        found = await self.database.run(lambda connection: connection.execute(wanted).all())
        return tuple((row.run, row.number) for row in found)
