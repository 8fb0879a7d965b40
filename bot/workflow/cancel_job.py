"""Cancel the reviews of a pull request that was closed, made a draft, or canceled by a command.

Deliveries arrive late and in any order, so a pull request counts as closed only after GitHub confirms it.
Then its reviews are canceled, and the job records what people have said about the findings so far; open
findings stay open. The job also ends check runs that the canceled reviews left in progress.
"""

import time
from collections.abc import Mapping

from bot import github
from bot.config import policy
from bot.github import Host
from bot.values import Cancel, ReviewJob
from bot.values.job import ASKED
from bot.workflow import conclusions, replies
from bot.workflow.jobs import Attempt
from bot.workflow.publish import checks
from bot.workflow.publish.checks import HeadStatus
from bot.workflow.pull_state import PullState
from bot.workflow.reviewing import SUPERSEDED
from bot.workflow.server import Server, ignore_missing_on_last_try


async def run(job: Cancel, attempt: Attempt, server: Server) -> None:
    """Cancel reviews that a close or draft makes unnecessary, and end the check runs of canceled reviews."""
    if job.reason == "command":
        await _end_checks(job, attempt, server)
        return
    # Read this before asking GitHub: a review submitted later already knows a newer state.
    due = await server.jobs.reviews(job.pull)
    if not due and job.reason == "draft":
        return
    async with github.open_pull(server.identity, job.pull, server.pace) as host:
        state: PullState | None = None
        with ignore_missing_on_last_try(attempt):
            state = await server.read_pull(host)
        if state is None or state.facts.state != "open":
            await server.jobs.cancel(job.pull, due.keys())
            if state is not None:
                await _close(job, state, due, host, server)
        elif state.facts.draft:
            again = ReviewJob(job.pull, "catch-up", head=state.facts.head_sha)
            if isinstance(policy.decide(state.facts, again, await server.settings_of(state)), policy.SkipReview):
                asked = {run for run, due_job in due.items() if due_job.trigger in ASKED}
                await server.jobs.cancel(job.pull, due.keys() - asked)


async def _end_checks(job: Cancel, attempt: Attempt, server: Server) -> None:
    """End the check runs of these reviews, and show the head's earlier conclusion again if it has one."""
    left = [(run, number) for run, number in await server.store.checks.of(job.pull) if run in job.runs]
    if not left:
        return
    async with github.open_pull(server.identity, job.pull, server.pace) as host:
        with ignore_missing_on_last_try(attempt):  # the repository, and with it the check run, may no longer exist
            for run, number in left:
                await checks.end_without_review(host, number, run, SUPERSEDED, HeadStatus("cancelled"))
            if await server.store.reviews.heads(job.pull):
                state = await server.read_pull(host)
                settings = await server.settings_of(state)
                status = await conclusions.of_head(host.pull, state.facts, settings, server.store)
                if state.facts.state == "open" and status.is_reviewed:
                    await checks.show(host, state.facts.head_sha, status)
        for _, number in left:
            await server.store.checks.remove(job.pull, number)


async def _close(job: Cancel, state: PullState, due: Mapping[str, ReviewJob], host: Host, server: Server) -> None:
    for due_job in due.values():
        if due_job.comment is not None:
            await replies.post_closed_reply(due_job.comment, host)
    if not await server.store.reviews.heads(job.pull):
        return
    await server.store.reviews.close(job.pull, time.time(), merged=state.facts.merged)
    await server.store.outcomes.close(job.pull, time.time())
