"""Whose turn it is, in the queues whose places installations get one after the other.

Each free place goes to the installation whose last job began longest ago. An installation's turn counts from its last start, or from
when it began to wait if that is later: an installation that returns after a pause joins the back of the queue.
"""

from dataclasses import dataclass
from typing import Protocol

import sqlalchemy as sa

from bot.jobs.tables import RUNNING, VERSION, WAITING, job


class Order(Protocol):
    """The order in which the jobs of one queue are started. `places`: of each process."""

    @property
    def queue(self) -> str:
        """The name of the queue."""

    @property
    def places(self) -> int:
        """How many of its jobs a process carries out at the same time."""

    def next(self, connection: sa.Connection, now: float, free: int) -> str | None:
        """Return the job that is started next, with so many places free here. None: none may start now."""


@dataclass(frozen=True, slots=True)
class RoundRobin:
    """Installations have their turns; each has so many places at most, over all processes."""

    queue: str
    places: int
    per_installation: int

    def next(self, connection: sa.Connection, now: float, free: int) -> str | None:  # noqa: ARG002 - of the protocol
        """Return the first job of the installation whose turn it is: by priority, then the oldest."""
        here = {"queue": self.queue, "now": now}
        installation = connection.execute(_TURN, here | {"most": self.per_installation}).scalar()
        if installation is None:
            return None
        return str(connection.execute(_FIRST, here | {"installation": installation}).scalar_one())


@dataclass(frozen=True, slots=True)
class Outlook:
    """What waits in one queue. `ready`: how many jobs are due; `next_due`: when the next one is that is put off."""

    ready: int
    next_due: float | None


def outlooks(connection: sa.Connection, now: float) -> dict[str, Outlook]:
    """Return what waits, by queue; a queue in which nothing waits is left out."""
    return {queue: Outlook(int(ready), due) for queue, ready, due in connection.execute(_WAITING, {"now": now})}


def taken_places(connection: sa.Connection, executor: str) -> dict[str, int]:
    """Count the places of a process that are taken, by queue."""
    return {queue: int(count) for queue, count in connection.execute(_TAKEN, {"executor": executor})}


def startable() -> tuple[sa.ColumnElement[bool], ...]:
    """The condition of waiting jobs of `:queue` that are due at `:now`, and whose predecessor with the same serial value has ended."""
    other, queue = job.alias("other"), sa.bindparam("queue", type_=sa.Text)
    busy = sa.exists().where(other.c.serial == job.c.serial, other.c.queue == job.c.queue, other.c.state == RUNNING)
    due = job.c.due_at <= sa.bindparam("now", type_=sa.Double)
    return job.c.queue == queue, job.c.state == WAITING, due, job.c.version == VERSION, ~busy


def _installations() -> sa.Select[int]:
    """The installations that may have a place in `:queue` at `:now`, first to last; each has `:most` at most."""
    queue = sa.bindparam("queue", type_=sa.Text)
    waiting = (
        sa.select(job.c.installation, sa.func.min(job.c.due_at).label("since"))
        .where(*startable())
        .group_by(job.c.installation)
        .cte("waiting")
    )
    running = (
        sa.select(job.c.installation, sa.func.count().label("count"))
        .where(job.c.queue == queue, job.c.state == RUNNING)
        .group_by(job.c.installation)
        .cte("running")
    )
    earliest = sa.select(sa.func.min(waiting.c.since)).scalar_subquery()
    last_starts = (
        sa.select(job.c.installation, sa.func.max(job.c.started_at).label("last"))
        .where(job.c.queue == queue, job.c.started_at > earliest)
        .group_by(job.c.installation)
        .cte("started")
    )
    turn = sa.case((last_starts.c.last > waiting.c.since, last_starts.c.last), else_=waiting.c.since)
    return (
        sa.select(waiting.c.installation)
        .outerjoin(running, running.c.installation == waiting.c.installation)
        .outerjoin(last_starts, last_starts.c.installation == waiting.c.installation)
        .where(sa.func.coalesce(running.c.count, 0) < sa.bindparam("most", type_=sa.Integer))
        .order_by(turn, waiting.c.installation)
    )


# Built once: the dispatcher asks them for every delivery, and building one takes longer than its answer.
_TURN = _installations().limit(1)
_FIRST = (
    sa.select(job.c.id)
    .where(*startable(), job.c.installation == sa.bindparam("installation", type_=sa.BigInteger))
    .order_by(job.c.priority, job.c.created_at, job.c.id)
    .limit(1)
)
_LATER = job.c.due_at > sa.bindparam("now", type_=sa.Double)
_WAITING = (
    sa.select(job.c.queue, sa.func.sum(sa.case((_LATER, 0), else_=1)), sa.func.min(sa.case((_LATER, job.c.due_at))))
    .where(job.c.state == WAITING, job.c.version == VERSION)
    .group_by(job.c.queue)
)
_TAKEN = (
    sa.select(job.c.queue, sa.func.count())
    .where(job.c.state == RUNNING, job.c.executor == sa.bindparam("executor", type_=sa.Text))
    .group_by(job.c.queue)
)
