"""Map each kind of job to the function that does it, and report jobs that were given up."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from bot import config, github
from bot.commands import CommandReply
from bot.errors import HostError, HostRefused
from bot.github import Host, Identity, RequestPace, apps
from bot.github.policy import Recent
from bot.machine.processes import ProcessLimits
from bot.render import load, plain
from bot.storage import Store
from bot.values import (
    Cancel,
    ChecksWanted,
    CommandJob,
    Follow,
    Forget,
    Job,
    MergeGroup,
    PullJob,
    Relabeled,
    RemarkJob,
    Review,
    ReviewJob,
)
from bot.values.review import ReviewStatus
from bot.workflow import (
    cancel_job,
    command_job,
    commands,
    data_folder,
    merge_queue_job,
    refresh_job,
    remark_job,
    replies,
    review_job,
    small_jobs,
)
from bot.workflow.jobs import Apologise, Attempt, Jobs, Work
from bot.workflow.publish import checks, notice
from bot.workflow.server import Server, record_failure

OfPull = TypeVar("OfPull", bound=PullJob)
WORK: Mapping[type[Job], Callable[[Any, Attempt, Server], Awaitable[None]]] = {
    ReviewJob: review_job.run,
    CommandJob: command_job.run,
    RemarkJob: remark_job.run,
    Cancel: cancel_job.run,
    Follow: refresh_job.run,
    Relabeled: small_jobs.relabel,
    ChecksWanted: small_jobs.rerun_checks,
    MergeGroup: merge_queue_job.run,
    Forget: small_jobs.forget,
}


def open_work(
    store: Store,
    jobs: Jobs,
    identity: Identity,
    pace: RequestPace,
    folder: Path,
    count_review: Callable[[Review, ReviewStatus], None],
    caps: ProcessLimits,
) -> tuple[Work, Apologise]:
    """Return the functions that carry out a server's jobs and that apologize for jobs that were given up."""
    settings = config.environment(on_server=True)
    data_folder.remove_leftovers(folder)
    server = Server(store, jobs, identity, pace, folder, settings, Recent(), caps, count_review)
    return partial(carry_out, server=server), partial(apologise, server=server)


async def carry_out(job: Job, attempt: Attempt, server: Server) -> None:
    """Do a job.

    Raises SupersededError if it is no longer wanted, HostDown or HostLimited if a later try may succeed.
    """
    try:
        await WORK[type(job)](job, attempt, server)
    except HostRefused:
        moved = await _moved(job, server) if isinstance(job, PullJob) else job
        if moved == job:
            raise
        await WORK[type(moved)](moved, attempt, server)


async def _moved(job: OfPull, server: Server) -> OfPull:
    """Return the request with the current installation, because a repository can be transferred."""
    with suppress(HostError):
        installation = await apps.installation_of(server.identity, job.pull, server.pace)
        return replace(job, pull=replace(job.pull, installation=installation))
    return job


async def apologise(job: Job, why: str, server: Server) -> None:
    """Explain why a job was given up, in its check runs and below the comment. Can run twice."""
    await record_failure(job, why, server.store)
    if isinstance(job, MergeGroup):
        await merge_queue_job.stop(job, server)
    if not isinstance(job, ReviewJob | CommandJob | RemarkJob):
        return
    again = "Run the command again" if isinstance(job, RemarkJob) else "Comment `/deeprepo review` to try again"
    says = f"{why}. {again}."
    job = await _moved(job, server)
    async with github.open_pull(server.identity, job.pull, server.pace) as host:
        if isinstance(job, ReviewJob):
            await _end_checks(job, host, server, why, says)
        elif isinstance(job, CommandJob) and job.word in commands.REVIEWS:
            with suppress(HostError):
                head = (await host.facts()).head_sha
                # Otherwise the check already shows the commit's conclusion.
                if not await checks.is_there(host, head):
                    await _end_checks(ReviewJob(job.pull, "command", head=head), host, server, why, says)
        if job.comment is not None and await _is_ours(job, host, server):
            await replies.post_reply(CommandReply(plain(f"This command failed: {says}")), job.comment, host)


async def _end_checks(job: ReviewJob, host: Host, server: Server, why: str, says: str) -> None:
    """End the open check runs, or a new one made for this. If GitHub accepts none, post a comment."""
    open_checks, refusal = server.store.checks, ""
    if not await open_checks.of(job.pull):
        refusal = await review_job.begin(job, f"given-up-{job.head}", host, server, why)
    left = await open_checks.of(job.pull)
    head = ""
    with suppress(HostError):
        head = (await host.facts()).head_sha
    for run, number in left:
        try:
            await checks.end_broken(host, number, run, head, says, earlier=job.head)
        except HostRefused as refused:
            refusal = refused.reason
        else:
            await open_checks.remove(job.pull, number)
    if refusal and job.comment is None:
        async with server.lock_checks(job.pull):
            await notice.put(host, load(), says, refusal)


async def _is_ours(job: ReviewJob | CommandJob | RemarkJob, host: Host, server: Server) -> bool:
    """Return whether the comment addresses us, by name or in a finding's thread."""
    if not isinstance(job, RemarkJob) or job.mentioned:
        return True
    return not isinstance(await replies.read_remark(job, host, server.recent), str)
