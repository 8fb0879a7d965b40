"""What people said: findings they do not want to hear again, pull requests that pause, how a finding was received."""

from dataclasses import asdict, dataclass
from typing import Literal

import sqlalchemy as sa

from bot.storage.database import StoragePart, upsert
from bot.storage.tables import command, feedback, finding, owner_columns, pause, suppression
from bot.values import PullRef

HOUR = 3600.0
Feedback = Literal["reaction", "resolved", "reply", "ignored", "withdrawn"]
REMARK = "remark-"  # how the kinds of remarks begin, beside those of commands


@dataclass(frozen=True, slots=True)
class Suppression:
    """A finding that is not to be reported again, in one pull request or (`wide`) in the whole repository."""

    fingerprint: str
    who: str
    reason: str
    made: float  # seconds since 1970
    until: float | None = None  # None: for good
    wide: bool = False
    withdrawn: bool = False  # taken back by us in a conversation with `who`


class People(StoragePart):
    """What people asked for and said, by pull request."""

    async def suppress(self, pull: PullRef, suppression: Suppression) -> None:
        """Remember it; the newest word on a finding counts."""
        await self.database.run(lambda connection: _silence(pull, suppression, connection))

    async def withdraw(self, pull: PullRef, fingerprint: str, who: str, reason: str, now: float) -> None:
        """Take a finding of this pull request back, after what somebody said. Done again, it changes nothing else."""
        row = {"fingerprint": fingerprint, "who": who, "kind": "withdrawn", "value": reason, "given": now}
        own = (finding.c.pull == pull.key) & (finding.c.fingerprint == fingerprint)

        def do(connection: sa.Connection) -> None:
            _silence(pull, Suppression(fingerprint, who, reason, now), connection)
            upsert(feedback, owner_columns(pull) | row, connection)
            connection.execute(sa.update(finding).where(own).values(state="withdrawn"))

        await self.database.run(do)

    async def suppressions(self, pull: PullRef, now: float) -> tuple[Suppression, ...]:
        """What is not to be reported in this pull request now."""
        table = suppression.c
        fits = table.scope.in_((_scope(pull, wide=False), _scope(pull, wide=True)))
        feedback_columns = feedback.c
        same = (
            (feedback_columns.fingerprint == table.fingerprint)
            & (feedback_columns.who == table.who)
            & (feedback_columns.given == table.made)
        )
        taken_back = (
            sa.exists()
            .where(same, feedback_columns.pull == pull.key, feedback_columns.kind == "withdrawn")
            .label("taken_back")
        )
        holds = sa.or_(table.until.is_(None), table.until > now)
        query = sa.select(suppression, taken_back).where(fits, holds).order_by(table.made)
        rows = await self.database.run(lambda connection: connection.execute(query).all())
        wide = _scope(pull, wide=True)
        return tuple(
            Suppression(
                one.fingerprint, one.who, one.reason, one.made, one.until, one.scope == wide, bool(one.taken_back)
            )
            for one in rows
        )

    async def pause(self, pull: PullRef, who: str, now: float) -> None:
        """No reviews of this pull request but those that a person asks for."""
        row = {**owner_columns(pull), "who": who, "since": now}
        await self.put(pause, row)

    async def resume(self, pull: PullRef) -> bool:
        """Reviews again; False where it was not paused."""
        deletion = sa.delete(pause).where(pause.c.pull == pull.key)
        return await self.database.run(lambda connection: connection.execute(deletion).rowcount > 0)

    async def is_paused(self, pull: PullRef) -> bool:
        """Whether this pull request pauses."""
        query = sa.select(pause.c.pull).where(pause.c.pull == pull.key)
        return await self.database.run(lambda connection: connection.execute(query).first() is not None)

    async def tell(self, pull: PullRef, fingerprint: str, who: str, kind: Feedback, value: str, now: float) -> None:
        """Note how somebody received a finding."""
        row = {
            **owner_columns(pull),
            "fingerprint": fingerprint,
            "who": who,
            "kind": kind,
            "value": value,
            "given": now,
        }
        await self.put(feedback, row)

    async def note_command(self, pull: PullRef, comment: int, kind: str, who: str, now: float) -> tuple[float, ...]:
        """Note a command; when its giver gave others in this repository in the last hour. The same comment counts once."""
        return await self._note(pull, comment, kind, who, now, sa.not_(command.c.kind.startswith(REMARK)))

    async def spoke(self, pull: PullRef, comment: int, kind: str, who: str, now: float) -> tuple[float, ...]:
        """Note a remark; when its writer made others in this pull request in the last hour. The same comment counts once."""
        alike = command.c.kind.startswith(REMARK) & (command.c.pull == pull.key)
        return await self._note(pull, comment, f"{REMARK}{kind}", who, now, alike)

    async def _note(
        self, pull: PullRef, comment: int, kind: str, who: str, now: float, alike: sa.ColumnElement[bool]
    ) -> tuple[float, ...]:
        row = {**owner_columns(pull), "comment": comment, "kind": kind, "who": who, "given": now}
        table = command.c
        same = (table.comment == comment) & (table.kind == kind)
        recent = (table.repository == pull.repository) & (table.who == who) & (table.given > now - HOUR)

        def do(connection: sa.Connection) -> tuple[float, ...]:
            if connection.execute(sa.select(table.comment).where(same)).first() is None:
                upsert(command, row, connection)
            others = sa.select(table.given).where(recent & alike & sa.not_(same))
            return tuple(connection.execute(others).scalars())

        return await self.database.run(do)

    async def reactions(self, pull: PullRef) -> tuple[tuple[str, str, str, str], ...]:
        """How the findings of a pull request were received: fingerprint, who, kind, value; oldest first."""
        table = feedback.c
        query = sa.select(table.fingerprint, table.who, table.kind, table.value).where(table.pull == pull.key)
        rows = await self.database.run(lambda connection: connection.execute(query.order_by(table.given)).all())
        return tuple((row[0], row[1], row[2], row[3]) for row in rows)


def _silence(pull: PullRef, wanted_suppression: Suppression, connection: sa.Connection) -> None:
    row = {**owner_columns(pull), **asdict(wanted_suppression), "scope": _scope(pull, wide=wanted_suppression.wide)}
    upsert(suppression, {column.name: row[column.name] for column in suppression.c}, connection)


def _scope(pull: PullRef, *, wide: bool) -> str:
    return str(pull.repository) if wide else pull.key
