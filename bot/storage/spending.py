"""Daily spending: money is reserved before the first paid call, and settled with what was really paid.

A reservation counts in full until it is settled. So no order of pushes and no number of workers can exceed
the daily caps. What a killed process may have spent counts until the job that continues its journal settles
it.
"""

import math
import secrets
from dataclasses import dataclass

import sqlalchemy as sa

from bot.storage.database import StoragePart, upsert
from bot.storage.tables import Scope, spending, within
from bot.values import PullRef
from bot.values.daily import DAY, CapReached, Counted, DailyCaps, Which, grant

SPENDING_LOCK = 4_307_113  # PostgreSQL lock that serializes reservations across all processes


@dataclass(frozen=True, slots=True)
class Grant:
    """What a review may spend. `holder` identifies the reservation and is needed to settle it.

    `calls` and `paid_usd` are other jobs' part of the same journal, which counts with those jobs.
    """

    journal: str
    row: str
    holder: str
    usd: float
    calls: int = 0
    paid_usd: float = 0.0


class Spending(StoragePart):
    """The reservations of the last days, one per job and journal.

    A job that resumes after a crash replaces its own reservation, because it does not pay for calls in its
    journal again. Another job with the same journal may ask something else about the commit, or repeat an
    unfinished call, so it counts again.
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
        """Reserve what a review may spend, which can be less than it wants.

        The same job replaces its earlier reservation. `calls` and `paid_usd` are what its journal already
        shows.
        """
        name = f"{journal}#{job}"

        def do(connection: sa.Connection) -> Grant | CapReached:
            if connection.dialect.name == "postgresql":
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(SPENDING_LOCK)))
            rest = grant(usd, caps, lambda which, of: _use(which, of, pull, name, now, connection))
            if isinstance(rest, CapReached):
                return rest
            again, others, theirs = _of_journal(journal, name, connection)
            holder = secrets.token_hex(8)
            row = {"journal": name, "installation": pull.installation, "repository": pull.repository}
            row |= {
                "owner": _account(pull),
                "holder": holder,
                "fork": caps.forks is not None,
                "begun": now,
                "usd": rest,
            }
            upsert(spending, row, connection)
            if again:  # everything in the journal that others did not pay is its own
                return Grant(journal, name, holder, rest, -1 if others else 0, min(paid_usd or 0.0, theirs))
            return Grant(journal, name, holder, rest, calls, paid_usd or 0.0)

        return await self.database.run(do)

    async def settle(self, grant: Grant, usd: float | None, *, calls: int) -> None:
        """Replace a reservation by what was paid. Without a call of its own, the reservation is returned.

        `usd` and `calls` cover the whole journal. Calls to a free model cost nothing but count as a review.
        If `usd` is None, the cost is unknown and the reservation counts in full. A reservation that another
        process took over stays unchanged.
        """
        ours = (spending.c.journal == grant.row) & (spending.c.holder == grant.holder)
        if usd is None:
            return
        if calls > grant.calls:
            await self.change(sa.update(spending).where(ours).values(usd=max(0.0, usd - grant.paid_usd)))
        else:
            await self.change(sa.delete(spending).where(ours))

    async def journals_and_dollars(self, now: float, *, repository: int | None = None) -> tuple[int, float]:
        """Return the number of paid journals in the last day and the dollars; reservations count in full."""
        fits = spending.c.begun > now - DAY
        if repository is not None:
            fits &= spending.c.repository == repository
        amounts = [row.usd for row in await self.rows(sa.select(spending.c.usd).where(fits))]
        return len(amounts), math.fsum(amounts)

    async def by_installation(self, scope: Scope, now: float) -> dict[int, float]:
        """Return the dollars that count in the last day, by installation."""
        fits = (spending.c.begun > now - DAY) & within(scope, spending)
        owner, total = spending.c.installation, sa.func.sum(spending.c.usd)
        rows = await self.rows(sa.select(owner, total).where(fits).group_by(owner))
        totals = {int(row[0]): float(row[1]) for row in rows}
        return totals if scope is None else {one: totals.get(one, 0.0) for one in scope}


def _account(pull: PullRef) -> str:
    """Return the account for the daily cap, by id because accounts can be renamed.

    No login starts with "#".
    """
    return f"#{pull.account}" if pull.account else pull.owner.lower()


def _of_journal(journal: str, name: str, connection: sa.Connection) -> tuple[bool, int, float]:
    """Return whether this reservation exists, and the number and dollars of the journal's others."""
    fits = spending.c.journal.startswith(f"{journal}#", autoescape=True)
    rows = connection.execute(sa.select(spending.c.journal, spending.c.usd).where(fits)).all()
    others = [float(row.usd) for row in rows if row.journal != name]
    return len(others) < len(rows), len(others), math.fsum(others)


def _use(which: Which, of: Counted, pull: PullRef, name: str, now: float, connection: sa.Connection) -> float:
    """Return what counts against a cap: the other reservations of the last day.

    An account that installs the App again keeps its spending.
    """
    table = spending.c
    today = (table.begun > now - DAY) & (table.journal != name) & (table.fork if of == "unasked" else sa.true())
    if which == "forks":
        of_repository = today & (table.repository == pull.repository)
        return connection.execute(sa.select(sa.func.count()).select_from(spending).where(of_repository)).scalar_one()
    fits = {
        "repository": table.repository == pull.repository,
        "installation": (table.installation == pull.installation) | (table.owner == _account(pull)),
    }.get(which, sa.true())
    total = connection.execute(sa.select(sa.func.coalesce(sa.func.sum(table.usd), 0.0)).where(today & fits))
    return float(total.scalar_one())
