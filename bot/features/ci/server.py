"""The server's hooks for failed CI jobs, which update the summary of a posted review."""

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot import github
from bot.errors import HostRefused
from bot.features.ci import jobs, tasks
from bot.features.ci.section import FAILED_JOBS
from bot.features.ci.settings import CISettings
from bot.features.ci.values import CIReport
from bot.stored import reviews
from bot.values import ChecksEnded, Follow, PullRef
from bot.workflow.hooks import ServerHooks
from bot.workflow.jobs import Job
from bot.workflow.reviewer import ReviewRun
from bot.workflow.server import Server

if TYPE_CHECKING:
    from githubkit_schemas.latest.types import AppPermissionsType

    from bot.storage.reviews import StoredReview

READ_CHECKS: "AppPermissionsType" = {"checks": "read", "actions": "read", "pull_requests": "read", "metadata": "read"}
MOST_PULLS = 10  # pull requests per commit


class ServerFailedJobs(ServerHooks):
    """Adds the CI jobs that fail before or after a review is posted."""

    async def on_reviewed(self, run: ReviewRun, job: Job, server: Server) -> None:
        """Submit an update if a job has already failed on the head."""
        head = run.state.facts.head_sha
        if run.settings.of(CISettings).ci and await jobs.has_failed(run.host, head):
            await server.jobs.submit(Follow(run.ask.pull, head), f"ci-{job.id}")

    async def on_checks_ended(self, ask: ChecksEnded, job: Job, server: Server) -> None:
        """Submit an update for each pull request whose last review is of this commit.

        If no check failed, only summaries that list failures need an update.
        """
        for number in await server.store.reviews.pulls_at(ask.installation, ask.repository, ask.head, MOST_PULLS):
            pull = PullRef(ask.installation, ask.repository, ask.owner, ask.name, number)
            page = await _stored_page(pull, server)
            if page is not None and (ask.is_failure or page.check_runs):
                await server.jobs.submit(Follow(pull, ask.head), job.id)

    async def catch_up(self, pull: PullRef, head: str, server: Server) -> bool:
        """Add the jobs that failed on the head to its stored review. Return whether the review changed."""
        page = await _stored_page(pull, server)
        if page is None or page.head != head:
            return False
        async with github.open_pull(server.identity, pull, server.pace, READ_CHECKS) as host:
            try:
                rows = await jobs.failed(host, head)
            except HostRefused:
                return False
            if frozenset(int(check_run["id"]) for check_run in rows) == page.check_runs:
                return False
            logs = await jobs.job_logs(host, rows, page.bases, jobs.deadline())
            report = CIReport(logs, await jobs.patches(host) if rows else ())
        output = await server.compute(tasks.add, page.review.output, report)
        await server.store.reviews.rewrite(page.review.id, output.encode())
        return True


SERVER_FAILED_JOBS = ServerFailedJobs()


@dataclass(frozen=True, slots=True)
class _StoredPage:
    """A stored review that may list CI failures, with its commits and the listed check runs."""

    review: "StoredReview"
    head: str
    bases: tuple[str, ...]
    check_runs: frozenset[int]


async def _stored_page(pull: PullRef, server: Server) -> _StoredPage | None:
    """Return the last stored review; None if it cannot be read, or its settings turn the list off."""
    stored = await server.store.reviews.newest(pull)
    if stored is None:
        return None
    try:
        review = await asyncio.to_thread(reviews.review, stored.output)
    except reviews.UnreadableError:
        return None
    if not review.settings.of_features.get("ci", True):
        return None
    check_runs = frozenset(failure.id for failure in FAILED_JOBS.of(review))
    return _StoredPage(stored, review.pull.head, (review.pull.base, review.pull.base_tip or ""), check_runs)
