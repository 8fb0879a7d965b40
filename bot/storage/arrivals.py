"""What people have sent in the last hour: counted by installation and person, before any request to GitHub."""

import time
from dataclasses import dataclass
from typing import Literal

import sqlalchemy as sa

from bot.storage.database import StoragePart
from bot.storage.tables import arrival
from bot.values import PullRef

HOUR, DAY = 3600.0, 86400.0
Kind = Literal["comment", "change"]
MEMBER = "member"  # the kind of a person's row that says when they were last seen to belong to the repository


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """What has come in the hour before: of this person, and of all strangers of the installation. `is_known`: counted before."""

    own: int
    strangers: int
    stranger: bool
    is_known: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How much of one kind is taken on in an hour: of one person, of one stranger, and of all strangers of an installation."""

    person: int
    stranger: int
    strangers: int

    def full(self, traffic: Traffic) -> bool:
        """Whether no more is taken on of this person."""
        if not traffic.stranger:
            return traffic.own >= self.person
        return traffic.own >= self.stranger or traffic.strangers >= self.strangers


class Arrivals(StoragePart):
    """Deliveries that a person has caused. What is not taken on is not stored, so their number is bounded."""

    async def count(
        self, delivery: str, pull: PullRef, who: str, kind: Kind, bounds: Bounds, now: float, *, stranger: bool
    ) -> Traffic:
        """What came before this one, which counts from now on unless the bounds are reached. A copy of a delivery counts once.

        `stranger`: nothing in the delivery says that the person belongs to the repository. A comment tells of its writer, so a person
        who was seen to belong by one does not count as a stranger for a day, nor does one who was seen to have write permission. A change tells
        of the pull request's author alone: it makes nobody known.
        """
        table = arrival.c
        here = (table.installation == pull.installation) & (table.kind == kind) & (table.given > now - HOUR)
        member = (table.id == _member_id(pull, who)) & (table.given > now - DAY)
        row = {"id": delivery, "installation": pull.installation, "repository": pull.repository, "who": who}

        conditions = ((member,), (table.id == delivery,), (here, table.who == who), (here, table.stranger))
        counts = sa.select(
            *(sa.select(sa.func.count()).select_from(arrival).where(*fits).scalar_subquery() for fits in conditions)
        )

        def do(connection: sa.Connection) -> Traffic:
            members, copies, own, strangers = connection.execute(counts).one()
            foreign, is_known = stranger and not members, copies > 0
            traffic = Traffic(own=own, strangers=strangers, stranger=foreign, is_known=is_known)
            if not is_known and not bounds.full(traffic):
                values = row | {"kind": kind, "stranger": foreign, "given": now}
                connection.execute(sa.insert(arrival).values(**values))
                if kind == "comment" and not stranger:
                    _note_member(connection, pull, who, now)
            return traffic

        return await self.database.run(do)

    async def writes(self, pull: PullRef, who: str) -> None:
        """Note that GitHub names this person among those who may write: for a day they do not count as a stranger."""
        own = (arrival.c.installation == pull.installation) & (arrival.c.who == who) & arrival.c.stranger
        now = time.time()

        def do(connection: sa.Connection) -> None:
            connection.execute(sa.update(arrival).where(own).values(stranger=False))
            _note_member(connection, pull, who, now)

        await self.database.run(do)


def _member_id(pull: PullRef, who: str) -> str:
    return f"{MEMBER} {pull.installation} {who}"  # no delivery's id has a blank


def _note_member(connection: sa.Connection, pull: PullRef, who: str, now: float) -> None:
    """Write down when the person was last seen to belong to the repository: one row, which counts as nothing sent."""
    mark = _member_id(pull, who)
    connection.execute(sa.delete(arrival).where(arrival.c.id == mark))
    row = {"id": mark, "installation": pull.installation, "repository": pull.repository, "who": who}
    connection.execute(sa.insert(arrival).values(**row, kind=MEMBER, stranger=False, given=now))
