"""Enforce the daily caps: a review reserves money before its first paid call, and later settles what it paid.

A reservation counts in full until it is settled, so the caps apply with any number of workers and any order
of pushes. If a process is killed, its reservation counts until the job that continues its journal settles it.
"""

import math
import secrets
from dataclasses import dataclass

import sqlalchemy as sa

from bot.storage.database import Scope, StoragePart, spending, upsert, within
from bot.values import PullRef
from bot.values.daily import DAY, CapReached, Counted, DailyCaps, Which, grant

SPENDING_LOCK = 4_307_113  # PostgreSQL lock that serializes reservations across all processes


@dataclass(frozen=True, slots=True)
class Grant:
    """What a review may spend. `holder` identifies the reservation, and is needed to settle it.

    `calls` and `paid_usd` are the part of the journal that other jobs made and paid for. It counts as theirs.
    """

    journal: str
    row: str
    holder: str
    usd: float
    calls: int = 0
    paid_usd: float = 0.0


class Spending(StoragePart):
    """The reservations of the last days, one for each job and journal.

    A job that resumes after a crash replaces its own reservation, because it doesn't pay again for calls that
    are in its journal. Another job with the same journal gets its own reservation, because it may make other
    calls about the same commit, or repeat an unfinished call.
    """

    async def reserve(
        self,
        pull: PullRef,
        journal: str,
        usd: float,
        caps: DailyCaps,
        now: float,
        *,
        job: str = "",
        calls: int = 0,
        paid_usd: float | None = 0.0,
    ) -> Grant | CapReached:
        """Reserve up to `usd` for a review within the caps, or return the cap that was reached.

        A job's earlier reservation is replaced. `calls` and `paid_usd` are the number and cost of the calls
        that are already in the journal.
        """
        name = f"{journal}#{job}"

        def do(connection: sa.Connection) -> Grant | CapReached:
            if connection.dialect.name == "postgresql":
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(SPENDING_LOCK)))
            granted = grant(usd, caps, lambda which, of: _counted(which, of, pull, name, now, connection))
            if isinstance(granted, CapReached):
                return granted
            is_resumed, others, others_usd = _of_journal(journal, name, connection)
            holder = secrets.token_hex(8)
            row = {"journal": name, "installation": pull.installation, "repository": pull.repository}
            row |= {
                "owner": _account(pull),
                "holder": holder,
                "fork": caps.forks is not None,
                "begun": now,
                "usd": granted,
            }
            upsert(spending, row, connection)
            if is_resumed:  # what other jobs didn't pay for in the journal is this job's own
                return Grant(journal, name, holder, granted, -1 if others else 0, min(paid_usd or 0.0, others_usd))
            return Grant(journal, name, holder, granted, calls, paid_usd or 0.0)

        return await self.database.run(do)

    async def settle(self, grant: Grant, usd: float | None, *, calls: int) -> None:
        """Replace a reservation with what was paid, or delete it if the job made no call.

        `usd` and `calls` cover the whole journal. Calls to a free model cost nothing, but still count as a
        review. If `usd` is None, the cost is unknown, so the reservation continues to count in full. If
        another process took the reservation over, nothing changes.
        """
        ours = (spending.c.journal == grant.row) & (spending.c.holder == grant.holder)
        if usd is None:
            return
        if calls > grant.calls:
            await self.change(sa.update(spending).where(ours).values(usd=max(0.0, usd - grant.paid_usd)))
        else:
            await self.change(sa.delete(spending).where(ours))

    async def journals_and_dollars(self, now: float) -> tuple[int, float]:
        """Return the number of reservations of the last 24 hours, and their dollars.

        Unsettled ones count in full.
        """
        query = sa.select(spending.c.usd).where(spending.c.begun > now - DAY)
        amounts = [row.usd for row in await self.rows(query)]
        return len(amounts), math.fsum(amounts)

    async def by_installation(self, scope: Scope, now: float) -> dict[int, float]:
        """Return the dollars that count for the last 24 hours, by installation ID."""
        condition = (spending.c.begun > now - DAY) & within(scope, spending)
        owner, total = spending.c.installation, sa.func.sum(spending.c.usd)
        rows = await self.rows(sa.select(owner, total).where(condition).group_by(owner))
        totals = {int(row[0]): float(row[1]) for row in rows}
        return totals if scope is None else {one: totals.get(one, 0.0) for one in scope}


def _account(pull: PullRef) -> str:
    """Return a key for a pull request's account.

    It uses the account's ID if known, because logins can change.
    Logins can't start with "#".
    """
    return f"#{pull.account}" if pull.account else pull.owner.lower()


def _of_journal(journal: str, name: str, connection: sa.Connection) -> tuple[bool, int, float]:
    """Return whether a reservation exists, and the number and dollars of its journal's other reservations."""
    condition = spending.c.journal.startswith(f"{journal}#", autoescape=True)
    rows = connection.execute(sa.select(spending.c.journal, spending.c.usd).where(condition)).all()
    others = [float(row.usd) for row in rows if row.journal != name]
    return len(others) < len(rows), len(others), math.fsum(others)


def _counted(which: Which, of: Counted, pull: PullRef, name: str, now: float, connection: sa.Connection) -> float:
    """Return what counts against a cap: the last 24 hours' other reservations, in dollars or their number.

    If an account installs the App again, its earlier spending still counts.
    """
    table = spending.c
    today = (table.begun > now - DAY) & (table.journal != name) & (table.fork if of == "unasked" else sa.true())
    if which == "forks":
        of_repository = today & (table.repository == pull.repository)
        return connection.execute(sa.select(sa.func.count()).select_from(spending).where(of_repository)).scalar_one()
    condition = {
        "repository": table.repository == pull.repository,
        "installation": (table.installation == pull.installation) | (table.owner == _account(pull)),
    }.get(which, sa.true())
    total = connection.execute(sa.select(sa.func.coalesce(sa.func.sum(table.usd), 0.0)).where(today & condition))
    return float(total.scalar_one())
