"""Finished reviews, which the next review and statistics are based on, and check runs in progress."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

import sqlalchemy as sa

from bot.storage import people
from bot.storage.database import StoragePart, check, finding, owner_columns, review, upsert
from bot.storage.findings import FindingOutcome, StoredFinding
from bot.values import CheckConclusion, PullRef, Status
from bot.values.review import ReviewStatus

# The outcome of a finding by its status. Other statuses don't change its outcome.
OUTCOME_OF_STATUS: Mapping[Status, FindingOutcome] = MappingProxyType(
    {"new": "waiting", "still": "waiting", "fixed": "fixed"}
)


@dataclass(frozen=True, slots=True)
class Figures:
    """What a finished review was about, its result, and its cost."""

    id: str  # the job's ID
    head: str
    trigger: str
    round: int
    started: float  # seconds since 1970
    finished: float
    conclusion: str
    strategy: str
    calls: int
    tokens: int
    usd: float | None


@dataclass(frozen=True, slots=True)
class FinishedReview(Figures):
    """A finished review, as it is stored."""

    pull: PullRef
    output: bytes = field(repr=False)  # the JSON output
    findings: tuple[StoredFinding, ...] = ()
    fork: bool = False  # whether the pull request comes from a fork
    title: str | None = None  # the pull request's title
    state: ReviewStatus = "findings"
    found: int | None = None  # new findings
    still: int | None = None  # earlier findings that are still open
    fixed: int | None = None  # earlier findings that are fixed
    # Numbers of learned rules that silenced findings
    by_rule: Mapping[str, int] = field(default_factory=dict)
    # The state for the next review, or None if the output serves as the state.
    memory: bytes | None = field(default=None, repr=False)


class StoredOutput(NamedTuple):
    """Some columns of a stored review."""

    id: str  # the job's ID
    output: bytes  # the JSON output
    memory: bytes | None  # the state, if stored separately
    conclusion: CheckConclusion  # its current conclusion
    head: str  # the reviewed commit


class Reviews(StoragePart):
    """The reviews of all pull requests."""

    async def save(self, done: FinishedReview) -> None:
        """Store a review with its findings. Saving the same review again changes nothing."""
        row = {column.name: getattr(done, column.name) for column in review.c if hasattr(done, column.name)}
        row |= owner_columns(done.pull)
        row |= {"name": f"{done.pull.owner}/{done.pull.name}", "number": done.pull.number}

        def do(connection: sa.Connection) -> None:
            upsert(review, row, connection)
            known = {finding.fingerprint: finding for finding in connection.execute(_known_findings(done.pull))}
            for each in done.findings:
                upsert(finding, _finding_row(done, each, known.get(each.fingerprint)), connection)
            before = {name for name, finding in known.items() if finding.state == "silenced"}
            silenced = {each.fingerprint for each in done.findings if each.state == "silenced"} - before
            newly_silenced = Counter(done.by_rule[name] for name in silenced if name in done.by_rule)
            people.count(done.pull.repository, newly_silenced, done.finished, connection)

        await self.database.run(do)

    async def newest(self, pull: PullRef, *, but: str = "") -> StoredOutput | None:
        """Return a pull request's last finished review. The review of the job `but` doesn't count."""
        query = sa.select(review.c.id, review.c.output, review.c.memory, review.c.conclusion, review.c.head)
        rows = await self.rows(
            query.where(review.c.pull == pull.key, review.c.id != but).order_by(review.c.finished.desc()).limit(1)
        )
        return StoredOutput(*rows[0]) if rows else None

    async def last(self, pull: PullRef) -> bytes | None:
        """Return the JSON output of a pull request's last review, or None if it has no review."""
        stored = await self.newest(pull)
        return None if stored is None else stored.output

    async def memory(self, pull: PullRef, job: str = "") -> bytes | None:
        """Return the state that `job`'s review starts from, or None if it is the first review."""
        stored = await self.newest(pull, but=job)
        return None if stored is None else stored.memory if stored.memory is not None else stored.output

    async def has(self, job: str) -> bool:
        """Return whether this job's review is stored. A job stores its review after everything else."""
        return bool(await self.rows(sa.select(review.c.id).where(review.c.id == job)))

    async def heads(self, pull: PullRef) -> frozenset[str]:
        """Return the head commits of a pull request that were reviewed."""
        rows = await self.rows(sa.select(review.c.head).where(review.c.pull == pull.key))
        return frozenset(row.head for row in rows)

    async def conclusions_at(self, pull: PullRef, head: str) -> dict[int, CheckConclusion]:
        """Return the newest conclusion of each other open pull request with this head commit, by number."""
        condition = _others(pull) & (review.c.head == head)
        query = sa.select(review.c.number, review.c.conclusion).where(condition).order_by(review.c.finished)
        return {row.number: row.conclusion for row in await self.rows(query)}

    async def conclude(self, job: str, conclusion: CheckConclusion) -> None:
        """Store a review's new conclusion, which can change with dismissals and settings."""
        await self.change(sa.update(review).where(review.c.id == job).values(conclusion=conclusion))

    async def rewrite(self, job: str, output: bytes, memory: bytes | None = None) -> None:
        """Replace a review's JSON output, and its state if that has changed too."""
        values = {"output": output} | ({"memory": memory} if memory is not None else {})
        await self.change(sa.update(review).where(review.c.id == job).values(values))

    async def close(self, pull: PullRef, when: float | None, *, merged: bool = False) -> None:
        """Record when a pull request was closed or `merged`. `when` is None if it is open.

        While a pull request is open, its last review is kept longer than the retention time.
        """
        condition = (review.c.pull == pull.key) & review.c.closed.is_distinct_from(when)
        await self.change(sa.update(review).where(condition).values(closed=when, merged=when if merged else None))

    async def is_closed(self, pull: PullRef) -> bool:
        """Return whether a pull request was recorded as closed."""
        condition = (review.c.pull == pull.key) & review.c.closed.is_not(None)
        return bool(await self.rows(sa.select(review.c.id).where(condition).limit(1)))


