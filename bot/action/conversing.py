"""A remark of a person, answered by a step of a workflow: what was answered and withdrawn before is known from comments alone."""

import time
from contextlib import suppress
from datetime import datetime

from bot.action.backend import StepBackend, withdrawn
from bot.action.console import Console
from bot.action.reviewing import looked, opened
from bot.commands import CommandReply, Permission, conversation
from bot.commands.conversation import HeardRemark, RemarkReply
from bot.commands.conversation.hearing import GONE
from bot.config import Step
from bot.errors import GitError, HostRefused, NothingToReview, OverLimit, UsageError
from bot.github import Host
from bot.outputs import marker
from bot.payloads import Remark
from bot.publish import withdrawing
from bot.values import RemarkAsk, ReviewAsk
from bot.wiring import action as parts
from bot.wiring import review as models
from bot.workflow import asking
from bot.workflow.backend import ReviewResult, ReviewRun
from bot.workflow.remarks import failed, hear, posted


async def answer(ask: RemarkAsk, step: Step, console: Console) -> ReviewResult:
    """Answer it if it is meant for us."""
    async with opened(step, ask.pull) as host:
        heard = await _heard(ask, host)
        if isinstance(heard, str):
            return ReviewResult("skipped", f"Nothing was answered: {heard}.")
        seen, settings = await looked(host, step)
        standing = await _stands(ask, host)
        able = models.can_ask(settings)
        refused = conversation.refusal(ask.actor, standing, settings, mentioned=bool(ask.mentioned), model=able)
        if refused is not None:
            await asking.answered(refused, ask.comment, host)
            return ReviewResult(
                "skipped", "Nothing was answered: no model is set up, or who wrote may not ask, or not so often."
            )
        await asking.answered(CommandReply(), ask.comment, host, seen=True)
        asked = ReviewAsk(ask.pull, "command", actor=ask.actor, comment=ask.comment)
        run, backend = ReviewRun("", asked, host, seen, settings), StepBackend(step, console)
        made = await _made(ask, heard, run, backend)
        await posted(made, ask, host)
        if made.withdrawn:
            silenced = {mark for mark, _, _ in await withdrawn(host)}
            with suppress(HostRefused):
                await withdrawing.close(host, host, [mark for mark, _ in made.withdrawn], silenced)
    return ReviewResult("success", "A remark was answered.")


async def _heard(ask: RemarkAsk, host: Host) -> HeardRemark | str:
    try:
        return await hear(ask, host)
    except HostRefused as wrong:
        if not wrong.gone:
            raise
        return GONE


async def _made(ask: RemarkAsk, heard: HeardRemark, run: ReviewRun, backend: StepBackend) -> RemarkReply:
    """The answer to the remark, from the change as it is now, if the day leaves something to spend."""
    try:
        async with backend.fetched(run) as pull:
            change = await backend.change(run, pull)
            async with backend.funds(run, change) as funds:
                if funds.refused:
                    return failed(funds.refused, run.language)
                asked = Remark(heard, run.language, change.earlier, change)
                return await parts.conversed(asked, backend.step.inputs.config)
    except (OverLimit, NothingToReview, UsageError, GitError) as error:
        return failed(str(error), run.language) if ask.mentioned else RemarkReply()


async def _stands(ask: RemarkAsk, host: Host) -> Permission:
    """Who speaks. Which of their remarks were answered before is known from our answers."""
    listed = (*await host.review_comments(), *await host.comments())
    said = [marker.read(one.body) or {} for one in listed if one.ours]
    known = {one.get("comment", "") for one in said if one.get("kind") == asking.REPLY}
    own = [one for one in listed if one.author == ask.actor and one.id != ask.comment.id and str(one.id) in known]
    earlier = tuple(datetime.fromisoformat(one.created).timestamp() for one in own)
    return Permission(await host.permission(ask.actor), time.time(), earlier)
