"""Whose turn it is: each free place goes to the installation whose last review began longest ago.

The library gives places to installations in random order. Then some wait several times longer than others beside them. It asks
one method of its own which partitions of a queue wait; `fair` replaces that method on the library's database object.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

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

    def next(self, connection: sa.Connection, jobs: sa.Table) -> Iterable[str]:
        """The installations that may have a place now, first to last."""
        free = self.places - taken(connection, jobs, self.queue, self.executor)
        return (row.key for row in connection.execute(_next(jobs, self).limit(max(0, free))))


Order = Callable[[sa.Connection, sa.Table], Iterable[str]]  # the partitions of a queue that may have a place now


def fair(library: DBOS, orders: Mapping[str, Order]) -> None:
    """Make the library give the places of these queues away in our orders.

    Raises StorageError if the library asks another way: places would be given away at random, and nobody would notice.
    """
    database = library._sys_db  # noqa: SLF001 - the library offers no order of its queues
    before = getattr(database, METHOD, None)
    if before is None:
        raise StorageError(f"the library of the jobs has no {METHOD}: install the version that the lock file names")

    def partitions(queue: str) -> list[str]:
        if queue not in orders:
            found: list[str] = before(queue)
            return found
        with database.engine.begin() as connection:
            return _Line(orders[queue](connection, database.tables.workflow_status))

    setattr(database, METHOD, partitions)


class _Line(list[str]):
    """An order that stays as it is: the library shuffles the list that it gets."""

    def __setitem__(self, place: object, value: object) -> None:
        """Leave the place to whom it belongs."""


def taken(connection: sa.Connection, job: sa.Table, queue: str, executor: str) -> int:
    """How many places of this process are taken. The library counts a job only once its event loop has begun it."""
    mine = (
        job.c.queue_name == queue,
        job.c.status == sa.literal_column("'PENDING'"),
        job.c.executor_id == executor,
    )
    return int(connection.execute(sa.select(sa.func.count()).select_from(job).where(*mine)).scalar_one())


def _next(job: sa.Table, turns: TurnTaking) -> sa.Select[tuple[str]]:
    """The installations in the order of their turns.

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
