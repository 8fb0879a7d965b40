"""What each page shows: asked of the database and the queue for one session, as values for the templates."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from bot import config
from bot.app import manifest
from bot.app.opened import Opened
from bot.app.operator import plots, trace
from bot.app.operator.gate import SignedIn
from bot.app.operator.plots import Plot, Share
from bot.app.operator.trace import Trace
from bot.github.identity import site
from bot.jobs import ListedJob
from bot.storage import Failure
from bot.storage.days import DAY, TIMES, DaySum, within
from bot.storage.listing import ListedReview, ListPage
from bot.storage.outcomes import Addressed
from bot.values import CommandAsk, MergeGroup, PullRef, ReviewAsk

PERIODS = (7, 30, 90)  # days that plots and sums can go back
ROWS = 50  # of one page of a list
REPOSITORIES, ALL = 15, 1000  # of the first page; where all are asked for
FAILURES = 50
CAPS = 5  # installations whose cap the first page shows
FINDINGS = 200  # of one review
OUTCOMES = ("clean", "findings", "partial", "provider", "interrupted")
PERCENTILES = {"half of the reviews": 0.5, "95 of 100": 0.95}


@dataclass(frozen=True, slots=True)
class Sums:
    """A period in a few figures. A figure is None where there was nothing to make it of."""

    reviews: int
    clean: int
    found: int
    usd: float
    unpriced: int
    pulls: int
    settled: int  # pull requests whose last review was clean
    half: float | None  # seconds within which half of the reviews were done
    most: float | None  # the same of 95 in 100
    addressed: float | None  # share of the reported findings


@dataclass(frozen=True, slots=True)
class RepositoryRow:
    """A repository in the period."""

    sum: DaySum
    half: float | None
    addressed: float | None


@dataclass(frozen=True, slots=True)
class QueuedJob:
    """A job as the queue shows it. `pull` is None where it is of no pull request."""

    id: str
    what: str
    state: str
    stored: float
    tries: int
    title: str  # owner/name#number
    review: str  # the address of its page; empty if it has no page


@dataclass(frozen=True, slots=True)
class Queue:
    """What is under way, and what came to nothing."""

    running: tuple[QueuedJob, ...]
    waiting: tuple[QueuedJob, ...]
    failures: tuple[Failure, ...]
    failed: int  # all of them


@dataclass(frozen=True, slots=True)
class CapRow:
    """A cap of 24 hours: what counts under it now, and what is left."""

    name: str
    spent: float
    cap: float

    @property
    def left(self) -> float:
        """Dollars that reviews may still reserve."""
        return max(0.0, self.cap - self.spent)


@dataclass(frozen=True, slots=True)
class Overview:
    """The first page."""

    days: int
    sums: Sums
    rows: tuple[RepositoryRow, ...]
    hidden: int  # repositories that are not listed
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
    started: float
    trace: Trace | None
    row: ListedReview | None = None  # None: it is under way
    output: Mapping[str, Any] = field(default_factory=dict)
    findings: tuple[Mapping[str, Any], ...] = ()
    coverage: tuple[CoverageReading, ...] = ()

    @property
    def live(self) -> bool:
        """Whether it will change by itself."""
        return self.row is None


async def overview(opened: Opened, session: SignedIn, days: int, *, whole: bool = False) -> Overview:
    """The period in figures and plots, and its repositories."""
    most = ALL if whole else REPOSITORIES
    store, today = opened.store, int(time.time()) // DAY
    since = today - days + 1
    by_day, by_repository = await asyncio.gather(
        store.days.by_day(session.scope, since), store.days.by_repository(session.scope, since)
    )
    pulls = await store.listing.pulls(session.scope, since * DAY)
    ended = await store.outcomes.addressed([row.repository for row in by_repository], since * DAY)
    shares = {one.repository: one.share for one in ended}
    sums, span = {row.day: row for row in by_day}, range(since, today + 1)
    every = Addressed.together(ended)
    rows = [RepositoryRow(row, row.within(0.5), shares.get(row.repository)) for row in by_repository[:most]]
    return Overview(
        days,
        _sums(by_day, every, pulls),
        tuple(rows),
        max(len(by_repository) - most, 0),
        plots.bars(sums, span, lambda row: float(row.reviews), whole=True),
        plots.bars(sums, span, lambda row: row.usd),
        plots.lines(sums, span, PERCENTILES),
        _states(every),
        await _caps(opened, session),
    )


async def _caps(opened: Opened, session: SignedIn) -> tuple[CapRow, ...]:
    """What is left of the caps: the operator's of the whole server, and those of the installations that have spent most."""
    settings, now = config.environment(hosted=True), time.time()
    spent = await opened.store.spending.by_installation(session.scope, now)
    rows = []
    if session.scope is None and settings.cap_usd_per_day is not None:
        rows.append(CapRow("this server", sum(spent.values()), settings.cap_usd_per_day))
    cap = settings.cap_usd_per_day_installation
    if cap is None:
        return tuple(rows)
    for number in sorted(spent, key=lambda one: -spent[one])[:CAPS]:
        name = await opened.store.listing.owner(number)
        rows.append(CapRow(name or f"installation {number}", spent[number], cap))
    return tuple(rows)


def _states(whole: Addressed) -> tuple[Share, ...]:
    """The reported findings: what people read as one is one."""
    fixed = whole.fixed + whole.accepted
    return plots.parts({"open": whole.waiting, "fixed": fixed, "rejected": whole.rejected, "left": whole.left})


