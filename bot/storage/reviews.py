"""Finished reviews and their findings: what the next round builds upon, and what figures are made of."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import Literal, NamedTuple

import sqlalchemy as sa

from bot.storage import days, outcomes, rules
from bot.storage.database import StoragePart, upsert
from bot.storage.outcomes import Outcome
from bot.storage.tables import finding, owner_columns, review
from bot.values import Ending, PullRef

State = Literal["posted", "listed", "open", "fixed", "suppressed", "withdrawn", "unproven"]
ENDS: Mapping[State, Outcome] = MappingProxyType(
    {"posted": "waiting", "listed": "waiting", "open": "waiting", "fixed": "fixed"}
)
_MEMORY = sa.func.coalesce(review.c.memory, review.c.output)
ReviewEnding = Literal["clean", "findings", "partial", "provider", "interrupted"]  # the last two: what cut it short


@dataclass(frozen=True, slots=True)
class StoredFinding:
    """One finding as a round left it."""

    fingerprint: str
    state: State
    severity: str
    category: str
    source: str
    path: str
    title: str


@dataclass(frozen=True, slots=True)
class ReviewFacts:
    """What a finished review was about, how it ended, and what it cost."""

    id: str  # the job's
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
class FinishedReview(ReviewFacts):
    """One review that came to its end."""

    pull: PullRef
    output: bytes = field(repr=False)  # the JSON output
    findings: tuple[StoredFinding, ...] = ()
    fork: bool = False  # of a pull request that came from a fork
    title: str | None = None  # the pull request's
    state: ReviewEnding = "findings"
    found: int | None = None  # findings that are new in this round
    still: int | None = None  # findings of earlier rounds that are still open
    fixed: int | None = None  # findings of earlier rounds that are gone
    journal: str | None = None  # its name
    source: str = ""  # PullFacts.source
    accepted: frozenset[str] = frozenset()  # of the fixed findings, those with the suggested lines in their place
    by_rule: Mapping[str, int] = field(default_factory=dict)  # which learned rule silenced a finding
    memory: bytes | None = field(default=None, repr=False)  # what the next round builds upon; None: the output is it

    @property
    def outcomes(self) -> dict[str, Outcome]:
        """What has become of the findings that were reported, as far as this round knows."""
        return {
            one.fingerprint: "accepted" if one.fingerprint in self.accepted else ENDS[one.state]
            for one in self.findings
            if one.state in ENDS
        }


@dataclass(frozen=True, slots=True)
class RepositorySpending:
    """What the reviews of one repository came to."""

    repository: str  # owner/name as it was last
    reviews: int
    clean: int  # of them, those whose check run succeeded
    calls: int
    tokens: int
    usd: float  # as far as prices are known
    unpriced_reviews: int  # reviews with a price that nobody knows
    last: float  # seconds since 1970


class StoredReview(NamedTuple):
    """What is stored of a finished review."""

    id: str  # the job's
    output: bytes  # the JSON output
    memory: bytes | None  # what it leaves, where that is stored apart
    conclusion: Ending  # what it comes to


class Reviews(StoragePart):
    """The reviews of all pull requests."""

    async def keep(self, review_row: FinishedReview) -> None:
        """Store a review with its findings; the same one again changes nothing."""
        row = {
            name: getattr(review_row, name)
            for name in (column.name for column in review.c)
            if hasattr(review_row, name)
        }
        row |= {
            **owner_columns(review_row.pull),
            "name": f"{review_row.pull.owner}/{review_row.pull.name}",
            "number": review_row.pull.number,
        }

        def do(connection: sa.Connection) -> None:
            fresh = connection.execute(sa.select(review.c.id).where(review.c.id == review_row.id)).first() is None
            upsert(review, row, connection)
            if fresh:
                days.count(row, connection)
            known_findings = _known_findings(review_row.pull.key, connection)
            first = {fingerprint: round_ for fingerprint, (round_, _) in known_findings.items()}
            _count(
                review_row, {name for name, (_, state) in known_findings.items() if state == "suppressed"}, connection
            )
            for each in review_row.findings:
                rounds = {"first": first.get(each.fingerprint, review_row.round), "last": review_row.round}
                upsert(
                    finding,
                    {**owner_columns(review_row.pull), **asdict(each), **rounds, "seen": review_row.finished},
                    connection,
                )

        await self.database.run(do)

    async def last(self, pull: PullRef) -> bytes | None:
        """Read the JSON output of the last finished review; None before the first one."""
        return await self._newest(review.c.pull == pull.key)

    async def conclusions_at(self, pull: PullRef, head: str) -> dict[int, Ending]:
        """What the newest review of this head came to for each other open pull request of the repository, by number."""
        there = (review.c.repository == pull.repository) & (review.c.installation == pull.installation)
        fits = there & (review.c.head == head) & (review.c.number != pull.number) & review.c.closed.is_(None)
        query = sa.select(review.c.number, review.c.conclusion).where(fits).order_by(review.c.finished)
        rows = await self.database.run(lambda connection: connection.execute(query).all())
        return {row.number: row.conclusion for row in rows}

    async def conclude(self, job: str, ending: Ending) -> None:
        """Store what a review comes to now: people have spoken since, or the bar is another one."""
        now = sa.update(review).where(review.c.id == job).values(conclusion=ending)
        await self.database.run(lambda connection: connection.execute(now))

    async def of_head(self, pull: PullRef, head: str, most: int) -> tuple[StoredReview, ...]:
        """The reviews of a pull request at this head, newest first."""
        return await self._stored((review.c.pull == pull.key) & (review.c.head == head), most)

    async def at(self, pull: PullRef, when: float) -> bytes | None:
        """The last review that was finished by then."""
        return await self._newest((review.c.pull == pull.key) & (review.c.finished <= when))

    async def memory(self, pull: PullRef) -> bytes | None:
        """What the last finished review leaves for the next one, None where there is none."""
        return await self._newest(review.c.pull == pull.key, _MEMORY)

    async def newest(self, pull: PullRef) -> StoredReview | None:
        """The last finished review."""
        return next(iter(await self._stored(review.c.pull == pull.key, 1)), None)

    async def _stored(self, fits: sa.ColumnElement[bool], most: int) -> tuple[StoredReview, ...]:
        query = sa.select(review.c.id, review.c.output, review.c.memory, review.c.conclusion).where(fits)
        query = query.order_by(review.c.finished.desc()).limit(most)
        rows = await self.database.run(lambda connection: connection.execute(query).all())
        return tuple(StoredReview(row.id, row.output, row.memory, row.conclusion) for row in rows)

    async def pulls_with_findings(self, pull: PullRef, most: int) -> tuple[int, ...]:
        """The other open pull requests of its repository that have a review with anything to silence or to bring back, newest first."""
        mine = (review.c.repository == pull.repository) & (review.c.installation == pull.installation)
        others = mine & (review.c.number != pull.number) & review.c.closed.is_(None)
        has_findings = sa.exists().where(finding.c.pull == review.c.pull, finding.c.state != "fixed")
        query = sa.select(review.c.number).where(others, has_findings).group_by(review.c.number)
        query = query.order_by(sa.func.max(review.c.finished).desc()).limit(most)
        numbers = await self.database.run(lambda connection: connection.execute(query).scalars().all())
        return tuple(numbers)

    async def pulls_at(self, installation: int, repository: int, head: str, most: int) -> tuple[int, ...]:
        """The pull requests of which this commit was reviewed, the last one first."""
        there = (review.c.repository == repository) & (review.c.installation == installation) & (review.c.head == head)
        query = sa.select(review.c.number).where(there).group_by(review.c.number)
        query = query.order_by(sa.func.max(review.c.finished).desc()).limit(most)
        return tuple(await self.database.run(lambda connection: connection.execute(query).scalars().all()))

    async def is_closed(self, pull: PullRef) -> bool:
        """Whether a pull request counts as closed."""
        query = sa.select(sa.exists().where(review.c.pull == pull.key, review.c.closed.is_not(None)))
        return await self.database.run(lambda connection: bool(connection.execute(query).scalar()))

    async def close(self, pull: PullRef, when: float | None) -> None:
        """Note that a pull request was closed, or with None that it is open: the last review of an open one outlives the retention."""
        now = sa.update(review).where(review.c.pull == pull.key, review.c.closed.is_distinct_from(when))
        await self.database.run(lambda connection: connection.execute(now.values(closed=when)))

    async def rewrite(self, job: str, output: bytes, memory: bytes | None = None) -> None:
        """Store the JSON output of a review once more, and what it leaves if that is another now: findings of it were given numbers."""
        values = {"output": output} | ({"memory": memory} if memory is not None else {})
        now = sa.update(review).where(review.c.id == job).values(values)
        await self.database.run(lambda connection: connection.execute(now))

    async def by_name(self, repository: str, number: int) -> bytes | None:
        """The same for a pull request as people name it: the repository as it was last called, "owner/name", and the number."""
        return await self._newest((review.c.name == repository) & (review.c.number == number))

    async def _newest(
        self, fits: sa.ColumnElement[bool], column: sa.ColumnElement[bytes] = review.c.output
    ) -> bytes | None:
        query = sa.select(column).where(fits).order_by(review.c.finished.desc()).limit(1)
        return await self.database.run(lambda connection: connection.execute(query).scalar_one_or_none())

    async def has(self, job: str) -> bool:
        """Whether this job's review is stored: then all of it is done."""
        query = sa.select(review.c.id).where(review.c.id == job)
        return await self.database.run(lambda connection: connection.execute(query).first() is not None)

    async def heads(self, pull: PullRef) -> frozenset[str]:
        """The heads of a pull request that were reviewed."""
        query = sa.select(review.c.head).where(review.c.pull == pull.key)
        return await self.database.run(lambda connection: frozenset(connection.execute(query).scalars()))

    async def findings(self, pull: PullRef) -> tuple[StoredFinding, ...]:
        """The findings of a pull request, as the last round that spoke of each left it."""
        query = sa.select(finding).where(finding.c.pull == pull.key).order_by(finding.c.seen, finding.c.fingerprint)
        rows = await self.database.run(lambda connection: connection.execute(query).mappings().all())
        return tuple(StoredFinding(**{name: row[name] for name in StoredFinding.__dataclass_fields__}) for row in rows)

    async def spending(self, since: float) -> tuple[RepositorySpending, ...]:
        """What the reviews since then came to, by repository, the dearest first."""
        columns, total = review.c, sa.func.sum
        query = (
            sa.select(
                sa.func.max(columns.name),
                sa.func.count(),
                total(sa.case((columns.conclusion == "success", 1), else_=0)),
                total(columns.calls),
                total(columns.tokens),
                sa.func.coalesce(total(columns.usd), 0.0),
                total(sa.case((columns.usd.is_(None), 1), else_=0)),
                sa.func.max(columns.finished),
            )
            .where(columns.finished > since)
            .group_by(columns.repository)
        )
        spending_rows = await self.database.run(lambda connection: connection.execute(query).all())
        rows = (
            RepositorySpending(
                str(name), int(count), int(clean), int(calls), int(tokens), float(usd), int(unpriced_count), float(last)
            )
            for name, count, clean, calls, tokens, usd, unpriced_count, last in spending_rows
        )
        return tuple(sorted(rows, key=lambda row: (-row.usd, -row.reviews, row.repository)))


def _known_findings(pull: str, connection: sa.Connection) -> dict[str, tuple[int, str]]:
    """What is known of the findings of a pull request: the round that found each, and its state."""
    query = sa.select(finding.c.fingerprint, finding.c.first, finding.c.state).where(finding.c.pull == pull)
    return {row.fingerprint: (row.first, row.state) for row in connection.execute(query)}


def _count(review_row: FinishedReview, silent: Collection[str], connection: sa.Connection) -> None:
    """Note what became of the findings, and which rules kept how many from being reported; `silent`: those that were so before."""
    outcomes.settle(review_row.pull, review_row.outcomes, review_row.finished, connection)
    silenced_marks = [each.fingerprint for each in review_row.findings if each.state == "suppressed"]
    rejections: dict[str, Outcome] = dict.fromkeys(silenced_marks, "rejected")
    outcomes.settle(review_row.pull, rejections, review_row.finished, connection, known_only=True)
    fresh = Counter(
        review_row.by_rule[name] for name in silenced_marks if name in review_row.by_rule and name not in silent
    )
    rules.count(review_row.pull.repository, fresh, review_row.finished, connection)
