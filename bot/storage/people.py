"""What people decided and commented: dismissed findings, paused pull requests, and commands."""

import sqlalchemy as sa

from bot.storage.database import StoragePart, upsert
from bot.storage.tables import command, feedback, finding, owner_columns, pause, suppression
from bot.values import CommentRef, Dismissal, PullRef
from bot.values.daily import DAY, HOUR

REMARK_PREFIX = "remark-"  # prefix of the kind of comments that aren't commands


class People(StoragePart):
    """People's decisions and comments, by pull request."""

    async def dismiss(self, pull: PullRef, dismissal: Dismissal, now: float) -> None:
        """Store a dismissal. It replaces an earlier one by the same person, and stays if the code changes."""
        feedback_row = {
            "fingerprint": dismissal.identity,
            "who": dismissal.who,
            "kind": dismissal.how,
            "value": dismissal.reason,
            "given": now,
        }
        suppression_row = {"fingerprint": dismissal.mark, "who": dismissal.who, "reason": dismissal.reason, "made": now}
        suppression_row["withdrawn"] = dismissal.how == "withdrawn"
        of = finding.c
        ours = (of.pull == pull.key) & (of.fingerprint == dismissal.identity) & (of.outcome != "rejected")

        def do(connection: sa.Connection) -> None:
            if dismissal.is_silent:
                upsert(suppression, owner_columns(pull) | suppression_row, connection)
            upsert(feedback, owner_columns(pull) | feedback_row, connection)
            connection.execute(sa.update(finding).where(ours).values(outcome="rejected", at=now))

        await self.database.run(do)

    async def dismissals(self, pull: PullRef) -> tuple[Dismissal, ...]:
        """Return a pull request's dismissals: first ignored or withdrawn findings, then rejected ones."""
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
        """Return the identities of all findings in a pull request that were dismissed in any way."""
        rows = await self.rows(sa.select(feedback.c.fingerprint).where(feedback.c.pull == pull.key))
        return frozenset(finding.fingerprint for finding in rows)

    async def pause(self, pull: PullRef, who: str, now: float) -> None:
        """Pause automatic reviews of a pull request. People can still request reviews."""
        await self.put(pause, {**owner_columns(pull), "who": who, "since": now})

    async def resume(self, pull: PullRef) -> bool:
        """Resume automatic reviews. Return False if they were not paused."""
        return await self.change(sa.delete(pause).where(pause.c.pull == pull.key)) > 0

    async def is_paused(self, pull: PullRef) -> bool:
        """Return whether automatic reviews of a pull request are paused."""
        return bool(await self.rows(sa.select(pause.c.pull).where(pause.c.pull == pull.key)))

    async def record_comment(
        self, pull: PullRef, comment: CommentRef, who: str, now: float, *, writes: bool = False, is_remark: bool = False
    ) -> tuple[float, ...]:
        """Record a comment that deeprepo answers.

        Return the times of its author's other comments of that type.
        `writes`: the author has write access. `is_remark`: the comment is not a command. The times are those
        of the last 24 hours, for commands in the whole repository and for remarks in this pull request.
        Recording the same comment again changes nothing.
        """
        kind = f"{REMARK_PREFIX}{comment.kind}" if is_remark else comment.kind
        record = {"comment": comment.id, "kind": kind, "who": who, "given": now, "writes": writes}
        is_remark_kind = command.c.kind.startswith(REMARK_PREFIX)
        same_type = is_remark_kind & (command.c.pull == pull.key) if is_remark else sa.not_(is_remark_kind)
        of = command.c
        same = (of.comment == record["comment"]) & (of.kind == record["kind"])
        recent = (of.repository == pull.repository) & (of.who == who) & (of.given > now - DAY)

        def do(connection: sa.Connection) -> tuple[float, ...]:
            if connection.execute(sa.select(of.comment).where(same)).first() is None:
                connection.execute(sa.insert(command).values(**owner_columns(pull), **record))
            others = sa.select(of.given).where(recent & same_type & sa.not_(same))
            return tuple(connection.execute(others).scalars())

        return await self.database.run(do)

    async def outsider_comments(self, pull: PullRef, who: str, now: float) -> tuple[float, ...]:
        """Return the times of comments that people without write access made in the last hour, except `who`.

        The comments are those that deeprepo answers, in the whole installation.
        """
        of = command.c
        recent = (of.installation == pull.installation) & (of.given > now - HOUR)
        rows = await self.rows(sa.select(of.given).where(recent & sa.not_(of.writes) & (of.who != who)))
        return tuple(row[0] for row in rows)

    async def is_writer(self, pull: PullRef, who: str, since: float) -> bool:
        """Return whether a person was recorded as having write access to the repository since then."""
        of = command.c
        condition = (of.repository == pull.repository) & (of.who == who) & (of.given >= since) & of.writes
        return bool(await self.rows(sa.select(of.comment).where(condition).limit(1)))
