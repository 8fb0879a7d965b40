"""A running server and its Prometheus metrics.

Each server has its own registry of metrics, so that several can run in one process.
"""

import asyncio
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from pydantic import SecretStr

from bot.app.readiness import CachedCheck, utc
from bot.config import Settings
from bot.config.server import App, ServerOptions
from bot.errors import StorageError
from bot.github import Identity, RequestPace
from bot.storage import Store
from bot.storage.findings import OUTCOMES
from bot.values import Review
from bot.values.review import ReviewStatus
from bot.workflow import events
from bot.workflow.events import OwnAccount
from bot.workflow.jobs import Jobs

# In seconds. GitHub waits 10 seconds for a response.
RESPONSE_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
KNOWN_EVENTS = frozenset({*events.ACTIONS, "ping"})


class Metrics:
    """Counts what one server does, and renders the counts for Prometheus."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        self.without_models_since: float | None = None  # since when the provider has failed every review
        ProcessCollector(registry=registry)
        counter, gauge = partial(Counter, registry=registry), partial(Gauge, registry=registry)
        histogram = partial(Histogram, buckets=RESPONSE_BUCKETS, registry=registry)
        self._deliveries = counter("deeprepo_deliveries", "Webhook deliveries.", ("event", "outcome"))
        self._response_seconds = histogram(
            "deeprepo_ack_seconds", "Time from the last byte of a delivery to its response."
        )
        self._jobs = gauge("deeprepo_jobs", "Stored jobs.", ("state",))
        outcomes = "Findings reported in the last 30 days, by outcome."
        self._outcomes = gauge("deeprepo_findings_outcome", outcomes, ("outcome",))
        self._reviews = counter("deeprepo_reviews", "Finished reviews.", ("conclusion",))
        self._findings = counter("deeprepo_findings_posted", "Findings posted.")
        self._dollars = counter("deeprepo_spent_dollars", "Money spent on models, as far as prices are known.")
        self._tokens = counter("deeprepo_tokens", "Tokens sent to and received from models.", ("kind",))
        self._github = counter("deeprepo_github_requests", "Requests to GitHub.", ("status",))
        self._rate_remaining = gauge("deeprepo_github_rate_remaining", "As reported in GitHub's last response.")
        self._idle = gauge("deeprepo_idle_seconds", "Time since the last worker stopped; 0 if there is one.")
        self._model_errors = counter("deeprepo_model_errors", "Model calls that failed.")

    def delivery(self, event: str, outcome: str, seconds: float | None = None) -> None:
        """Count an answered delivery, unknown events under one label, so that strangers can't add series."""
        self._deliveries.labels(event if event in KNOWN_EVENTS else "other", outcome).inc()
        if seconds is not None:
            self._response_seconds.observe(seconds)

    def review(self, review: Review, status: ReviewStatus) -> None:
        """Count a finished review: its status, its findings and its cost."""
        self._reviews.labels(status).inc()
        if status == "provider":
            self.without_models_since = self.without_models_since or time.time()
        elif review.cost.calls > review.cost.failed_calls:
            self.without_models_since = None
        self._findings.inc(len(review.new_findings))
        self._dollars.inc(review.cost.usd or 0.0)
        self._tokens.labels("input").inc(review.cost.usage.input)
        self._tokens.labels("output").inc(review.cost.usage.output)
        self._model_errors.inc(review.cost.failed_calls)

    def github(self, status: int, remaining: int | None) -> None:
        """Count a response from GitHub, and record how many requests GitHub still allows this hour."""
        self._github.labels(str(status)).inc()
        if remaining is not None:
            self._rate_remaining.set(remaining)

    def render(self, jobs: Mapping[str, int], outcomes: Mapping[str, int], idle: float) -> bytes:
        """Return all metrics in Prometheus's text format.

        Set the jobs by state, findings by outcome and the seconds without a worker first.
        """
        self._idle.set(idle)
        for state, count in outcomes.items():
            self._outcomes.labels(state).set(count)
        self._jobs.clear()
        for state, count in jobs.items():
            self._jobs.labels(state).set(count)
        return generate_latest(self._registry)


MONTH = 30 * 86_400.0  # seconds
# Anyone can request `/readyz`, and a check blocks the database's writers, so its result is reused for this
# long.
DATABASE_CHECK_SECONDS = 2.0
MIN_FREE_BYTES = 32 << 20  # with less free disk space, the server accepts no deliveries


@dataclass(slots=True)
class RunningServer:
    """A running server. It is mutable, because the server learns its name on GitHub later, and is stopped."""

    options: ServerOptions
    app: App
    metrics: Metrics
    store: Store
    jobs: Jobs
    identity: Identity
    pace: RequestPace
    ours: OwnAccount
    operator: Settings = field(default_factory=Settings)  # the operator's settings from the environment
    is_stopping: bool = False
    # Set to run the maintenance immediately
    catch_up_now: asyncio.Event = field(default_factory=asyncio.Event)
    checks: tuple[CachedCheck, ...] = ()  # of what reviews, but not deliveries depend on
    _storable: CachedCheck = field(init=False)

    def __post_init__(self) -> None:
        self._storable = CachedCheck(self.jobs.unready, DATABASE_CHECK_SECONDS)
        reviews = CachedCheck(self.store.unready, DATABASE_CHECK_SECONDS, "the database of reviews")
        unread = CachedCheck(self.jobs.unread, DATABASE_CHECK_SECONDS, "the job database")
        self.checks = (reviews, unread, *self.checks)

    @property
    def secret(self) -> SecretStr:
        """The secret with which GitHub signs its deliveries."""
        return self.app.webhook_secret

    async def unready(self) -> str:
        """Return why deliveries cannot be stored, or "" if they can.

        Anyone can read the reason, so it contains no path.
        """
        if self.is_stopping:
            return "the server is stopping"
        try:
            if shutil.disk_usage(self.options.data).free < MIN_FREE_BYTES:
                return "the disk of the data folder is full"
        except OSError:
            return "the data folder no longer exists"
        return await self._storable.reason()

    async def warning(self) -> str:
        """Return what delays or weakens reviews although deliveries can be stored, or ""."""
        idle, silent = self.jobs.idle_since, self.metrics.without_models_since
        found = [
            f"no process has carried out jobs since {utc(idle)}. Start `deeprepo worker`" if idle else "",
            f"reviews have had no model since {utc(silent)}" if silent else "",
            *(await asyncio.gather(*(check.warning() for check in self.checks))),
        ]
        return "; ".join(filter(None, found))

    async def counts(self) -> dict[str, int]:
        """Return the number of jobs by state. Return {} if the database doesn't answer."""
        try:
            return await self.jobs.counts()
        except StorageError:
            return {}

    async def outcomes(self) -> Mapping[str, int]:
        """Return the last 30 days' findings by outcome. Return {} if the database doesn't answer."""
        try:
            counts = await self.store.outcomes.of_repositories(None, time.time() - MONTH)
        except StorageError:
            return {}
        return {name: sum(count[name] for count in counts.values()) for name in OUTCOMES}

    async def drain(self) -> None:
        """Start no more jobs, and give running ones the grace period."""
        self.is_stopping = True
        await self.jobs.stop(self.options.grace)
