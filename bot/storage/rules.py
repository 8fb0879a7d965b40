"""Rules that people taught.

A rejected finding proposes a rule, which applies once a maintainer confirms it.
"""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from bot.storage.database import StoragePart
from bot.storage.tables import Scope, owner_columns, rule, within
from bot.values import LearnedRule, OwnerRule, Proposal, PullRef, RuleState

MAX_RULES = 200  # rules and proposals per repository, not counting removed rules
MAX_WAITING = 10  # the newest proposals, whose reactions are checked by one job
ShownProposal = tuple[int, int, str]  # a proposal's number, and the comment that shows it with its kind


class Rules(StoragePart):
    """The learned rules of all repositories. A rule's number is never reused."""

    async def propose(self, pull: PullRef, proposal: Proposal, now: float) -> LearnedRule | None:
        """Store a proposal and return its rule, or None if the repository has too many rules.

        If there is already a rule for the same kind and path, in any state, that rule is returned. The
        exception is a proposal about more serious findings. If the earlier proposal has no reason, it gets
        this one's reason and author.
        """
        wanted_rule = proposal.rule
        mark, serious = (_mark(wanted_rule, word) for word in ("", "grave"))
        ours = rule.c.repository == pull.repository
        # A rule that was confirmed for less serious findings doesn't cover serious findings, which get a
        # separate rule.
        same = ours & ((rule.c.mark == serious) | ((rule.c.mark == mark) & rule.c.grave))
        if not proposal.grave:
            same = ours & (rule.c.mark == mark)

        def do(connection: sa.Connection) -> LearnedRule | None:
            _lock(pull.repository, connection)
            known_rule = connection.execute(sa.select(rule).where(same)).mappings().first()
            if known_rule is None:
                count_query = sa.select(sa.func.count()).select_from(rule).where(ours & (rule.c.state != "removed"))
                if connection.execute(count_query).scalar_one() >= MAX_RULES:
                    return None
                last = connection.execute(sa.select(sa.func.max(rule.c.number)).where(ours)).scalar_one()
                row = {"number": (last or 0) + 1, "mark": serious if proposal.grave else mark, "state": "proposed"}
                row |= {name: getattr(wanted_rule, name) for name in ("path", "kind", "symbol", "text")}
                row |= {name: getattr(proposal, name) for name in ("how", "who", "link", "grave")} | {"made": now}
                connection.execute(sa.insert(rule).values(**owner_columns(pull), **row))
            elif wanted_rule.text and not known_rule["text"] and known_rule["state"] == "proposed":
                reason = {"text": wanted_rule.text, "who": proposal.who, "link": proposal.link, "how": proposal.how}
                connection.execute(sa.update(rule).where(same).values(**reason))
            return _read(connection.execute(sa.select(rule).where(same)).mappings().one())

        return await self.database.run(do)

    async def propose_all(self, pull: PullRef, proposals: Iterable[Proposal], now: float) -> tuple[LearnedRule, ...]:
        """Store these proposals in order, and return their rules.

        Proposals above the limit are not stored.
        """
        learned = [await self.propose(pull, proposal, now) for proposal in proposals]
        return tuple(rule for rule in learned if rule is not None)

    async def of(self, repository: int, scope: Scope = None) -> tuple[LearnedRule, ...]:
        """Return a repository's confirmed rules and proposals, by number.

        With a scope, return only those from its installations.
        """
        condition = (rule.c.repository == repository) & (rule.c.state != "removed") & within(scope, rule)
        rows = await self.rows(sa.select(rule).where(condition).order_by(rule.c.number))
        return tuple(_read(row._mapping) for row in rows)  # noqa: SLF001 - the library's public name for it

    async def in_force(self, repository: int) -> tuple[OwnerRule, ...]:
        """Return a repository's confirmed rules."""
        return tuple(one.rule for one in await self.of(repository) if one.state == "confirmed")

    async def decide(
        self,
        repository: int,
        number: int,
        state: RuleState | None,
        who: str,
        now: float,
        *,
        path: str = "",
        text: str = "",
    ) -> LearnedRule | None:
        """Confirm or remove a rule, optionally change its `path` or `text`, and return it.

        Return None if there is no such rule. If `state` is None, the rule's state doesn't change. Repeating a
        decision changes nothing.
        """
        this = (rule.c.repository == repository) & (rule.c.number == number)

        def do(connection: sa.Connection) -> LearnedRule | None:
            _lock(repository, connection)
            known_rule = connection.execute(sa.select(rule).where(this)).mappings().first()
            if known_rule is None:
                return None
            place, symbol = _scope(path, known_rule)
            sentence = text if text and not known_rule["kind"] else known_rule["text"]
            before = (known_rule["state"], known_rule["path"], known_rule["symbol"], known_rule["text"])
            if before != (state or known_rule["state"], place, symbol, sentence):
                decision: dict[str, Any] = {"state": state, "decider": who, "decided": now} if state else {}
                decision |= {"path": place, "symbol": symbol, "text": sentence}
                connection.execute(sa.update(rule).where(this).values(**decision))
            return _read(connection.execute(sa.select(rule).where(this)).mappings().one())

        return await self.database.run(do)

    async def show(self, repository: int, number: int, comment: int, kind: str) -> None:
        """Store which comment shows a proposal, so that reactions to it count."""
        this = (rule.c.repository == repository) & (rule.c.number == number)
        await self.change(sa.update(rule).where(this).values(comment=comment, comment_kind=kind))

    async def waiting(self, repository: int) -> tuple[ShownProposal, ...]:
        """Return the newest proposals that are shown in a comment, so that people can react to them."""
        condition = (rule.c.repository == repository) & (rule.c.state == "proposed") & rule.c.comment.is_not(None)
        columns = rule.c.number, rule.c.comment, rule.c.comment_kind
        query = sa.select(*columns).where(condition).order_by(rule.c.number.desc()).limit(MAX_WAITING)
        return tuple((row[0], row[1], row[2]) for row in await self.rows(query))


def _scope(path: str, known_rule: sa.RowMapping) -> tuple[str, str]:
    """Return a rule's path and symbol after an edit of its path. A learning's path can be "path:symbol"."""
    if not path:
        return known_rule["path"], known_rule["symbol"]
    place, colon, symbol = path.rpartition(":")
    is_symbol = bool(colon and place) and symbol.replace(".", "_").isidentifier() and not known_rule["kind"]
    return (place, symbol) if is_symbol else (path, "")


def _mark(wanted_rule: OwnerRule, word: str) -> str:
    """Return a digest that identifies a rule. Rules with another `word` get another digest."""
    # A learning is identified by its path, symbol and text, and a rule by its kind and path.
    sentence = ("sentence", wanted_rule.symbol, wanted_rule.text) if wanted_rule.is_learning else ()
    text = "\0".join(filter(None, (wanted_rule.kind, wanted_rule.path, *sentence, word)))
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:20]


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
    names = [name for name in LearnedRule.__dataclass_fields__ if name not in ("rule", "shown")]
    return LearnedRule(owner_rule, **{name: row[name] for name in names}, shown=row["comment"] is not None)
