"""Prometheus metrics of a server.

Each server has its own registry, so that several can run in one process.
"""

from collections.abc import Mapping
from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

from bot.values import Review
from bot.values.review import ReviewStatus
from bot.workflow import events

# In seconds. GitHub waits 10 seconds for a response.
RESPONSE_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
KNOWN_EVENTS = frozenset({*events.ACTIONS, "ping"})


class Metrics:
    """Counts what one server does, and renders the counts for Prometheus."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
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
        self._model_errors = counter("deeprepo_model_errors", "Model calls that failed.")

    def delivery(self, event: str, outcome: str, seconds: float | None = None) -> None:
        """Count an answered delivery.

        Unknown event names share a label, so that strangers can't add series.
        """
        self._deliveries.labels(event if event in KNOWN_EVENTS else "other", outcome).inc()
        if seconds is not None:
            self._response_seconds.observe(seconds)

    def review(self, review: Review, status: ReviewStatus) -> None:
        """Count a finished review: its status, its findings and its cost."""
        self._reviews.labels(status).inc()
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

    def render(self, jobs: Mapping[str, int], outcomes: Mapping[str, int]) -> bytes:
        """Return all metrics in Prometheus's text format.

        Set the jobs by state and findings by outcome first.
        """
        for state, count in outcomes.items():
            self._outcomes.labels(state).set(count)
        self._jobs.clear()
        for state, count in jobs.items():
            self._jobs.labels(state).set(count)
        return generate_latest(self._registry)
