"""What each page shows: asked of the database and the queue for one session, as values for the templates."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from bot import config
from bot.app import manifest
from bot.app.operator import plots, trace
from bot.app.operator.gate import SignedIn
from bot.app.operator.plots import Plot, Share
from bot.app.operator.trace import Trace
from bot.app.running_server import RunningServer
from bot.github.identity import site
from bot.jobs import ListedJob
from bot.storage import Failure, FindingOutcomes
from bot.storage.days import DAY, DaySum
from bot.storage.listing import ListedReview
from bot.values import CommandAsk, MergeGroup, PackageSurvey, PullAsk, PullRef, ReviewAsk

PERIODS = (7, 30, 90)  # days that plots and sums can go back
ROWS = 50  # of one page of a list
REPOSITORIES, ALL = 15, 1000  # of the first page; where all are asked for
FAILURES = 50
CAPS = 5  # installations whose cap the first page shows
FINDINGS = 200  # of one review
OUTCOMES = ("clean", "findings", "partial", "provider", "interrupted")


@dataclass(frozen=True, slots=True)
class RepositoryRow:
    """A repository in the period."""

    sum: DaySum
    addressed_share: float | None  # share of the reported findings


@dataclass(frozen=True, slots=True)
class QueuedJob:
    """A job as the queue shows it. `pull` is None where it is of no pull request."""

    id: str
    what: str
    state: str
    stored_at: float
    tries: int
    title: str  # owner/name#number
    review: str  # the address of its page; empty if it has no page


@dataclass(frozen=True, slots=True)
class Queue:
    """What is under way, and what came to nothing."""

    running: tuple[QueuedJob, ...]
    waiting: tuple[QueuedJob, ...]
    failures: tuple[Failure, ...]
    failure_count: int  # all of them


@dataclass(frozen=True, slots=True)
class CapRow:
    """A cap of 24 hours: what counts under it now, and what is left."""

    name: str
    spent_amount: float
    cap: float

    @property
    def left(self) -> float:
        """Dollars that reviews may still reserve."""
        return max(0.0, self.cap - self.spent_amount)


@dataclass(frozen=True, slots=True)
class Overview:
    """The first page."""

    days: int
    sums: DaySum
    pulls: int
    clean_pulls: int  # pull requests whose last review was clean
    addressed_share: float | None
    rows: tuple[RepositoryRow, ...]
    hidden_repositories: int  # repositories that are not listed
    reviews: Plot
    cost: Plot
    times: Plot
    states: tuple[Share, ...]
    caps: tuple[CapRow, ...]


@dataclass(frozen=True, slots=True)
class CoverageReading:
    """A kind of coverage: how much of it is in which state."""

    name: str
    parts: tuple[Share, ...]
    whole: int


@dataclass(frozen=True, slots=True)
class ReviewPage:
    """One review, finished or under way."""

    id: str
    pull: PullRef
    title: str
    state: str  # an outcome, or "running", "waiting", "delayed"
    trigger: str
    started_at: float
    trace: Trace | None
    row: ListedReview | None = None  # None: it is under way
    output: Mapping[str, Any] = field(default_factory=dict)
    findings: tuple[Mapping[str, Any], ...] = ()
    coverage: tuple[CoverageReading, ...] = ()

    @property
    def live(self) -> bool:
        """Whether it will change by itself."""
        return self.row is None


async def overview(server: RunningServer, session: SignedIn, days: int, *, whole: bool = False) -> Overview:
    """The period in figures and plots, and its repositories."""
    most = ALL if whole else REPOSITORIES
    store, today = server.store, int(time.time()) // DAY
    first = today - days + 1
    since = float(first * DAY)
    by_day, by_repository, sums_of_all, pulls = await asyncio.gather(
        store.days.by_day(session.scope, since),
        store.days.by_repository(session.scope, since),
        store.days.whole(session.scope, since),
        store.listing.pulls(session.scope, since),
    )
    outcomes = await store.outcomes.of_repositories([row.key for row in by_repository], since)
    shares = {one.repository: one.share for one in outcomes}
    sums, span, every = {row.key: row for row in by_day}, range(first, today + 1), FindingOutcomes.together(outcomes)
    return Overview(
        days,
        sums_of_all,
        *pulls,
        every.share,
        tuple(RepositoryRow(row, shares.get(row.key)) for row in by_repository[:most]),
        max(len(by_repository) - most, 0),
        plots.bars(sums, span, lambda row: float(row.reviews), whole=True),
        plots.bars(sums, span, lambda row: row.usd),
        plots.lines(sums, span, {"half of the reviews": lambda row: row.half, "95 of 100": lambda row: row.most}),
        _states(every),
        await _caps(server, session),
    )


async def _caps(server: RunningServer, session: SignedIn) -> tuple[CapRow, ...]:
    """What is left of the caps: the operator's of the whole server, and those of the installations that have spent most."""
    settings, now = config.environment(on_server=True), time.time()
    spending = await server.store.spending.by_installation(session.scope, now)
    rows = []
    if session.scope is None and settings.cap_usd_per_day is not None:
        rows.append(CapRow("this server", sum(spending.values()), settings.cap_usd_per_day))
    cap = settings.cap_usd_per_day_installation
    if cap is None:
        return tuple(rows)
    for number in sorted(spending, key=lambda one: -spending[one])[:CAPS]:
        name = await server.store.listing.owner(number)
        rows.append(CapRow(name or f"installation {number}", spending[number], cap))
    return tuple(rows)


