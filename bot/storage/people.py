"""What people decided and taught: dismissed findings, learnings, paused pull requests, commands, and failed jobs.

The proposals of rules that 0.2.0 stored have no effect.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import sqlalchemy as sa

from bot.storage.database import (
    Scope,
    StoragePart,
    command,
    failure,
    feedback,
    finding,
    owner_columns,
    pause,
    rule,
    suppression,
    upsert,
    within,
)
from bot.values import CommentRef, Dismissal, LearnedRule, OwnerRule, PullRef
from bot.values.daily import DAY, HOUR

MAX_RULES = 200  # learnings and rules per repository, not counting removed ones


class Rules(StoragePart):
    """The learnings and rules of all repositories. A number is never reused."""

    async def remember(self, pull: PullRef, learning: OwnerRule, who: str, link: str, now: float) -> OwnerRule | None:
        """Store a learning and return it with its number, or None if the repository has too many.

        If it was stored before, and maybe removed since, it keeps its number.
        """
        text = "\0".join(filter(None, (learning.path, "sentence", learning.symbol, learning.text)))
        mark = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:20]
        ours = rule.c.repository == pull.repository
        same = ours & (rule.c.mark == mark)
        taught = {"state": "confirmed", "who": who, "link": link, "made": now, "decider": who, "decided": now}

        def do(connection: sa.Connection) -> OwnerRule | None:
            _lock(pull.repository, connection)
            known_state = connection.execute(sa.select(rule.c.state).where(same)).scalar()
            if known_state is not None and known_state != "confirmed":
                connection.execute(sa.update(rule).where(same).values(**taught))
            elif known_state is None:
                count_query = sa.select(sa.func.count()).where(ours & (rule.c.state == "confirmed"))
                if connection.execute(count_query).scalar_one() >= MAX_RULES:
                    return None
                last = connection.execute(sa.select(sa.func.max(rule.c.number)).where(ours)).scalar_one()
                row = {"number": (last or 0) + 1, "mark": mark, "how": "remember", "grave": False} | taught
                row |= {name: getattr(learning, name) for name in ("path", "kind", "symbol", "text")}
                connection.execute(sa.insert(rule).values(**owner_columns(pull), **row))
            return _rule_of(connection.execute(sa.select(rule).where(same)).mappings().one()).rule

        return await self.database.run(do)

    async def of(self, repository: int, scope: Scope = None) -> tuple[LearnedRule, ...]:
        """Return what applies in a repository, by number, or only what a scope's installations taught."""
        condition = (rule.c.repository == repository) & (rule.c.state == "confirmed") & within(scope, rule)
        rows = await self.rows(sa.select(rule).where(condition).order_by(rule.c.number))
        return tuple(_rule_of(row._mapping) for row in rows)  # noqa: SLF001 - the library's public name for it

    async def in_force(self, repository: int) -> tuple[OwnerRule, ...]:
        """Return what applies in a repository, as rules."""
        return tuple(one.rule for one in await self.of(repository))

    async def remove(self, repository: int, number: int, who: str, now: float) -> LearnedRule | None:
        """Remove a learning or rule, and return it. Return None if there is none with this number."""
        this = (rule.c.repository == repository) & (rule.c.number == number) & (rule.c.state != "proposed")

        def do(connection: sa.Connection) -> LearnedRule | None:
            row = connection.execute(sa.select(rule).where(this)).mappings().first()
            decision = {"state": "removed", "decider": who, "decided": now}
            connection.execute(sa.update(rule).where(this & (rule.c.state != "removed")).values(**decision))
            return _rule_of(row) if row is not None else None

        return await self.database.run(do)


def count(repository: int, counts: Mapping[int, int], now: float, connection: sa.Connection) -> None:
    """Add to each rule's count of silenced findings. `counts` is by rule number."""
    for number, times in sorted(counts.items()):
        this = (rule.c.repository == repository) & (rule.c.number == number)
        connection.execute(sa.update(rule).where(this).values(silenced=rule.c.silenced + times, last=now))


def _lock(repository: int, connection: sa.Connection) -> None:
    """Lock a repository's rules until the end of the transaction. SQLite only allows one writer anyway."""
    if connection.dialect.name == "postgresql":
        key = sa.func.hashtextextended(f"rules of {repository}", 0)
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(key)))


def _rule_of(row: sa.RowMapping) -> LearnedRule:
    owner_rule = OwnerRule(
        row["path"], row["kind"], row["text"], row["number"], learned=True, grave=row["grave"], symbol=row["symbol"]
    )
    names = [name for name in LearnedRule.__dataclass_fields__ if name != "rule"]
    return LearnedRule(owner_rule, **{name: row[name] for name in names})


MAX_REASON_CHARS = 1000


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed job. A later failure of the same review or command replaces it."""

    id: str
    pull: PullRef
    what: str  # "review", or a command
    why: str
    ask: str  # the job, as bot.workflow.jobs.records writes it
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
        return tuple(map(_failure_of, await self.rows(query)))

    async def count(self, scope: Scope) -> int:
        """Return these installations' number of failures."""
        (row,) = await self.rows(sa.select(sa.func.count()).select_from(failure).where(within(scope, failure)))
        return int(row[0])

    async def one(self, name: str, scope: Scope) -> Failure | None:
        """Return a failure by ID, or None if it doesn't exist in this scope."""
        rows = await self.rows(sa.select(failure).where(within(scope, failure), failure.c.id == name))
        return _failure_of(rows[0]) if rows else None


def _failure_of(row: "sa.Row[Any]") -> Failure:
    owner, _, name = row.name.partition("/")
    pull = PullRef(row.installation, row.repository, owner, name, row.number)
    return Failure(row.id, pull, row.what, row.why, row.ask, row.failed)


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
