"""Check runs that were begun and not ended: nobody else would end them where a process dies and a newer push takes its place."""

import sqlalchemy as sa

from bot.storage.database import StoragePart
from bot.storage.tables import check, owner_columns
from bot.values import PullRef


class OpenChecks(StoragePart):
    """The check runs in progress, by the job that began each."""

    async def add(self, pull: PullRef, number: int, run: str, now: float) -> None:
        """Remember one."""
        await self.put(check, {**owner_columns(pull), "run": run, "number": number, "begun": now})

    async def remove(self, run: str) -> None:
        """It is ended."""
        await self.change(sa.delete(check).where(check.c.run == run))

    async def of(self, pull: PullRef) -> tuple[tuple[str, int], ...]:
        """Those of a pull request: job and GitHub's number."""
        query = sa.select(check.c.run, check.c.number).where(check.c.pull == pull.key).order_by(check.c.begun)
        return tuple((row.run, row.number) for row in await self.rows(query))
