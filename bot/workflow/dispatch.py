"""Map each kind of ask to the job that carries it out, and report jobs that were given up."""

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
from bot.machine.limits import ProcessLimits
from bot.render import load, plain
from bot.storage import Store
from bot.values import (
    Ask,
    Cancel,
    ChecksWanted,
    CommandAsk,
    Follow,
    Forget,
    MergeGroup,
    PullAsk,
    Relabeled,
    RemarkAsk,
    Review,
    ReviewAsk,
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
from bot.workflow.jobs import Apologise, Job, Jobs, Work
from bot.workflow.publish import checks, notice
from bot.workflow.server import Server, record_failure

OfPull = TypeVar("OfPull", bound=PullAsk)
WORK: Mapping[type[Ask], Callable[[Any, Job, Server], Awaitable[None]]] = {
    ReviewAsk: review_job.run,
    CommandAsk: command_job.run,
    RemarkAsk: remark_job.run,
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


async def carry_out(ask: Ask, job: Job, server: Server) -> None:
    """Carry out an ask.

    Raises SupersededError if it is no longer wanted, HostDown or HostLimited if a later try may succeed.
    """
    try:
        await WORK[type(ask)](ask, job, server)
    except HostRefused:
        moved = await _moved(ask, server) if isinstance(ask, PullAsk) else ask
        if moved == ask:
            raise
        await WORK[type(moved)](moved, job, server)


async def _moved(ask: OfPull, server: Server) -> OfPull:
    """Return the request with the current installation, because a repository can be transferred."""
    with suppress(HostError):
        installation = await apps.installation_of(server.identity, ask.pull, server.pace)
        return replace(ask, pull=replace(ask.pull, installation=installation))
    return ask


async def apologise(ask: Ask, why: str, server: Server) -> None:
    """Explain why a job was given up, in its open check runs and below the comment that asked.

    Can run twice.
    """
    await record_failure(ask, why, server.store)
    if isinstance(ask, MergeGroup):
        await merge_queue_job.stop(ask, server)
    if not isinstance(ask, ReviewAsk | CommandAsk | RemarkAsk):
        return
    again = "Run the command again" if isinstance(ask, RemarkAsk) else "Comment `/deeprepo review` to try again"
    says = f"{why}. {again}."
    ask = await _moved(ask, server)
    async with github.open_pull(server.identity, ask.pull, server.pace) as host:
        if isinstance(ask, ReviewAsk):
            await _end_checks(ask, host, server, why, says)
        elif isinstance(ask, CommandAsk) and ask.word in commands.REVIEWS:
            with suppress(HostError):
                head = (await host.facts()).head_sha
                # Otherwise the check already shows the commit's conclusion.
                if not await checks.is_there(host, head):
                    await _end_checks(ReviewAsk(ask.pull, "command", head=head), host, server, why, says)
        if ask.comment is not None and await _is_ours(ask, host, server):
            await replies.post_reply(CommandReply(plain(f"This command failed: {says}")), ask.comment, host)


async def _end_checks(ask: ReviewAsk, host: Host, server: Server, why: str, says: str) -> None:
    """End the open check runs, or a new one made for this. If GitHub accepts none, post a comment."""
    open_checks, refusal = server.store.checks, ""
    if not await open_checks.of(ask.pull):
        refusal = await review_job.begin(ask, f"given-up-{ask.head}", host, server, why)
    left = await open_checks.of(ask.pull)
    head = ""
    with suppress(HostError):
        head = (await host.facts()).head_sha
    for run, number in left:
        try:
            await checks.end_broken(host, number, run, head, says, earlier=ask.head)
        except HostRefused as refused:
            refusal = refused.reason
        else:
            await open_checks.remove(ask.pull, number)
    if refusal and ask.comment is None:
        async with server.lock_checks(ask.pull):
            await notice.put(host, load(), says, refusal)


async def _is_ours(ask: ReviewAsk | CommandAsk | RemarkAsk, host: Host, server: Server) -> bool:
    """Return whether the comment addresses us, by name or in a finding's thread."""
    if not isinstance(ask, RemarkAsk) or ask.mentioned:
        return True
    return not isinstance(await replies.read_remark(ask, host, server.recent), str)
