"""Collect what each page shows from the database and the queue, limited to what the session may see."""

import asyncio
import time
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import quote

from bot import config
from bot.app import manifest
from bot.app.operator import plots
from bot.app.operator.plots import Plot, Share
from bot.app.operator.sessions import Session
from bot.app.running_server import RunningServer
from bot.github.apps import site
from bot.storage import Failure
from bot.storage.findings import addressed_share
from bot.storage.listing import DAY, DaySum, ListedReview
from bot.stored import reviews
from bot.values import CommandJob, Coverage, Finding, MergeGroup, PullJob, PullRef, Review, ReviewJob
from bot.workflow.jobs import ListedJob

PAGE_ROWS = 50  # rows on each page of a list
MAX_REPOSITORIES, MAX_ALL_REPOSITORIES = 15, 1000  # on the overview, and on the overview of all repositories
MAX_FINDINGS = 200  # per review


@dataclass(frozen=True, slots=True)
class QueuedJob:
    """A job in the queue, with its description."""

    job: ListedJob
    what: str
    title: str  # owner/name#number, or "" if the job doesn't belong to a pull request
    review: str = ""  # the path of the review's page, or "" if the job isn't a review


@dataclass(frozen=True, slots=True)
class Queue:
    """Running, waiting and failed jobs."""

    running: tuple[QueuedJob, ...]
    waiting: tuple[QueuedJob, ...]
    failures: tuple[Failure, ...]
    failure_count: int  # includes failures that are not listed


@dataclass(frozen=True, slots=True)
class CapRow:
    """A daily cap, and what was spent against it, in dollars."""

    name: str
    spent_amount: float
    cap: float

    @property
    def left(self) -> float:
        """Dollars that reviews may still reserve."""
        return max(0.0, self.cap - self.spent_amount)


@dataclass(frozen=True, slots=True)
class Overview:
    """The values of the overview page."""

    days: int
    sums: DaySum
    pulls: int
    clean_pulls: int  # pull requests whose last review was clean
    addressed_share: float | None  # share of the reported findings
    shares: Mapping[int, float | None]  # the same share by repository ID
    rows: tuple[DaySum, ...]  # one for each listed repository
    hidden_repositories: int  # how many repositories are not listed
    reviews: Plot
    cost: Plot
    states: tuple[Share, ...]
    caps: tuple[CapRow, ...]


@dataclass(frozen=True, slots=True)
class ListedFinding:
    """A finding of a review, with its state since the previous review."""

    finding: Finding
    state: str


@dataclass(frozen=True, slots=True)
class Page:
    """The values of a review's page. The review may still be running or waiting."""

    pull: PullRef
    title: str
    state: str  # an outcome, or "running", "waiting", "delayed"
    trigger: str
    started_at: float
    row: ListedReview | None = None  # None until the review is finished
    failed_calls: int = 0
    findings: tuple[ListedFinding, ...] = ()
    coverage: Mapping[str, tuple[Share, ...]] = field(default_factory=dict)
    unreadable: str = ""  # why the findings cannot be shown


async def overview(server: RunningServer, session: Session, days: int, *, whole: bool = False) -> Overview:
    """Return the overview of the last `days` days. `whole`: list all repositories."""
    most = MAX_ALL_REPOSITORIES if whole else MAX_REPOSITORIES
    store, today = server.store, int(time.time()) // DAY
    first = today - days + 1
    since = float(first * DAY)
    by_day, by_repository, total, pulls = await asyncio.gather(
        store.days.by_day(session.scope, since),
        store.days.by_repository(session.scope, since),
        store.days.whole(session.scope, since),
        store.listing.pulls(session.scope, since),
    )
    outcomes = await store.outcomes.of_repositories([row.key for row in by_repository], since)
    sums_by_day, span, all_outcomes = (
        {row.key: row for row in by_day},
        range(first, today + 1),
        sum(outcomes.values(), Counter()),
    )
    states = {
        "open": all_outcomes["waiting"],
        "fixed": all_outcomes["fixed"] + all_outcomes["accepted"],
        "rejected": all_outcomes["rejected"],
    }
    return Overview(
        days,
        total,
        *pulls,
        addressed_share(all_outcomes),
        {repository: addressed_share(counts) for repository, counts in outcomes.items()},
        by_repository[:most],
        max(len(by_repository) - most, 0),
        plots.bars(sums_by_day, span, lambda row: float(row.reviews), whole=True),
        plots.bars(sums_by_day, span, lambda row: row.usd),
        plots.parts(states | {"left": all_outcomes["left"]}),
        await _caps(server, session),
    )


