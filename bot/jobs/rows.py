"""Stored jobs as they are in the database: found, put in, started, ended, deleted. Each method is one transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Unpack

import sqlalchemy as sa

from bot.jobs.bell import Bell
from bot.jobs.ids import Places
from bot.jobs.tables import ACTIVE, CANCELLED, DONE, RUNNING, VERSION, WAITING, create, job, lock, now, step
from bot.jobs.turns import Order, Outlook, outlooks, taken_places
from bot.ports import LASTS
from bot.storage.database import Database, StoragePart
from bot.storage.dialect import insert

MOST = 500  # rows deleted in one transaction


@dataclass(frozen=True, slots=True)
class JobRow:
    """One stored job. `ask` is empty if it was not asked for, or the job has ended."""

    id: str
    state: str  # of ACTIVE, DONE, CANCELLED
    queue: str
    executor: str
    version: str
    attempts: int
    created_at: float
    due_at: float
    isolated: bool
    ask: str = ""


class JobRows(StoragePart):
    """The jobs of one database. Every method raises StorageError if the database fails."""

    def __init__(self, database: Database, bell: Bell, executor: str) -> None:
        super().__init__(database)
        self.bell, self.executor = bell, executor

    async def create(self) -> None:
        """Create what the database lacks."""
        await self.database.run(create)

    async def find(
        self,
        *,
        ids: Sequence[str] | None = None,
        prefix: str | None = None,
        states: Sequence[str] = ACTIVE,
        executor: str | None = None,
        ask: bool = False,
        most: int | None = None,
    ) -> list[JobRow]:
        """Return the jobs that fit, oldest first."""
        columns = [column for column in job.c if ask or column.name != "ask"]
        query = sa.select(*columns).where(job.c.state.in_(states)).order_by(job.c.created_at, job.c.id)
        if ids is not None:
            query = query.where(job.c.id.in_(ids))
        if prefix is not None:
            query = query.where(job.c.id.startswith(prefix, autoescape=True))
        if executor is not None:
            query = query.where(job.c.executor == executor)
        if most is not None:
            query = query.limit(most)
        return await self.database.look(lambda connection: [_row(row) for row in connection.execute(query).mappings()])

    async def counts(self) -> dict[str, int]:
        """Count the jobs that wait, are put off, and run, over all processes."""

        def do(connection: sa.Connection) -> dict[str, int]:
            state = sa.case(
                (sa.and_(job.c.state == WAITING, job.c.due_at > now(connection)), "delayed"), else_=job.c.state
            )
            query = sa.select(state, sa.func.count()).where(job.c.state.in_(ACTIVE)).group_by(state)
            return {name: int(count) for name, count in connection.execute(query)}

        return await self.database.look(do)

    async def add(
        self,
        name: str,
        queue: str,
        ask: str,
        *,
        delay: float = 0.0,
        since: float | None = None,
        ends: Sequence[str] = (),
        after: str = "",
        **places: Unpack[Places],
    ) -> bool:
        """Store a job; it is on disk when this returns. False: one of this name is known, perhaps finished.

        `ends`: the jobs whose place it takes, which are cancelled with it or not at all. `since`: when it was first stored. `after`: the
        job of which it is a further try; it knows what that has done (`LASTS`).
        """

        def do(connection: sa.Connection) -> bool:
            moment = now(connection)
            row = {
                "id": name,
                "queue": queue,
                "state": WAITING,
                "ask": ask,
                "version": VERSION,
                "created_at": moment if since is None else since,
                "due_at": moment + max(0.0, delay),
            }
            query = insert(job, connection).values(**row, **places).on_conflict_do_nothing().returning(job.c.id)
            is_stored = connection.execute(query).scalar() is not None
            if is_stored:
                _cancel(connection, ends)
                _hand_on(connection, after, name)
                self.bell.notify(connection)
            return is_stored

        is_stored = await self.database.run(do)
        self.bell.ring()
        return is_stored

    async def start(self, orders: Sequence[Order]) -> tuple[list[JobRow], float | None]:
        """Take the jobs whose turn it is for this process; and the seconds until a delayed one is due, if one is delayed.

        If nothing is due, the database is only read: no writer waits for a dispatcher that starts nothing.
        """

        def read(connection: sa.Connection) -> tuple[bool, float | None]:
            moment = now(connection)
            waiting = outlooks(connection, moment)
            return any(outlook.ready for outlook in waiting.values()), _until_due(waiting, moment)

        def do(connection: sa.Connection) -> tuple[list[JobRow], float | None]:
            lock(connection)
            moment = now(connection)  # one for both questions: a job that becomes due between them would be missed
            waiting, busy = outlooks(connection, moment), taken_places(connection, self.executor)
            names = [
                name
                for order in orders
                if (outlook := waiting.get(order.queue)) is not None
                for name in self._start(connection, order, moment, outlook.ready, busy.get(order.queue, 0))
            ]
            rows = connection.execute(_BY_ID, {"names": names}).mappings().all() if names else []
            by_id = {row["id"]: _row(row) for row in rows}
            return [by_id[name] for name in names], _until_due(waiting, moment)

        is_due, seconds = await self.database.look(read)
        return await self.database.run(do) if is_due else ([], seconds)

    def _start(self, connection: sa.Connection, order: Order, moment: float, ready: int, busy: int) -> list[str]:
        """Mark the jobs of one queue as started, in order, until no place or no job is left."""
        names: list[str] = []
        free = order.places - busy
        while min(free, ready) > len(names):
            name = order.next(connection, moment, free - len(names))
            if name is None:
                break
            values = {"state": RUNNING, "executor": self.executor, "attempts": job.c.attempts + 1}
            connection.execute(sa.update(job).where(job.c.id == name).values(**values, started_at=now(connection)))
            names.append(name)
        return names

    async def starts(self) -> dict[str, int]:
        """Return the jobs that this process has begun, with the number of their starts."""
        mine = {"executor": self.executor}
        return await self.database.look(
            lambda connection: {row.id: row.attempts for row in connection.execute(_HELD, mine)}
        )

    async def mine(self, row: JobRow) -> bool:
        """Whether this start of a job is the present one, here, and wanted."""
        query = sa.select(sa.literal(1)).where(*self._mine(row))
        return await self.database.look(lambda connection: connection.execute(query).scalar() is not None)

    async def finish(self, row: JobRow, outcome: str) -> None:
        """Record what became of a job. Nothing changes if it is no longer this process's."""
        values = {"state": DONE, "outcome": outcome, "ask": ""}

        def do(connection: sa.Connection) -> None:
            query = sa.update(job).where(*self._mine(row)).values(**values, finished_at=now(connection))
            if connection.execute(query).rowcount:
                self.bell.notify(connection)

        await self.database.run(do)

    async def hand_back(self, row: JobRow) -> None:
        """Let a job that this process has begun wait again; this start does not count as an attempt."""
        attempts = sa.case((job.c.attempts > 0, job.c.attempts - 1), else_=0)

        def do(connection: sa.Connection) -> None:
            connection.execute(sa.update(job).where(*self._mine(row)).values(state=WAITING, attempts=attempts))
            self.bell.notify(connection)

        await self.database.run(do)
        self.bell.ring()

    async def take_over(self, executors: Sequence[str]) -> int:
        """Let the jobs that these dead processes had begun wait again. Return how many."""

        def do(connection: sa.Connection) -> int:
            query = sa.update(job).where(job.c.state == RUNNING, job.c.executor.in_(executors)).values(state=WAITING)
            count = connection.execute(query).rowcount
            self.bell.notify(connection)
            return count

        count = await self.database.run(do)
        self.bell.ring()
        return count

    async def adopt(self, alive: Sequence[str]) -> list[str]:
        """Make waiting jobs of other versions jobs of this one, unless a process of theirs is alive. Return their names.

        Their recorded steps are deleted: another version's results are others. Paid calls are in the journal.
        """

        def do(connection: sa.Connection) -> list[str]:
            strange = (job.c.state == WAITING, job.c.version.not_in([VERSION, *alive]))
            names = list(connection.execute(sa.select(job.c.id).where(*strange)).scalars())
            if names:
                connection.execute(sa.delete(step).where(step.c.job.in_(names)))
                connection.execute(sa.update(job).where(job.c.id.in_(names), *strange).values(version=VERSION))
            return names

        names = await self.database.run(do)
        if names:
            self.bell.ring()
        return names

    async def isolate(self, row: JobRow) -> bool:
        """Note that a job is tried alone. False: it was before."""
        query = sa.update(job).where(job.c.id == row.id, ~job.c.isolated).values(isolated=True)
        return await self.database.run(lambda connection: connection.execute(query).rowcount > 0)

    async def end(self, ids: Sequence[str]) -> None:
        """Cancel jobs: those that wait never run, the processes of those that run are woken."""
        if not ids:
            return

        def do(connection: sa.Connection) -> None:
            _cancel(connection, ids)
            self.bell.notify(connection)

        await self.database.run(do)
        self.bell.ring()

    async def steps(self, name: str) -> dict[tuple[str, int], str]:
        """Return the recorded results of a job's steps, by name and use."""
        query = sa.select(step).where(step.c.job == name)
        return await self.database.look(
            lambda connection: {(row.name, row.use): row.result for row in connection.execute(query)}
        )

    async def record(self, row: JobRow, name: str, use: int, result: str) -> bool:
        """Keep the result of a step. False: the job is no longer this process's, and nothing was kept."""

        def do(connection: sa.Connection) -> bool:
            lock = sa.select(job.c.id).where(*self._mine(row)).with_for_update()
            if connection.execute(lock).scalar() is None:
                return False
            values = {"job": row.id, "name": name, "use": use, "result": result}
            connection.execute(insert(step, connection).values(**values).on_conflict_do_nothing())
            return True

        return await self.database.run(do)

    async def of_installation(self, installation: int, prefixes: Sequence[str], states: Sequence[str]) -> list[JobRow]:
        """Return an installation's jobs in these states whose names begin with one of the prefixes; all of its jobs without prefixes."""
        columns = [column for column in job.c if column.name != "ask"]
        query = sa.select(*columns).where(job.c.installation == installation, job.c.state.in_(states))
        if prefixes:
            query = query.where(sa.or_(*(job.c.id.startswith(prefix, autoescape=True) for prefix in prefixes)))
        return await self.database.look(lambda connection: [_row(row) for row in connection.execute(query).mappings()])

    async def delete(self, ids: Sequence[str]) -> None:
        """Delete jobs with their steps."""
        for start in range(0, len(ids), MOST):
            query = sa.delete(job).where(job.c.id.in_(ids[start : start + MOST]))
            await self.database.run(lambda connection, query=query: connection.execute(query))  # type: ignore[misc]

    async def delete_finished(self, age: float) -> int:
        """Delete the jobs that ended more than this many seconds ago. Return how many."""
        deletion_count = 0
        while names := await self.database.look(lambda connection: _old(connection, age)):
            await self.delete(names)
            deletion_count += len(names)
        return deletion_count

    def _mine(self, row: JobRow) -> tuple[sa.ColumnElement[bool], ...]:
        """The condition that a job still has the state of this start: the attempts tell a later start in this process apart."""
        is_mine = job.c.state == RUNNING, job.c.executor == self.executor, job.c.attempts == row.attempts
        return job.c.id == row.id, *is_mine


