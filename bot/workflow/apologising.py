"""A job was given up: report the reason to the person who waits for it."""

from bot import github
from bot.commands import CommandReply
from bot.publish import checks
from bot.render import plain
from bot.values import Ask, CommandAsk, RemarkAsk, ReviewAsk
from bot.workflow import asking
from bot.workflow.parts import Services


async def apologise(ask: Ask, why: str, parts: Services) -> None:
    """Say it in the check runs that were left in progress, and below the comment that asked. May be done twice."""
    if not isinstance(ask, ReviewAsk | CommandAsk | RemarkAsk):
        return
    if isinstance(ask, RemarkAsk) and not ask.mentioned:  # it may have been meant for somebody else
        return
    again = "Write it again" if isinstance(ask, RemarkAsk) else "`/deeprepo review` tries again"
    says = f"This could not be done: {why}. {again}."
    async with github.opened(parts.identity, ask.pull, parts.pace) as host:
        if isinstance(ask, ReviewAsk):
            for run, number in await parts.store.checks.of(ask.pull):
                await checks.end_without_review(host, number, run, says)
                await parts.store.checks.remove(run)
        if ask.comment is not None:
            await asking.post_answer(CommandReply(plain(says)), ask.comment, host)
