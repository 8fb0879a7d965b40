"""A job was given up: report the reason to the person or the merge queue that waits for it."""

from bot import github
from bot.commands import CommandReply
from bot.github import Host
from bot.publish import checks
from bot.render import plain
from bot.values import Ask, CommandAsk, MergeGroup, RemarkAsk, ReviewAsk
from bot.workflow import asking, queueing, remarks
from bot.workflow.parts import Services


async def apologise(ask: Ask, why: str, parts: Services) -> None:
    """Say it in the check runs that were left in progress, and below the comment that asked. May be done twice."""
    if isinstance(ask, MergeGroup):
        await queueing.stop(ask, parts)
    if not isinstance(ask, ReviewAsk | CommandAsk | RemarkAsk):
        return
    again = "Write it again" if isinstance(ask, RemarkAsk) else "`/deeprepo review` tries again"
    says = f"This could not be done: {why}. {again}."
    async with github.open_pull(parts.identity, ask.pull, parts.pace) as host:
        if isinstance(ask, ReviewAsk):
            for run, number in await parts.store.checks.of(ask.pull):
                await checks.end_broken(host, number, run, (await host.facts()).head_sha, says)
                await parts.store.checks.remove(run)
        if ask.comment is not None and await _ours(ask, host):
            await asking.post_answer(CommandReply(plain(says)), ask.comment, host)


async def _ours(ask: ReviewAsk | CommandAsk | RemarkAsk, host: Host) -> bool:
    """Whether we are addressed: by name, or in the thread of a finding. Any other remark was meant for somebody else."""
    if not isinstance(ask, RemarkAsk) or ask.mentioned:
        return True
    request = await remarks.interpret(ask, host)
    return isinstance(request, CommandAsk) or (
        isinstance(request, RemarkAsk) and not isinstance(await remarks.hear(request, host), str)
    )
