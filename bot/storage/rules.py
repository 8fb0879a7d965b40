"""What people taught: learnings, and the rules that 0.2.0 learned. Its proposals have no effect."""

import hashlib
from collections.abc import Mapping

import sqlalchemy as sa

from bot.storage.database import StoragePart
from bot.storage.tables import Scope, owner_columns, rule, within
from bot.values import LearnedRule, OwnerRule, PullRef

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
            return _read(connection.execute(sa.select(rule).where(same)).mappings().one()).rule

        return await self.database.run(do)

    async def of(self, repository: int, scope: Scope = None) -> tuple[LearnedRule, ...]:
        """Return what applies in a repository, by number.

        With a scope, return only what its installations taught.
        """
        condition = (rule.c.repository == repository) & (rule.c.state == "confirmed") & within(scope, rule)
        rows = await self.rows(sa.select(rule).where(condition).order_by(rule.c.number))
        return tuple(_read(row._mapping) for row in rows)  # noqa: SLF001 - the library's public name for it

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
            return _read(row) if row is not None else None

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


def _read(row: sa.RowMapping) -> LearnedRule:
    owner_rule = OwnerRule(
        row["path"], row["kind"], row["text"], row["number"], learned=True, grave=row["grave"], symbol=row["symbol"]
    )
    names = [name for name in LearnedRule.__dataclass_fields__ if name != "rule"]
    return LearnedRule(owner_rule, **{name: row[name] for name in names})