def _sums(rows: Sequence[DaySum], whole: Addressed, pulls: tuple[int, int]) -> Sums:
    times = [sum(row.times[number] for row in rows) for number in range(len(TIMES))]
    return Sums(
        reviews=sum(row.reviews for row in rows),
        clean=sum(row.clean for row in rows),
        found=sum(row.found for row in rows),
        usd=sum(row.usd for row in rows),
        unpriced=sum(row.unpriced for row in rows),
        pulls=pulls[0],
        settled=pulls[1],
        half=within(times, 0.5),
        most=within(times, 0.95),
        addressed=whole.share,
    )


async def reviews(opened: Opened, session: SignedIn, repository: int | None, state: str, after: str) -> ListPage:
    """A page of the list."""
    return await opened.store.listing.page(session.scope, ROWS, repository=repository, state=state, after=after)


async def queue(opened: Opened, session: SignedIn) -> Queue:
    """The queue and the failures that are this session's to see."""
    jobs, failures, failed = await asyncio.gather(
        opened.jobs.listed(),
        opened.store.failures.newest(session.scope, FAILURES),
        opened.store.failures.count(session.scope),
    )
    shown = [_queued(job) for job in jobs if session.may(_installation(job))]
    running = tuple(job for job in shown if job.state == "running")
    waiting = tuple(job for job in shown if job.state != "running")
    return Queue(running, waiting, failures, failed)


async def review(opened: Opened, session: SignedIn, job: str) -> ReviewPage | None:
    """One review; None if no review of this name exists or the session may not see it."""
    found = await opened.store.listing.one(job, session.scope)
    if found is not None:
        return await _finished(opened, *found)
    live = await opened.jobs.one(job)
    if live is None or not isinstance(live.ask, ReviewAsk) or not session.may(live.ask.pull.installation):
        return None
    return await _live(opened, live, live.ask)


async def _finished(opened: Opened, row: ListedReview, data: bytes) -> ReviewPage:
    owner, _, name = row.name.partition("/")
    pull = PullRef(row.installation, row.repository, owner, name, row.number)
    output = _output(data)
    seen = await trace.of(row.journal, opened.store, opened.place.data) if row.journal else None
    return ReviewPage(
        id=row.id,
        pull=pull,
        title=row.title or str(_part(output, "pull").get("title") or ""),
        state=row.state,
        trigger=row.trigger,
        started=row.started,
        row=row,
        output=output,
        findings=_findings(output),
        coverage=_coverage(_part(output, "coverage")),
        trace=seen,
    )


async def _live(opened: Opened, live: ListedJob, ask: ReviewAsk) -> ReviewPage:
    journal = await trace.newest(ask.pull, opened.store, opened.place.data) if live.state == "running" else None
    seen = await trace.of(journal, opened.store, opened.place.data) if journal else None
    return ReviewPage(live.id.partition("+")[0], ask.pull, "", live.state, ask.trigger, live.stored, seen)


def _output(data: bytes) -> Mapping[str, Any]:
    """A review's JSON; one of another version may lack anything."""
    try:
        found = json.loads(data)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _part(output: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = output.get(name)
    return found if isinstance(found, Mapping) else {}


def _findings(output: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """The findings with their state against the round before, those of this round first."""
    rows = []
    for name, state in (("findings", "new"), ("still", "open"), ("fixed", "fixed")):
        rows += [{**row, "state": state} for row in output.get(name) or () if isinstance(row, Mapping)]
    return tuple(rows[:FINDINGS])


KINDS = {
    "unit": "changed code",
    "use": "uses of what changed",
    "file": "changed files left out",
    "dependent": "files that import it",
}


def _coverage(coverage: Mapping[str, Any]) -> tuple[CoverageReading, ...]:
    rows = [row for row in coverage.get("readings") or () if isinstance(row, Mapping)]
    found = []
    for kind, name in KINDS.items():
        counts = Counter(str(row.get("state")) for row in rows if row.get("kind") == kind)
        covered = counts["reviewed"] + counts["reused"]
        named = {"covered": covered, "skipped": counts["skipped"], "open": counts["unread"]}
        if counts:
            found.append(CoverageReading(name, plots.parts(named), sum(named.values())))
    return tuple(found)


def _installation(job: ListedJob) -> int:
    pull = getattr(job.ask, "pull", None)
    return int(pull.installation if pull is not None else getattr(job.ask, "installation", 0))


def _queued(job: ListedJob) -> QueuedJob:
    ask, where, page = job.ask, "", ""
    if isinstance(ask, ReviewAsk):
        what, page = f"review ({ask.trigger})", address(job.id.partition("+")[0])
    elif isinstance(ask, CommandAsk):
        what = ask.word
    else:
        what = "merge queue" if isinstance(ask, MergeGroup) else "tidying up"
    pull = getattr(ask, "pull", None)
    if pull is not None:
        where = f"{pull.owner}/{pull.name}#{pull.number}"
    elif isinstance(ask, MergeGroup):
        where = f"{ask.owner}/{ask.name}"
    return QueuedJob(job.id, what, job.state, job.stored, job.tries, where, page)


def address(job: str) -> str:
    """Where the page of a review is."""
    return f"/reviews/{quote(job, safe='~')}"


def install(opened: Opened, slug: str) -> str:
    """Where the App is installed on repositories; "" while its name is not known."""
    return manifest.install(opened.place.github_api, slug) if slug else ""


def at_github(opened: Opened, name: str, number: int) -> str:
    """Where a pull request is."""
    return f"{site(opened.place.github_api)}/{quote(name)}/pull/{number}"
