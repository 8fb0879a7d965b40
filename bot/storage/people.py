"""What people said: findings they do not want to hear again, pull requests that pause, how a finding was received."""

from dataclasses import asdict, dataclass, fields
from typing import Literal

import sqlalchemy as sa

from bot.storage.database import StoragePart, upsert
from bot.storage.tables import command, feedback, finding, owner_columns, pause, suppression
from bot.values import CommentRef, PullRef

HOUR = 3600.0
Feedback = Literal["reaction", "resolved", "reply", "ignored", "withdrawn"]
REMARK = "remark-"  # how the kinds of remarks begin, beside those of commands


@dataclass(frozen=True, slots=True)
class Suppression:
    """A finding that is not to be reported again in a pull request."""

    fingerprint: str
    who: str
    reason: str
    made: float  # seconds since 1970
    withdrawn: bool = False  # taken back by us in a conversation with `who`


class People(StoragePart):
    """What people asked for and said, by pull request."""

    async def suppress(self, pull: PullRef, one: Suppression) -> None:
        """Remember it; the newest word on a finding counts."""
        await self.put(suppression, owner_columns(pull) | asdict(one))

    async def withdraw(self, pull: PullRef, fingerprint: str, who: str, reason: str, now: float) -> None:
        """Take a finding of this pull request back, after what somebody said. Done again, it changes nothing else."""
        row = {"fingerprint": fingerprint, "who": who, "kind": "withdrawn", "value": reason, "given": now}
        own = (finding.c.pull == pull.key) & (finding.c.fingerprint == fingerprint)
        silenced = Suppression(fingerprint, who, reason, now, withdrawn=True)

        def do(connection: sa.Connection) -> None:
            upsert(suppression, owner_columns(pull) | asdict(silenced), connection)
            upsert(feedback, owner_columns(pull) | row, connection)
            connection.execute(sa.update(finding).where(own).values(state="silenced"))

        await self.database.run(do)

    async def suppressions(self, pull: PullRef) -> tuple[Suppression, ...]:
        """What is not to be reported in this pull request."""
        columns = (suppression.c[one.name] for one in fields(Suppression))
        query = sa.select(*columns).where(suppression.c.pull == pull.key).order_by(suppression.c.made)
        return tuple(Suppression(*row) for row in await self.rows(query))

    async def pause(self, pull: PullRef, who: str, now: float) -> None:
        """No reviews of this pull request but those that a person asks for."""
        await self.put(pause, {**owner_columns(pull), "who": who, "since": now})

    async def resume(self, pull: PullRef) -> bool:
        """Reviews again; False where it was not paused."""
        return await self.change(sa.delete(pause).where(pause.c.pull == pull.key)) > 0

    async def is_paused(self, pull: PullRef) -> bool:
        """Whether this pull request pauses."""
        return bool(await self.rows(sa.select(pause.c.pull).where(pause.c.pull == pull.key)))

    async def tell(self, pull: PullRef, fingerprint: str, who: str, kind: Feedback, value: str, now: float) -> None:
        """Note how somebody received a finding."""
        row = {"fingerprint": fingerprint, "who": who, "kind": kind, "value": value, "given": now}
        await self.put(feedback, owner_columns(pull) | row)

    async def note(
        self, pull: PullRef, comment: CommentRef, who: str, now: float, *, writes: bool = False, is_remark: bool = False
    ) -> tuple[float, ...]:
        """Note a command, or a remark; when its writer gave others in the last hour. The same comment counts once.

        Commands count in the whole repository, remarks in this pull request.
        """
        kind = f"{REMARK}{comment.kind}" if is_remark else comment.kind
        row = {"comment": comment.id, "kind": kind, "who": who, "given": now, "writes": writes}
        is_alike = command.c.kind.startswith(REMARK)
        alike = is_alike & (command.c.pull == pull.key) if is_remark else sa.not_(is_alike)
        of = command.c
        same = (of.comment == row["comment"]) & (of.kind == row["kind"])
        recent = (of.repository == pull.repository) & (of.who == who) & (of.given > now - HOUR)

        def do(connection: sa.Connection) -> tuple[float, ...]:
            if connection.execute(sa.select(of.comment).where(same)).first() is None:
                connection.execute(sa.insert(command).values(**owner_columns(pull), **row))
            others = sa.select(of.given).where(recent & alike & sa.not_(same))
            return tuple(connection.execute(others).scalars())

        return await self.database.run(do)

    async def reactions(self, pull: PullRef) -> tuple[tuple[str, str, str, str], ...]:
        """How the findings of a pull request were received: fingerprint, who, kind, value; oldest first."""
        of = feedback.c
        query = sa.select(of.fingerprint, of.who, of.kind, of.value).where(of.pull == pull.key).order_by(of.given)
        return tuple((row[0], row[1], row[2], row[3]) for row in await self.rows(query))

    async def is_writer(self, pull: PullRef, who: str, since: float) -> bool:
        """Whether a person has spoken in this repository since then of whom GitHub said that they may write to it."""
        of = command.c
        fits = (of.repository == pull.repository) & (of.who == who) & (of.given >= since) & of.writes
        return bool(await self.rows(sa.select(of.comment).where(fits).limit(1)))
