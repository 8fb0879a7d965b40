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
    CommandAsk,
    Follow,
    Forget,
    MergeGroup,
    PackageSurvey,
    RemarkAsk,
    ReviewAsk,
)
from bot.workflow import (
    asking,
    cancelling,
    ci_failures,
    command_job,
    concluding,
    conversing,
    forgetting,
    packages,
    review_job,
)
from bot.workflow.parts import Services, remember_failure

Work = Callable[[Any, Job, Services], Awaitable[None]]
WORK: Mapping[type[Ask], Work] = {
    ReviewAsk: review_job.review,
    CommandAsk: command_job.answer,
    RemarkAsk: conversing.answer,
    Cancel: cancelling.end,
    Follow: concluding.follow_later,
    ChecksEnded: ci_failures.spread,
    MergeGroup: concluding.let_pass,
    Forget: forgetting.forget,
    PackageSurvey: packages.survey,
}


async def carry_out(ask: Ask, job: Job, parts: Services) -> None:
    """Do what was asked. Raises SupersededError where it is no longer wanted, HostDown and HostLimited where a later try may succeed."""
    await WORK[type(ask)](ask, job, parts)


async def apologise(ask: Ask, why: str, parts: Services) -> None:
    """Say why a job was given up in the check runs that were left in progress, and below the comment that asked. May be done twice."""
    await remember_failure(ask, why, parts.store)
    if isinstance(ask, MergeGroup):
        await concluding.stop(ask, parts)
    if not isinstance(ask, ReviewAsk | CommandAsk | RemarkAsk):
        return
    again = "Write it again" if isinstance(ask, RemarkAsk) else "`/deeprepo review` tries again"
    says = f"This could not be done: {why}. {again}."
    async with github.open_pull(parts.identity, ask.pull, parts.pace) as host:
        if isinstance(ask, ReviewAsk):
            for run, number in await parts.store.checks.of(ask.pull):
                await checks.end_broken(host, number, run, (await host.facts()).head_sha, says)
                await parts.store.checks.remove(run)
        if ask.comment is not None and await _is_ours(ask, host):
            await asking.post_answer(CommandReply(plain(says)), ask.comment, host)


async def _is_ours(ask: ReviewAsk | CommandAsk | RemarkAsk, host: Host) -> bool:
    """Whether we are addressed: by name, or in the thread of a finding. Any other remark was meant for somebody else."""
    if not isinstance(ask, RemarkAsk) or ask.mentioned:
        return True
    request = await asking.interpret(ask, host)
    return isinstance(request, CommandAsk) or (
        isinstance(request, RemarkAsk) and not isinstance(await asking.hear(request, host), str)
    )
