"""Whose turn it is, in the queues whose places installations get one after the other.

Each free place goes to the installation whose last job began longest ago. An installation's turn counts from its last start, or from
when it began to wait if that is later: an installation that returns after a pause joins the back of the queue.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

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
        turn = _installations(self.queue, self.per_installation, now).limit(1)
        installation = connection.execute(turn).scalar()
        if installation is None:
            return None
        mine = (*startable(self.queue, now), job.c.installation == installation)
        query = sa.select(job.c.id).where(*mine).order_by(job.c.priority, job.c.created_at, job.c.id).limit(1)
        return str(connection.execute(query).scalar_one())


def taken_places(queue: str, executor: str) -> sa.Select[Any]:
    """Count the places of a process that are taken in a queue."""
    mine = job.c.queue == queue, job.c.state == RUNNING, job.c.executor == executor
    return sa.select(sa.func.count()).select_from(job).where(*mine)


def next_due(queues: Sequence[str], now: float) -> sa.Select[Any]:
    """When the next job that is put off becomes due."""
    later = job.c.state == WAITING, job.c.queue.in_(queues), job.c.due_at > now, job.c.version == VERSION
    return sa.select(sa.func.min(job.c.due_at)).where(*later)


def startable(queue: str, now: float) -> tuple[sa.ColumnElement[bool], ...]:
    """The condition of waiting jobs that are due, and whose predecessor with the same serial value has ended."""
    other = job.alias("other")
    busy = sa.exists().where(other.c.serial == job.c.serial, other.c.queue == job.c.queue, other.c.state == RUNNING)
    return job.c.queue == queue, job.c.state == WAITING, job.c.due_at <= now, job.c.version == VERSION, ~busy


def _installations(queue: str, per_installation: int, now: float) -> sa.Select[int]:
    """The installations that may have a place now, first to last."""
    waiting = (
        sa.select(job.c.installation, sa.func.min(job.c.due_at).label("since"))
        .where(*startable(queue, now))
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
        .where(sa.func.coalesce(running.c.count, 0) < per_installation)
        .order_by(turn, waiting.c.installation)
    )
