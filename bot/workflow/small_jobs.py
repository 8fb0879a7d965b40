"""Three short jobs: ask again after a label changed, re-run the checks of a commit, and delete a repository's data."""

import asyncio
import logging
import time

from bot import github
from bot.errors import HostRefused
from bot.github import apps, responses
from bot.values import ChecksWanted, Forget, PullRef, Relabeled, ReviewJob
from bot.workflow import data_folder
from bot.workflow.jobs import Attempt
from bot.workflow.publish import checks
from bot.workflow.server import Server

WAIT_SECONDS = 10.0  # between two looks at whether a running review has ended
MAX_PULLS = 10  # pull requests per commit
LATE = 3.0  # seconds before GitHub's list is asked again, because it can lag behind the event
log = logging.getLogger("deeprepo.review")


async def relabel(job: Relabeled, attempt: Attempt, server: Server) -> None:
    """Submit a review of the head, unless it has one or a person canceled it."""
    if await server.jobs.reviews(job.pull):  # it may have read the labels before they changed
        await server.jobs.submit(job, f"labels-{time.time_ns()}", delay=WAIT_SECONDS)
        return
    last = await server.store.reviews.newest(job.pull)
    if last is not None and last.head == job.head:
        return
    async with github.open_pull(server.identity, job.pull, server.pace) as host:
        if not await checks.is_cancelled(host, job.head):
            review = ReviewJob(job.pull, job.trigger, actor=job.actor, head=job.head, stranger=job.stranger)
            await server.jobs.submit(review, f"labels-{attempt.delivery}")


async def rerun_checks(job: ChecksWanted, attempt: Attempt, server: Server) -> None:
    """Submit a review of every pull request that has one of our check runs on the commit.

    Our check runs keep their numbers even if the fork was deleted.
    """
    where = PullRef(job.installation, job.repository, job.owner, job.name, 0)
    async with github.open_pull(server.identity, where, server.pace) as host:
        numbers = await checks.pulls_of(host, job.head)
    for number in numbers[:MAX_PULLS]:
        pull = PullRef(job.installation, job.repository, job.owner, job.name, number, job.account)
        await server.jobs.submit(ReviewJob(pull, "rerun", actor=job.actor, head=job.head), attempt.delivery)


async def forget(job: Forget, _: Attempt, server: Server) -> None:
    """Cancel running jobs, then delete the repositories' jobs, stored data and journals.

    A delivery can be late, so data of repositories that the App can access now is kept.
    """
    still_ours = await _still_ours(job, server)
    if still_ours:
        await asyncio.sleep(LATE)
        still_ours = await _still_ours(job, server)
    if still_ours:
        facts = {"installation": job.installation, "repositories": len(still_ours)}
        log.info("data of repositories that the App can see is kept", extra={"facts": facts})
    gone = tuple(repository for repository in job.repositories if repository not in still_ours)
    if still_ours and not gone:
        return
    await server.jobs.forget(job.installation, gone)
    repositories = await server.store.not_transferred(job.installation, gone)
    await asyncio.to_thread(data_folder.forget, server.folder, repositories)
    # Last, so that a second attempt still knows what to delete.
    await server.store.forget(job.installation, gone)


async def _still_ours(job: Forget, server: Server) -> frozenset[int]:
    """Return which of the repositories the App can still access; none if it is no longer installed."""
    try:
        async with apps.open_installation(server.identity, job.installation, apps.LISTING, server.pace) as inside:
            ours = frozenset([int(responses.at(data, "id")) async for data in apps.repositories(inside)])
            return ours & frozenset(job.repositories) if job.repositories else ours
    except HostRefused as refused:
        if not refused.is_gone:
            raise
        return frozenset()