def _states(whole: FindingOutcomes) -> tuple[Share, ...]:
    """The reported findings: what people read as one is one."""
    fixed_count = whole.fixed + whole.accepted
    return plots.parts({"open": whole.waiting, "fixed": fixed_count, "rejected": whole.rejected, "left": whole.left})


async def queue(server: RunningServer, session: SignedIn) -> Queue:
    """The queue and the failures that are this session's to see."""
    jobs, failures, failure_count = await asyncio.gather(
        server.jobs.list_jobs(),
        server.store.failures.newest(session.scope, FAILURES),
        server.store.failures.count(session.scope),
    )
    visible = [_queue_row(job) for job in jobs if session.may(job.ask.installation)]
    running = tuple(job for job in visible if job.state == "running")
    waiting = tuple(job for job in visible if job.state != "running")
    return Queue(running, waiting, failures, failure_count)


async def review(server: RunningServer, session: SignedIn, job: str) -> ReviewPage | None:
    """One review; None if no review of this name exists or the session may not see it."""
    row = await server.store.listing.one(job, session.scope)
    if row is not None:
        return await _finished_review(server, *row)
    live = await server.jobs.one(job)
    if live is None or not isinstance(live.ask, ReviewAsk) or not session.may(live.ask.pull.installation):
        return None
    return await _live(server, live, live.ask)


async def _finished_review(server: RunningServer, row: ListedReview, data: bytes) -> ReviewPage:
    owner, _, name = row.name.partition("/")
    pull = PullRef(row.installation, row.repository, owner, name, row.number)
    output = _output(data)
    job_trace = await trace.of(row.journal, server.store, server.place.data) if row.journal else None
    return ReviewPage(
        id=row.id,
        pull=pull,
        title=row.title or str(_part(output, "pull").get("title") or ""),
        state=row.state,
        trigger=row.trigger,
        started_at=row.started,
        row=row,
        output=output,
        findings=_findings(output),
        coverage=_coverage(_part(output, "coverage")),
        trace=job_trace,
    )


async def _live(server: RunningServer, live: ListedJob, ask: ReviewAsk) -> ReviewPage:
    journal = await trace.newest(ask.pull, server.store, server.place.data) if live.state == "running" else None
    job_trace = await trace.of(journal, server.store, server.place.data) if journal else None
    return ReviewPage(live.id.partition("+")[0], ask.pull, "", live.state, ask.trigger, live.stored_at, job_trace)


def _output(data: bytes) -> Mapping[str, Any]:
    """A review's JSON; one of another version may lack anything."""
    try:
        document = json.loads(data)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _part(output: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = output.get(name)
    return part if isinstance(part, Mapping) else {}


def _findings(output: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """The findings with their state against the round before, those of this round first."""
    rows = [row for row in output.get("findings") or () if isinstance(row, Mapping)]
    states = {"new": "new", "still": "open", "fixed": "fixed"}
    return tuple({**row, "state": states[row["status"]]} for row in rows if row.get("status") in states)[:FINDINGS]


KINDS = {
    "unit": "changed code",
    "use": "uses of what changed",
    "file": "changed files left out",
    "dependent": "files that import it",
}


def _coverage(coverage: Mapping[str, Any]) -> tuple[CoverageReading, ...]:
    rows = [row for row in coverage.get("readings") or () if isinstance(row, Mapping)]
    readings = []
    for kind, name in KINDS.items():
        counts = Counter(str(row.get("state")) for row in rows if row.get("kind") == kind)
        covered_count = counts["reviewed"] + counts["reused"]
        counts_by_state = {"covered": covered_count, "skipped": counts["skipped"], "open": counts["unread"]}
        if counts:
            readings.append(CoverageReading(name, plots.parts(counts_by_state), sum(counts_by_state.values())))
    return tuple(readings)


def _queue_row(job: ListedJob) -> QueuedJob:
    ask, where, page = job.ask, "", ""
    if isinstance(ask, ReviewAsk):
        what, page = f"review ({ask.trigger})", address(job.id.partition("+")[0])
    elif isinstance(ask, CommandAsk):
        what = ask.word
    elif isinstance(ask, MergeGroup):
        what = "merge queue"
    else:
        what = "packages" if isinstance(ask, PackageSurvey) else "tidying up"
    if isinstance(ask, PullAsk):
        where = f"{ask.pull.owner}/{ask.pull.name}#{ask.pull.number}"
    elif isinstance(ask, MergeGroup):
        where = f"{ask.owner}/{ask.name}"
    return QueuedJob(job.id, what, job.state, job.stored_at, job.tries, where, page)


def address(job: str) -> str:
    """Where the page of a review is."""
    return f"/reviews/{quote(job, safe='~')}"


def install(server: RunningServer, slug: str) -> str:
    """Where the App is installed on repositories; "" while its name is not known."""
    return manifest.install(server.place.github_api, slug) if slug else ""


def at_github(server: RunningServer, name: str, number: int) -> str:
    """Where a pull request is."""
    return f"{site(server.place.github_api)}/{quote(name)}/pull/{number}"
