"""Failed jobs, with the reasons, so that operators can see and retry them."""

from dataclasses import asdict, dataclass
from typing import Any

import sqlalchemy as sa

from bot.storage.database import StoragePart
from bot.storage.tables import Scope, failure, owner_columns, within
from bot.values import PullRef

MAX_REASON_CHARS = 1000


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed job. A later failure of the same review or command replaces it."""

    id: str
    pull: PullRef
    what: str  # "review", or a command
    why: str
    ask: str  # the job, as bot.workflow.jobs.asks writes it
    failed: float  # seconds since 1970


class Failures(StoragePart):
    """Failed jobs that haven't been retried."""

    async def record(self, one: Failure) -> None:
        """Store a failure."""
        row = owner_columns(one.pull) | {"name": f"{one.pull.owner}/{one.pull.name}", "number": one.pull.number}
        await self.put(failure, {**asdict(one), **row, "why": one.why[:MAX_REASON_CHARS]})

    async def clear(self, name: str) -> bool:
        """Delete a failure, because the job was retried or has succeeded. Return False if there was none."""
        return await self.change(sa.delete(failure).where(failure.c.id == name)) > 0

    async def newest(self, scope: Scope, most: int) -> tuple[Failure, ...]:
        """Return these installations' newest failures, at most `most`."""
        query = (
            sa.select(failure).where(within(scope, failure)).order_by(failure.c.failed.desc(), failure.c.id).limit(most)
        )
        return tuple(map(_read, await self.rows(query)))

    async def count(self, scope: Scope) -> int:
        """Return these installations' number of failures."""
        (row,) = await self.rows(sa.select(sa.func.count()).select_from(failure).where(within(scope, failure)))
        return int(row[0])

    async def one(self, name: str, scope: Scope) -> Failure | None:
        """Return a failure by ID, or None if it doesn't exist in this scope."""
        rows = await self.rows(sa.select(failure).where(within(scope, failure), failure.c.id == name))
        return _read(rows[0]) if rows else None


def _read(row: "sa.Row[Any]") -> Failure:
    owner, _, name = row.name.partition("/")
    pull = PullRef(row.installation, row.repository, owner, name, row.number)
    return Failure(row.id, pull, row.what, row.why, row.ask, row.failed)
