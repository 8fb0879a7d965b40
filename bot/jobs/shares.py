"""Who has the places for commands: installations share them, and the people of an installation share its part.

A question to a model takes a place for as long as the model does. Therefore an installation has at most half of the places, a person a
quarter, and the last quarter is for installations that have none. A free place goes to the installation that has the fewest, there to the
person who has the fewest; among equals, to the one that has waited longest. What nobody waits for, such as tidying up after a pull request that was closed, shares the places of one person.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from bot.jobs.tables import RUNNING, job
from bot.jobs.turns import startable

MOST = 1_000  # waiting commands that are looked at for one decision


@dataclass(frozen=True, slots=True)
class Shares:
    """The shares count over all processes. `places`: of one process."""

    queue: str
    places: int

    def next(self, connection: sa.Connection, now: float, free: int) -> str | None:
        """Return the command that is started next."""
        running = connection.execute(_RUNNING, {"queue": self.queue}).all()
        oldest = connection.execute(_OLDEST, {"queue": self.queue, "now": now}).all()
        return self.choose(oldest, running, free)

    def choose(self, waiting: Sequence[Any], running: Sequence[Any], free: int) -> str | None:
        """Return the id of one of the waiting commands, if one may start beside those that run."""
        installations = Counter(row.installation for row in running)
        people = Counter((row.installation, row.person) for row in running)

        def may(row: Any) -> bool:  # noqa: ANN401 - rows of the database
            share, own = installations[row.installation], people[row.installation, row.person]
            if not share:
                return True
            return free > self.places // 4 and share < self.places // 2 and own < max(1, self.places // 4)

        def order(row: Any) -> tuple[object, ...]:  # noqa: ANN401 - the same
            fewest = installations[row.installation], people[row.installation, row.person]
            return *fewest, row.priority, row.created_at, row.id

        able = [row for row in waiting if may(row)]
        return min(able, key=order).id if able else None


# Built once, as in turns.py.
_RUNNING = sa.select(job.c.installation, job.c.person).where(
    job.c.queue == sa.bindparam("queue", type_=sa.Text), job.c.state == RUNNING
)
_OLDEST = (
    sa.select(job.c.id, job.c.installation, job.c.person, job.c.priority, job.c.created_at)
    .where(*startable())
    .order_by(job.c.priority, job.c.created_at, job.c.id)
    .limit(MOST)
)