def _cancel(connection: sa.Connection, ids: Sequence[str]) -> None:
    values = {"state": CANCELLED, "ask": "", "finished_at": now(connection)}
    if ids:
        connection.execute(sa.update(job).where(job.c.id.in_(ids), job.c.state.in_(ACTIVE)).values(**values))


def _hand_on(connection: sa.Connection, before: str, name: str) -> None:
    """Copy the results of steps that a further try has to know."""
    known = sa.select(step).where(step.c.job == before, step.c.name.startswith(LASTS, autoescape=True))
    for row in connection.execute(known).mappings().all() if before else ():
        connection.execute(sa.insert(step).values(**{**row, "job": name}))


def _old(connection: sa.Connection, age: float) -> list[str]:
    query = sa.select(job.c.id).where(job.c.finished_at < now(connection) - age).limit(MOST)
    return list(connection.execute(query).scalars())


def _row(row: sa.RowMapping) -> JobRow:
    return JobRow(**{name: row[name] for name in JobRow.__dataclass_fields__ if name in row})


def _until_due(waiting: Mapping[str, Outlook], moment: float) -> float | None:
    """The seconds until the next job is due that is put off; None if none is."""
    due = [outlook.next_due for outlook in waiting.values() if outlook.next_due is not None]
    return max(0.0, min(due) - moment) if due else None


_BY_ID = sa.select(job).where(job.c.id.in_(sa.bindparam("names", expanding=True)))
_HELD = sa.select(job.c.id, job.c.attempts).where(
    job.c.state == RUNNING, job.c.executor == sa.bindparam("executor", type_=sa.Text)
)
