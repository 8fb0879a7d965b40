"""One job from its beginning to its end: what is done for each kind of ask, and who is told where nothing came of it."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from bot import github
from bot.commands import CommandReply
from bot.github import Host
from bot.jobs import Job
from bot.publish import checks
from bot.render import plain
from bot.values import (
    Ask,
    Cancel,
    ChecksEnded,
    ChecksWanted,
    CommandAsk,
    Follow,
    Forget,
    MergeGroup,
    PackageSurvey,
    RemarkAsk,
    ReviewAsk,
)
from bot.workflow import (
    cancel_job,
    ci_failures,
    command_job,
    forget_job,
    merge_queue_job,
    packages,
    refresh_job,
    remark_job,
    replies,
    rerun_job,
    review_job,
)
from bot.workflow.services import Services, remember_failure

Work = Callable[[Any, Job, Services], Awaitable[None]]
WORK: Mapping[type[Ask], Work] = {
    ReviewAsk: review_job.run,
    CommandAsk: command_job.run,
    RemarkAsk: remark_job.run,
    Cancel: cancel_job.run,
    Follow: refresh_job.run,
    ChecksEnded: ci_failures.spread,
    ChecksWanted: rerun_job.run,
    MergeGroup: merge_queue_job.run,
    Forget: forget_job.run,
    PackageSurvey: packages.survey,
}


async def carry_out(ask: Ask, job: Job, services: Services) -> None:
    """Do what was asked. Raises SupersededError where it is no longer wanted, HostDown and HostLimited where a later try may succeed."""
    await WORK[type(ask)](ask, job, services)


async def apologise(ask: Ask, why: str, services: Services) -> None:
    """Say why a job was given up in the check runs that were left in progress, and below the comment that asked. May be done twice."""
    await remember_failure(ask, why, services.store)
    if isinstance(ask, MergeGroup):
        await merge_queue_job.stop(ask, services)
    if not isinstance(ask, ReviewAsk | CommandAsk | RemarkAsk):
        return
    again = "Write it again" if isinstance(ask, RemarkAsk) else "`/deeprepo review` tries again"
    says = f"This could not be done: {why}. {again}."
    async with github.open_pull(services.identity, ask.pull, services.pace) as host:
        if isinstance(ask, ReviewAsk):
            for run, number in await services.store.checks.of(ask.pull):
                await checks.end_broken(host, number, run, (await host.facts()).head_sha, says)
                await services.store.checks.remove(run)
        if ask.comment is not None and await _is_ours(ask, host):
            await replies.post_reply(CommandReply(plain(says)), ask.comment, host)


async def _is_ours(ask: ReviewAsk | CommandAsk | RemarkAsk, host: Host) -> bool:
    """Whether we are addressed: by name, or in the thread of a finding. Any other remark was meant for somebody else."""
    return not isinstance(ask, RemarkAsk) or ask.mentioned or not isinstance(await replies.hear_remark(ask, host), str)
