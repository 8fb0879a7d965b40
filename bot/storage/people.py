"""What people said: findings they do not want to hear again, pull requests that pause, how a finding was received."""

from dataclasses import asdict, dataclass
from typing import Literal

import sqlalchemy as sa

from bot.storage.database import Database, upsert
from bot.storage.tables import command, feedback, owned, paused, suppression
from bot.values import PullRef

HOUR = 3600.0
Feedback = Literal["reaction", "resolved", "reply", "withdrawn", "ignored"]


@dataclass(frozen=True, slots=True)
class Suppression:
    """A finding that is not to be reported again, in one pull request or (`wide`) in the whole repository."""

    fingerprint: str
    who: str
    reason: str
    made: float  # seconds since 1970
    until: float | None = None  # None: for good
    wide: bool = False


@dataclass(frozen=True, slots=True)
class People:
    """What people asked for and said, by pull request."""

    database: Database

    async def suppress(self, pull: PullRef, asked: Suppression) -> None:
        """Remember it; the newest word on a finding counts."""
        row = {**owned(pull), **asdict(asked), "scope": _scope(pull, wide=asked.wide)}
        row.pop("wide")
        row.pop("pull")
        await self.database.run(lambda connection: upsert(suppression, row, connection))

    async def allow(self, pull: PullRef, fingerprint: str) -> bool:
        """Take it back, for the pull request and the repository; False where there was nothing."""
        fits = suppression.c.scope.in_((_scope(pull, wide=False), _scope(pull, wide=True)))
        gone = sa.delete(suppression).where(fits, suppression.c.fingerprint == fingerprint)
        return await self.database.run(lambda connection: connection.execute(gone).rowcount > 0)

    async def suppressions(self, pull: PullRef, now: float) -> tuple[Suppression, ...]:
        """What is not to be reported in this pull request now."""
        table = suppression.c
        fits = table.scope.in_((_scope(pull, wide=False), _scope(pull, wide=True)))
        wanted = (
            sa.select(suppression).where(fits, sa.or_(table.until.is_(None), table.until > now)).order_by(table.made)
        )
        found = await self.database.run(lambda connection: connection.execute(wanted).all())
        wide = _scope(pull, wide=True)
        return tuple(
            Suppression(row.fingerprint, row.who, row.reason, row.made, row.until, row.scope == wide) for row in found
        )

    async def pause(self, pull: PullRef, who: str, now: float) -> None:
        """No reviews of this pull request but those that a person asks for."""
        row = {**owned(pull), "who": who, "since": now}
        await self.database.run(lambda connection: upsert(paused, row, connection))

    async def resume(self, pull: PullRef) -> bool:
        """Reviews again; False where it was not paused."""
        gone = sa.delete(paused).where(paused.c.pull == pull.key)
        return await self.database.run(lambda connection: connection.execute(gone).rowcount > 0)

    async def paused(self, pull: PullRef) -> bool:
        """Whether this pull request pauses."""
        wanted = sa.select(paused.c.pull).where(paused.c.pull == pull.key)
        return await self.database.run(lambda connection: connection.execute(wanted).first() is not None)

    async def tell(self, pull: PullRef, fingerprint: str, who: str, kind: Feedback, value: str, now: float) -> None:
        """Note how somebody received a finding."""
        row = {**owned(pull), "fingerprint": fingerprint, "who": who, "kind": kind, "value": value, "given": now}
        await self.database.run(lambda connection: upsert(feedback, row, connection))

    async def commanded(self, pull: PullRef, comment: int, kind: str, who: str, now: float) -> tuple[float, ...]:
        """Note a command; when its giver gave others in this repository in the last hour. The same comment counts once."""
        row = {**owned(pull), "comment": comment, "kind": kind, "who": who}
        table = command.c
        same = (table.comment == comment) & (table.kind == kind)
        others = (table.repository == pull.repository) & (table.who == who) & (table.given > now - HOUR) & sa.not_(same)

        def do(connection: sa.Connection) -> tuple[float, ...]:
            if connection.execute(sa.select(table.comment).where(same)).first() is None:
                upsert(command, {**row, "given": now}, connection)
            return tuple(connection.execute(sa.select(table.given).where(others)).scalars())

        return await self.database.run(do)

    async def told(self, pull: PullRef) -> tuple[tuple[str, str, str, str], ...]:
        """How the findings of a pull request were received: fingerprint, who, kind, value; oldest first."""
        table = feedback.c
        wanted = sa.select(table.fingerprint, table.who, table.kind, table.value).where(table.pull == pull.key)
        found = await self.database.run(lambda connection: connection.execute(wanted.order_by(table.given)).all())
        return tuple((row[0], row[1], row[2], row[3]) for row in found)


def _scope(pull: PullRef, *, wide: bool) -> str:
    return str(pull.repository) if wide else pull.key