async def _caps(server: RunningServer, session: Session) -> tuple[CapRow, ...]:
    """The operator also sees the server's cap."""
    settings = config.environment(on_server=True)
    spending = await server.store.spending.by_installation(session.scope, time.time())
    rows = []
    if session.scope is None and settings.cap_usd_per_day is not None:
        rows.append(CapRow("this server", sum(spending.values()), settings.cap_usd_per_day))
    cap = settings.cap_usd_per_day_installation
    for number in sorted(spending, key=lambda one: -spending[one]) if cap is not None else ():
        name = await server.store.listing.owner(number)
        rows.append(CapRow(name or f"installation {number}", spending[number], cap or 0.0))
    return tuple(rows)


async def queue(server: RunningServer, session: Session) -> Queue:
    """Return the jobs and failures that the session may see."""
    jobs, failures, failure_count = await asyncio.gather(
        server.jobs.list_jobs(),
        server.store.failures.newest(session.scope, PAGE_ROWS),
        server.store.failures.count(session.scope),
    )
    visible = [_queue_row(row) for row in jobs if session.may(row.job.installation)]
    running = tuple(row for row in visible if row.job.state == "running")
    waiting = tuple(row for row in visible if row.job.state != "running")
    return Queue(running, waiting, failures, failure_count)


async def review(server: RunningServer, session: Session, job: str) -> Page | None:
    """Return the review of a job, or None if it doesn't exist or the session may not see it."""
    store = server.store
    found = await store.listing.one(job, session.scope)
    if found is not None:
        row, data = found
        owner, _, name = row.name.partition("/")
        pull = PullRef(row.installation, row.repository, owner, name, row.number)
        page = Page(pull, row.title or "", row.state, row.trigger, row.started, row)
        try:
            stored = await asyncio.to_thread(reviews.review, data)
        except reviews.UnreadableError as error:
            return replace(page, unreadable=str(error))
        return replace(
            page,
            title=row.title or stored.pull.title,
            failed_calls=stored.cost.failed_calls,
            findings=_findings(stored, await store.outcomes.rejected(pull)),
            coverage=_coverage(stored.coverage),
        )
    live = await server.jobs.one(job)
    if live is None or not isinstance(live.job, ReviewJob) or not session.may(live.job.pull.installation):
        return None
    return Page(live.job.pull, "", live.state, live.job.trigger, live.stored_at)


def _findings(stored: Review, rejected: Collection[str]) -> tuple[ListedFinding, ...]:
    states = {"new": "new", "still": "open", "fixed": "fixed"}
    shown = [placed.finding for placed in stored.findings if placed.finding.status in states][:MAX_FINDINGS]
    return tuple(
        ListedFinding(one, states[one.status] + (", was rejected" if one.identity in rejected else "")) for one in shown
    )


LIST_KINDS = {
    "unit": "changed code",
    "use": "usages that may break",
    "file": "skipped files",
}


def _coverage(coverage: Coverage) -> Mapping[str, tuple[Share, ...]]:
    shares = {}
    for kind, name in LIST_KINDS.items():
        counts = Counter(reading.state for reading in coverage.readings if reading.kind == kind)
        covered_count = counts["reviewed"] + counts["reused"]
        if counts:
            shares[name] = plots.parts(
                {"covered": covered_count, "skipped": counts["skipped"], "open": counts["unread"]}
            )
    return shares


def _queue_row(row: ListedJob) -> QueuedJob:
    job = row.job
    where = f"{job.pull.owner}/{job.pull.name}#{job.pull.number}" if isinstance(job, PullJob) else ""
    if isinstance(job, ReviewJob):
        return QueuedJob(row, f"review ({job.trigger})", where, address(row.id.partition("+")[0]))
    if isinstance(job, MergeGroup):
        return QueuedJob(row, "merge queue", f"{job.owner}/{job.name}")
    if isinstance(job, CommandJob):
        return QueuedJob(row, job.word, where)
    return QueuedJob(row, "tidying up", where)


def address(job: str) -> str:
    """Return the path of a review's page."""
    return f"/reviews/{quote(job, safe='~')}"


def install(server: RunningServer, slug: str) -> str:
    """Return the URL on GitHub for installing the App, or "" while the App's name is unknown."""
    return manifest.install(server.options.github_api, slug) if slug else ""


def at_github(server: RunningServer, name: str, number: int) -> str:
    """Return a pull request's URL on GitHub. `name` is owner/name."""
    return f"{site(server.options.github_api)}/{quote(name)}/pull/{number}"
