"""Whose turn it is: each free place goes to the installation whose last job began longest ago.

An installation's turn counts from its last start, or from when it began to wait if that is later: an installation that returns after
a pause joins the back of the queue.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from bot.jobs.tables import RUNNING, VERSION, WAITING, job


@dataclass(frozen=True, slots=True)
class Limits:
    """How many jobs of one queue run at the same time: in one process, and of one installation over all processes."""

    places: int
    per_installation: int


def taken(queue: str, executor: str) -> sa.Select[Any]:
    """How many places of a process are taken in a queue."""
    return sa.select(sa.func.count()).where(job.c.queue == queue, job.c.state == RUNNING, job.c.executor == executor)


def installations(queue: str, per_installation: int, now: float) -> sa.Select[int]:
    """The installations that may have a place now, first to last."""
    waiting = (
        sa.select(job.c.installation, sa.func.min(job.c.due_at).label("since"))
        .where(*_startable(queue, now))
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
    started = (
        sa.select(job.c.installation, sa.func.max(job.c.started_at).label("last"))
        .where(job.c.queue == queue, job.c.started_at > earliest)
        .group_by(job.c.installation)
        .cte("started")
    )
    turn = sa.case((started.c.last > waiting.c.since, started.c.last), else_=waiting.c.since)
    return (
        sa.select(waiting.c.installation)
        .outerjoin(running, running.c.installation == waiting.c.installation)
        .outerjoin(started, started.c.installation == waiting.c.installation)
        .where(sa.func.coalesce(running.c.count, 0) < per_installation)
        .order_by(turn, waiting.c.installation)
    )


def first(queue: str, installation: int, now: float) -> sa.Select[str]:
    """The job of an installation that goes first: by priority, then the oldest."""
    return (
        sa.select(job.c.id)
        .where(*_startable(queue, now), job.c.installation == installation)
        .order_by(job.c.priority, job.c.created_at, job.c.id)
        .limit(1)
    )


def next_due(queues: Sequence[str], now: float) -> sa.Select[Any]:
    """When the next job that is put off becomes due."""
    return sa.select(sa.func.min(job.c.due_at)).where(
        job.c.state == WAITING, job.c.queue.in_(queues), job.c.due_at > now, job.c.version == VERSION
    )


def _startable(queue: str, now: float) -> tuple[sa.ColumnElement[bool], ...]:
    """Waiting jobs that are due, and whose predecessor with the same serial value has ended."""
    other = job.alias("other")
    busy = sa.exists().where(other.c.serial == job.c.serial, other.c.queue == job.c.queue, other.c.state == RUNNING)
    return job.c.queue == queue, job.c.state == WAITING, job.c.due_at <= now, job.c.version == VERSION, ~busy
