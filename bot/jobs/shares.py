"""Who has the places for commands: installations share them, and the people of an installation share its part.

A question to a model takes a place for as long as the model does. Therefore an installation has at most half of the places, a person a
quarter, and the last quarter is for installations that have none. A free place goes to the installation that has the fewest, there to the
person who has the fewest; among equals, to who has waited longest.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import sqlalchemy as sa

from bot.jobs.ids import OF
from bot.jobs.rows import VERSION
from bot.jobs.turns import taken

MOST = 1_000  # pull requests and people whose commands are looked at for one decision


@dataclass(frozen=True, slots=True)
class _Waiting:
    """The next command of one person in one pull request."""

    key: str
    person: str
    priority: int
    since: int

    @property
    def installation(self) -> str:
        return installation(self.key)


def installation(key: str) -> str:
    """The installation of a partition."""
    return key.partition(OF)[0]


@dataclass(frozen=True, slots=True)
class Shares:
    """The places of one queue. `places`: of this process, `executor`; the shares count over all processes."""

    queue: str
    places: int
    executor: str

    def next(self, connection: sa.Connection, jobs: sa.Table) -> Iterator[str]:
        """The pull requests of which a command may be carried out now, first to last."""
        free = self.places - taken(connection, jobs, self.queue, self.executor)
        if free <= 0:
            return
        running = connection.execute(self._rows(jobs, "PENDING")).all()
        busy = {row.key for row in running}
        waiting = connection.execute(
            self._rows(jobs, "ENQUEUED").where(jobs.c.application_version == VERSION).limit(MOST)
        ).all()
        first: dict[str, _Waiting] = {}
        for row in waiting:
            one = _Waiting(row.key, row.person or "", row.priority or 0, row.since)
            known = first.get(one.key)
            if one.key not in busy and (known is None or (one.priority, one.since) < (known.priority, known.since)):
                first[one.key] = one
        places = Counter(installation(row.key) for row in running)
        people = Counter((installation(row.key), row.person) for row in running if row.person)
        while free > 0:
            able = [one for one in first.values() if self._may(one, places, people, free)]
            if not able:
                return
            chosen = min(able, key=lambda one: _order(one, places, people))
            del first[chosen.key]
            places[chosen.installation] += 1
            people[chosen.installation, chosen.person] += bool(chosen.person)
            free -= 1
            yield chosen.key

    def _may(self, one: _Waiting, places: "Counter[str]", people: "Counter[tuple[str, str]]", free: int) -> bool:
        held = places[one.installation]
        if not held or not one.person:  # what was called off is tidied up in any case
            return True
        own = people[one.installation, one.person]
        return free > self.places // 4 and held < self.places // 2 and (not own or own < self.places // 4)

    def _rows(self, job: sa.Table, state: str) -> "sa.Select[tuple[str, str, int, int]]":
        """The commands in a state: one row for each person in each pull request, the longest waiting first."""
        key, since = job.c.queue_partition_key, sa.func.min(job.c.created_at)
        fits = (job.c.queue_name == self.queue, job.c.status == sa.literal_column(f"'{state}'"), key.is_not(None))
        return (
            sa.select(
                key.label("key"),
                job.c.authenticated_user.label("person"),
                sa.func.min(job.c.priority).label("priority"),
                since.label("since"),
            )
            .where(*fits)
            .group_by(key, job.c.authenticated_user)
            .order_by(since)
        )


def _order(one: _Waiting, places: "Counter[str]", people: "Counter[tuple[str, str]]") -> tuple[int, int, int, int, str]:
    return places[one.installation], people[one.installation, one.person], one.priority, one.since, one.key
