"""Jobs that came to nothing: what was asked for, and the sentence that says why nothing came of it."""

from dataclasses import asdict, dataclass
from typing import Any

import sqlalchemy as sa

from bot.storage.database import StoragePart
from bot.storage.tables import Scope, failure, owner_columns, within
from bot.values import PullRef

MAX_SENTENCE_CHARS = 1000  # characters of a sentence


@dataclass(frozen=True, slots=True)
class Failure:
    """One of them. A later failure of the same review, or of the same command, takes its place."""

    id: str
    pull: PullRef
    what: str  # "review", or the word of a command
    why: str
    ask: str  # as bot.workflow.jobs.asks writes it
    failed: float  # seconds since 1970


class Failures(StoragePart):
    """Those that nobody has tried again."""

    async def record(self, one: Failure) -> None:
        """Remember one."""
        row = owner_columns(one.pull) | {"name": f"{one.pull.owner}/{one.pull.name}", "number": one.pull.number}
        await self.put(failure, {**asdict(one), **row, "why": one.why[:MAX_SENTENCE_CHARS]})

    async def clear(self, name: str) -> bool:
        """Forget one: it was tried again, or is done after all. False where there was none."""
        return await self.change(sa.delete(failure).where(failure.c.id == name)) > 0

    async def newest(self, scope: Scope, most: int) -> tuple[Failure, ...]:
        """Return the newest ones of these installations."""
        query = (
            sa.select(failure).where(within(scope, failure)).order_by(failure.c.failed.desc(), failure.c.id).limit(most)
        )
        return tuple(map(_read, await self.rows(query)))

    async def count(self, scope: Scope) -> int:
        """Return how many there are."""
        (row,) = await self.rows(sa.select(sa.func.count()).select_from(failure).where(within(scope, failure)))
        return int(row[0])

    async def one(self, name: str, scope: Scope) -> Failure | None:
        """Return one by its id; None if this scope does not contain it."""
        rows = await self.rows(sa.select(failure).where(within(scope, failure), failure.c.id == name))
        return _read(rows[0]) if rows else None


def _read(row: "sa.Row[Any]") -> Failure:
    owner, _, name = row.name.partition("/")
    pull = PullRef(row.installation, row.repository, owner, name, row.number)
    return Failure(row.id, pull, row.what, row.why, row.ask, row.failed)
