"""Carry out the commands of a comment in a workflow step, which stores nothing except in its own comments."""

from contextlib import suppress

from bot.action.console import Console
from bot.action.event import asked_review
from bot.action.review_step import StepReviewer, dismissed, look_up, open_host, permission_of, review
from bot.commands import CommandContext, CommandReply
from bot.config import Step
from bot.errors import GitError, HostRefused, NothingToReview, OverLimit, UsageError, public
from bot.github import Host
from bot.payloads import Question
from bot.values import CommandAsk, CommentRef, ReviewAsk
from bot.wiring import access
from bot.wiring import action as parts
from bot.workflow import commands, replies
from bot.workflow.commands import QUESTIONS, REVIEWS
from bot.workflow.given_command import BareCommand
from bot.workflow.publish.checks import HeadStatus
from bot.workflow.publish.tidy import ThreadCloser, close
from bot.workflow.reviewer import ReviewResult, ReviewRun

REFUSED = "No answer: the author of the command has no permission or reached the rate limit."


async def answer(ask: CommandAsk, step: Step, console: Console) -> ReviewResult:
    """Answer the commands of a comment, and then review if one of them asks for it."""
    async with open_host(step, ask.pull) as host:
        state, settings = await look_up(host, step, console)
        permission = await permission_of(ask.actor, ask.comment, host)
        request = ReviewAsk(ask.pull, "command", actor=ask.actor, comment=ask.comment)
        reviewer = StepReviewer(ReviewRun("", request, host, state, settings), step, console)
        last, _ = await reviewer.last()
        context = CommandContext(
            access.in_force(settings), ask.actor, state.facts.base_ref, last, await _top(ask, host)
        )
        for each in ask.each:
            if each.word in REVIEWS:
                continue
            refusal = commands.refusal(each.word, each.actor, permission, settings)
            await replies.post_reply(refusal or CommandReply(), each.comment, host, is_seen=refusal is None)
            if refusal is not None:
                return ReviewResult(HeadStatus("skipped"), REFUSED)
            await _carry_out(BareCommand(each, context, state, host), reviewer)
    if any(each.word in REVIEWS for each in ask.each):
        return await review(asked_review(ask), step, console)
    return ReviewResult(HeadStatus("success"), "Answered a command.")


async def _carry_out(command: BareCommand, reviewer: StepReviewer) -> None:
    host, ask = command.host, QUESTIONS.get(command.ask.word)
    if ask is not None:
        question = Question(ask, command.ask.argument, command.context, "")
        await replies.post_reply(await _from_model(question, reviewer), command.ask.comment, host)
        return
    reply = await commands.answer_in_step(command)
    facts = {"ignored": reply.ignored} if reply.ignored else {}
    await replies.post_reply(reply, command.ask.comment, host, facts=facts)
    if reply.ignored:
        marks = {each.mark for each in await dismissed(host)}
        with suppress(HostRefused):
            await close(ThreadCloser(host), [reply.ignored.split()[0]], marks)


async def _from_model(question: Question, reviewer: StepReviewer) -> CommandReply:
    """Return the answer from the change as it is now, if the day leaves something to spend."""
    given = question.context
    if not access.can_ask(given.settings):
        return await parts.answer(question)
    try:
        async with reviewer.fetch() as pull:
            brief = await reviewer.bare_brief(pull)
            async with reviewer.funds(brief) as left:
                if left.refusal:
                    return given.say("reply_failed", why=left.refusal)
                return await parts.answer(Question(question.answer, question.argument, given, "", left.within(brief)))
    except (OverLimit, NothingToReview, UsageError, GitError) as error:
        return given.say("reply_failed", why=public(error))


async def _top(ask: CommandAsk, host: Host) -> str:
    """Return the text of the thread's top comment, or "" if we did not write it."""
    if ask.comment.thread:
        with suppress(HostRefused):
            top = await host.comment_at(CommentRef(ask.comment.thread, "review"))
            return top.body if top.ours else ""
    return ""
