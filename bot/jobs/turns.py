"""Whose turn it is: each free place goes to the installation whose last review began longest ago.

The library gives places to installations in random order. Then some wait several times longer than others beside them. It asks
one method of its own which installations wait; `fair` replaces that method on the library's database object.
"""

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from dbos import DBOS

from bot.errors import StorageError
from bot.jobs.rows import VERSION

METHOD = "get_queue_partitions"


@dataclass(frozen=True, slots=True)
class TurnTaking:
    """The order of one queue. `each`: reviews of an installation at the same time; `places`: of this process, `executor`."""

    queue: str
    each: int
    places: int
    executor: str


def fair(library: DBOS, turns: TurnTaking) -> None:
    """Make the library give the places of one queue away in turns.

    Raises StorageError if the library asks another way: places would be given away at random, and nobody would notice.
    """
    database = library._sys_db  # noqa: SLF001 - the library offers no order of its queues
    before = getattr(database, METHOD, None)
    if before is None:
        raise StorageError(f"the library of the jobs has no {METHOD}: install the version that the lock file names")

    def partitions(queue: str) -> list[str]:
        if queue != turns.queue:
            found: list[str] = before(queue)
            return found
        with database.engine.begin() as connection:
            jobs = database.tables.workflow_status
            free = turns.places - int(connection.execute(_taken(jobs, turns)).scalar_one())
            return _Line(row.key for row in connection.execute(_next(jobs, turns).limit(max(0, free))))

    setattr(database, METHOD, partitions)


class _Line(list[str]):
    """An order that stays as it is: the library shuffles the list that it gets."""

    def __setitem__(self, place: object, value: object) -> None:
        """Leave the place to whom it belongs."""


def _taken(job: sa.Table, turns: TurnTaking) -> sa.Select[Any]:
    """How many places of this process are taken. The library counts a review only once its event loop has begun it."""
    mine = (
        job.c.queue_name == turns.queue,
        job.c.status == sa.literal_column("'PENDING'"),
        job.c.executor_id == turns.executor,
    )
    return sa.select(sa.func.count()).select_from(job).where(*mine)


def _next(job: sa.Table, turns: TurnTaking) -> sa.Select[tuple[str]]:
    """The installations that may have a place now, first to last.

    An installation's turn is counted from its last start, or from when it began to wait if that is later: who comes back after a
    while goes to the end of the line, as who was just served does.
    """
    ours = job.c.queue_name == turns.queue
    active = job.c.status.in_([sa.literal_column("'ENQUEUED'"), sa.literal_column("'PENDING'")])  # as the index says it
    key = job.c.queue_partition_key
    waiting = (
        sa.select(key.label("key"), sa.func.min(job.c.created_at).label("since"))
        .where(ours, active, key.is_not(None), job.c.status == "ENQUEUED", job.c.application_version == VERSION)
        .group_by(key)
        .cte("waiting")
    )
    running = (
        sa.select(key.label("key"), sa.func.count().label("count"))
        .where(ours, active, key.is_not(None), job.c.status == "PENDING")
        .group_by(key)
        .cte("running")
    )
    oldest = sa.select(sa.func.min(waiting.c.since)).scalar_subquery()
    served = (
        sa.select(key.label("key"), sa.func.max(job.c.started_at_epoch_ms).label("last"))
        .where(ours, job.c.started_at_epoch_ms > oldest)
        .group_by(key)
        .cte("served")
    )
    turn = sa.case((served.c.last > waiting.c.since, served.c.last), else_=waiting.c.since)
    return (
        sa.select(waiting.c.key)
        .outerjoin(running, running.c.key == waiting.c.key)
        .outerjoin(served, served.c.key == waiting.c.key)
        .where(sa.func.coalesce(running.c.count, 0) < turns.each)
        .order_by(turn, waiting.c.key)
    )
