"""What people said: findings they do not want to hear again, pull requests that pause, how a finding was received."""

import sqlalchemy as sa

from bot.storage.database import StoragePart, upsert
from bot.storage.tables import command, feedback, finding, owner_columns, pause, suppression
from bot.values import CommentRef, Dismissal, PullRef
from bot.values.daily import DAY, HOUR

REMARK = "remark-"  # how the kinds of remarks begin, beside those of commands


class People(StoragePart):
    """What people asked for and said, by pull request."""

    async def dismiss(self, pull: PullRef, dismissal: Dismissal, now: float) -> None:
        """Store what was said of a finding: the newest word counts. The rejection stands, whatever becomes of the code. May be done again."""
        said = {
            "fingerprint": dismissal.identity,
            "who": dismissal.who,
            "kind": dismissal.how,
            "value": dismissal.reason,
            "given": now,
        }
        silenced = {"fingerprint": dismissal.mark, "who": dismissal.who, "reason": dismissal.reason, "made": now}
        silenced["withdrawn"] = dismissal.how == "withdrawn"
        of = finding.c
        ours = (of.pull == pull.key) & (of.fingerprint == dismissal.identity) & (of.outcome != "rejected")

        def do(connection: sa.Connection) -> None:
            if dismissal.is_silent:
                upsert(suppression, owner_columns(pull) | silenced, connection)
            upsert(feedback, owner_columns(pull) | said, connection)
            connection.execute(sa.update(finding).where(ours).values(outcome="rejected", at=now))

        await self.database.run(do)

    async def dismissals(self, pull: PullRef) -> tuple[Dismissal, ...]:
        """Return what was said of the findings of this pull request: those that are silenced, then those that were rejected in replies."""
        of, said = suppression.c, feedback.c
        silenced = sa.select(of.fingerprint, of.reason, of.withdrawn, of.who).where(of.pull == pull.key)
        replies = sa.select(said.fingerprint, said.value, said.who).where(said.pull == pull.key, said.kind == "reply")
        silent = [
            Dismissal(mark, reason, "withdrawn" if withdrawn else "ignored", who)
            for mark, reason, withdrawn, who in await self.rows(silenced.order_by(of.made))
        ]
        marks = {dismissal.identity for dismissal in silent}
        rejected = {
            row[0]: Dismissal(row[0], row[1], "reply", row[2]) for row in await self.rows(replies.order_by(said.given))
        }
        return (*silent, *(one for mark, one in rejected.items() if mark not in marks))

    async def dismissed(self, pull: PullRef) -> frozenset[str]:
        """Return the identities of all findings of which somebody has said that they are not wanted, in whatever way."""
        rows = await self.rows(sa.select(feedback.c.fingerprint).where(feedback.c.pull == pull.key))
        return frozenset(finding.fingerprint for finding in rows)

    async def pause(self, pull: PullRef, who: str, now: float) -> None:
        """Stop reviews of this pull request but those that a person asks for."""
        await self.put(pause, {**owner_columns(pull), "who": who, "since": now})

    async def resume(self, pull: PullRef) -> bool:
        """Let reviews start again; False where it was not paused."""
        return await self.change(sa.delete(pause).where(pause.c.pull == pull.key)) > 0

    async def is_paused(self, pull: PullRef) -> bool:
        """Return whether this pull request pauses."""
        return bool(await self.rows(sa.select(pause.c.pull).where(pause.c.pull == pull.key)))

    async def note(
        self, pull: PullRef, comment: CommentRef, who: str, now: float, *, writes: bool = False, is_remark: bool = False
    ) -> tuple[float, ...]:
        """Note a command, or a remark, and return when its writer gave others in the last day. The same comment counts once.

        Commands count in the whole repository, remarks in this pull request.
        """
        kind = f"{REMARK}{comment.kind}" if is_remark else comment.kind
        record = {"comment": comment.id, "kind": kind, "who": who, "given": now, "writes": writes}
        is_alike = command.c.kind.startswith(REMARK)
        alike = is_alike & (command.c.pull == pull.key) if is_remark else sa.not_(is_alike)
        of = command.c
        same = (of.comment == record["comment"]) & (of.kind == record["kind"])
        recent = (of.repository == pull.repository) & (of.who == who) & (of.given > now - DAY)

        def do(connection: sa.Connection) -> tuple[float, ...]:
            if connection.execute(sa.select(of.comment).where(same)).first() is None:
                connection.execute(sa.insert(command).values(**owner_columns(pull), **record))
            others = sa.select(of.given).where(recent & alike & sa.not_(same))
            return tuple(connection.execute(others).scalars())

        return await self.database.run(do)

    async def outsiders(self, pull: PullRef, who: str, now: float) -> tuple[float, ...]:
        """Return when others without write permission gave commands or made remarks in the last hour, in the whole installation."""
        of = command.c
        recent = (of.installation == pull.installation) & (of.given > now - HOUR)
        rows = await self.rows(sa.select(of.given).where(recent & sa.not_(of.writes) & (of.who != who)))
        return tuple(row[0] for row in rows)

    async def is_writer(self, pull: PullRef, who: str, since: float) -> bool:
        """Return whether a person has spoken in this repository since then of whom GitHub said that they may write to it."""
        of = command.c
        fits = (of.repository == pull.repository) & (of.who == who) & (of.given >= since) & of.writes
        return bool(await self.rows(sa.select(of.comment).where(fits).limit(1)))