def _others(pull: PullRef) -> sa.ColumnElement[bool]:
    ours = (review.c.repository == pull.repository) & (review.c.installation == pull.installation)
    return ours & (review.c.number != pull.number) & review.c.closed.is_(None)


def _known_findings(pull: PullRef) -> "sa.Select[Any]":
    columns = (finding.c[name] for name in ("fingerprint", "first", "state", "outcome"))
    return sa.select(*columns).where(finding.c.pull == pull.key)


def _finding_row(done: FinishedReview, each: StoredFinding, before: "sa.Row[Any] | None") -> dict[str, Any]:
    """Once a person rejected a finding, its outcome doesn't change."""
    row = {**owner_columns(done.pull), **asdict(each), "last": done.round, "seen": done.finished}
    row["first"] = done.round if before is None else before.first
    outcome = OUTCOME_OF_STATUS.get(each.state)
    if each.state == "silenced" and before is not None and before.outcome is not None:
        outcome = "rejected"
    if outcome is not None and (before is None or before.outcome != "rejected"):
        row |= {"outcome": outcome, "at": done.finished}
    return row


class OpenChecks(StoragePart):
    """Check runs in progress. Each belongs to the job that started it or took it over."""

    async def add(self, pull: PullRef, number: int, run: str, now: float) -> None:
        """Store a check run with GitHub's `number`, and the job (`run`) that it belongs to."""
        await self.put(check, {**owner_columns(pull), "run": run, "number": number, "begun": now})

    async def remove(self, pull: PullRef, number: int) -> None:
        """Delete a check run that has ended, for all jobs that it belonged to."""
        await self.change(sa.delete(check).where((check.c.pull == pull.key) & (check.c.number == number)))

    async def of(self, pull: PullRef) -> tuple[tuple[str, int], ...]:
        """Return a pull request's check runs, as pairs of job and GitHub's number, oldest first."""
        query = sa.select(check.c.run, check.c.number).where(check.c.pull == pull.key).order_by(check.c.begun)
        return tuple((row.run, row.number) for row in await self.rows(query))
