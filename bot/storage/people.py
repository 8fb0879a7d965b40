"""What people asked for: dismissed findings, paused pull requests, and reactions to findings."""

import sqlalchemy as sa

from bot.storage.database import StoragePart, upsert
from bot.storage.tables import command, feedback, finding, owner_columns, pause, suppression
from bot.values import CommentRef, Dismissal, PullRef
from bot.values.daily import DAY, HOUR

REMARK = "remark-"  # prefix of the kinds of remarks, as opposed to commands


class People(StoragePart):
    """What people asked for and said, by pull request."""

    async def dismiss(self, pull: PullRef, dismissal: Dismissal, now: float) -> None:
        """Store a dismissal; the newest counts. It stays even if the code changes. Can be repeated."""
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
        """Return the dismissals in this pull request: silenced findings, then those rejected in replies."""
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
        """Return the identities of all findings that somebody dismissed in any way."""
        rows = await self.rows(sa.select(feedback.c.fingerprint).where(feedback.c.pull == pull.key))
        return frozenset(finding.fingerprint for finding in rows)

    async def pause(self, pull: PullRef, who: str, now: float) -> None:
        """Stop reviews of this pull request, except those that a person requests."""
        await self.put(pause, {**owner_columns(pull), "who": who, "since": now})

    async def resume(self, pull: PullRef) -> bool:
        """Resume reviews; return False if they were not paused."""
        return await self.change(sa.delete(pause).where(pause.c.pull == pull.key)) > 0

    async def is_paused(self, pull: PullRef) -> bool:
        """Return whether this pull request is paused."""
        return bool(await self.rows(sa.select(pause.c.pull).where(pause.c.pull == pull.key)))

    async def note(
        self, pull: PullRef, comment: CommentRef, who: str, now: float, *, writes: bool = False, is_remark: bool = False
    ) -> tuple[float, ...]:
        """Record a command or remark, and return when its author gave others in the last day.

        The same comment counts once. Commands count for the whole repository, remarks for this pull request.
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
        """Return when other people without write access gave commands or remarks in the last hour.

        They count for the whole installation.
        """
        of = command.c
        recent = (of.installation == pull.installation) & (of.given > now - HOUR)
        rows = await self.rows(sa.select(of.given).where(recent & sa.not_(of.writes) & (of.who != who)))
        return tuple(row[0] for row in rows)

    async def is_writer(self, pull: PullRef, who: str, since: float) -> bool:
        """Return whether a person with write access commented in this repository since then."""
        of = command.c
        fits = (of.repository == pull.repository) & (of.who == who) & (of.given >= since) & of.writes
        return bool(await self.rows(sa.select(of.comment).where(fits).limit(1)))
