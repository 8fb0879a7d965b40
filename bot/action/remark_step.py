"""Answer a remark in a workflow step. Earlier answers and withdrawals are only recorded in comments."""

import time
from contextlib import suppress
from datetime import datetime

from bot.action.console import Console
from bot.action.review_step import StepReview, look_up, open_host, read_recorded_answers
from bot.commands import CommandReply, Permission, conversation
from bot.commands.conversation import RemarkReply, RemarkThread
from bot.commands.conversation.threads import DELETED
from bot.config.action import Step
from bot.errors import GitError, HostRefused, NothingToReview, OverLimit, UsageError, public
from bot.github import Host
from bot.github.policy import Recent
from bot.payloads import Remark
from bot.stored import markers
from bot.stored.answered import REPLY
from bot.values import RemarkJob, ReviewJob
from bot.wiring import access
from bot.wiring import action as parts
from bot.workflow import replies
from bot.workflow.publish.checks import HeadStatus
from bot.workflow.publish.tidy import ThreadCloser, close
from bot.workflow.replies import failure_reply, post_remark_reply, read_remark
from bot.workflow.reviewing import Outcome, ReviewRun


async def answer(job: RemarkJob, step: Step, console: Console) -> Outcome:
    """Answer the remark if it is addressed to deeprepo."""
    async with open_host(step, job.pull) as host:
        remark = await _read_remark(job, host)
        if isinstance(remark, str):
            return Outcome(HeadStatus("skipped"), f"No answer: {remark}.")
        state, settings = await look_up(host, step, console)
        permission = await _permission(job, host)
        has_model = access.can_ask(settings)
        refusal = conversation.refusal(job.actor, permission, names_us=job.mentioned, model=has_model)
        if refusal is not None:
            await replies.post_reply(refusal, job.comment, host)
            return Outcome(
                HeadStatus("skipped"),
                "No answer: no model is configured, or the author has no permission or reached the rate limit.",
            )
        await replies.post_reply(CommandReply(), job.comment, host, is_seen=True)
        request = ReviewJob(job.pull, "command", actor=job.actor, comment=job.comment)
        reviewer = StepReview(ReviewRun("", request, host, state, settings), step, console)
        reply = await _reply(job, remark, reviewer)
        await post_remark_reply(reply, job, host)
        if reply.withdrawn:
            withdrawn_marks = {withdrawal.mark for withdrawal in (await read_recorded_answers(host)).dismissals}
            with suppress(HostRefused):
                await close(ThreadCloser(host), [mark for mark, _ in reply.withdrawn], withdrawn_marks)
    return Outcome(HeadStatus("skipped"), "Answered a comment.")


async def _read_remark(job: RemarkJob, host: Host) -> RemarkThread | str:
    """Return the remark with its thread, or why it is not answered."""
    try:
        return await read_remark(job, host, Recent())
    except HostRefused as refusal:
        if not refusal.is_gone:
            raise
        return DELETED


async def _reply(job: RemarkJob, remark_thread: RemarkThread, reviewer: StepReview) -> RemarkReply:
    try:
        async with reviewer.fetch() as pull:
            (last, _), brief = await reviewer.last(), await reviewer.brief_without_history(pull)
            funds = await reviewer.funds()
            if funds.refusal:
                return failure_reply(funds.refusal)
            return await parts.converse(Remark(remark_thread, last, funds.within(brief)))
    except (OverLimit, NothingToReview, UsageError, GitError) as error:
        return failure_reply(public(error)) if job.mentioned else RemarkReply()


async def _permission(job: RemarkJob, host: Host) -> Permission:
    """Return the author's permission, and the times of their earlier remarks, which our replies refer to."""
    comments = (*await host.comments("review"), *await host.comments())
    own_markers = [markers.read(comment.body) for comment in comments if comment.ours]
    answered_ids = {marker.facts.get("comment", "") for marker in own_markers if marker.kind == REPLY}
    own = [
        comment
        for comment in comments
        if comment.author == job.actor and comment.id != job.comment.id and str(comment.id) in answered_ids
    ]
    earlier = tuple(datetime.fromisoformat(comment.created_at).timestamp() for comment in own)
    return Permission(await host.permission(job.actor), time.time(), earlier)
