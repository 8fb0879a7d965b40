"""A command in a comment, from the person's permission to the answer below it."""

from contextlib import suppress
from dataclasses import replace
from functools import partial

from pydantic import TypeAdapter

from bot import commands, github
from bot.commands import CommandContext, CommandReply
from bot.config import Config
from bot.errors import HostRefused, OverLimit
from bot.github import Host
from bot.jobs import Job
from bot.payloads import Question
from bot.render import load
from bot.values import CommandAsk, CommentRef
from bot.values.daily import CapReached
from bot.workflow import asking, command_words, concluding, fixing, spending
from bot.workflow.command_words import DECIDES, GivenCommand
from bot.workflow.learning import Lessons
from bot.workflow.looking import PullState
from bot.workflow.parts import Services

REVIEWS = frozenset({"review", "full review"})
_ANSWER = TypeAdapter(CommandReply)


async def answer(ask: CommandAsk, job: Job, parts: Services) -> None:
    """Carry the command out and post its answer. Gone through again after a crash, it answers once and pays once."""
    async with github.open_pull(parts.identity, ask.pull, parts.pace) as host:
        await carry_out(ask, host, job, parts)


async def carry_out(ask: CommandAsk, host: Host, job: Job, parts: Services) -> None:
    """Do it where the pull request is open already."""
    state = await parts.look(ask.pull, host, job)
    settings = await parts.settings_of(state)
    standing = await asking.stands(ask, host, job, parts)
    refusal = commands.refusal(ask.word, ask.actor, standing, settings)
    await asking.post_answer(refusal or CommandReply(), ask.comment, host, is_seen=refusal is None)
    if refusal is not None:
        return
    lessons = Lessons(ask.pull, host, load(settings.language), parts.store)
    was_decided = ask.word not in REVIEWS and await lessons.learn()  # a review learns by itself
    reply = await job.step("answer", partial(_reply, ask, state, settings, lessons, job, parts), _ANSWER, lasts=True)
    comment = await asking.post_answer(reply, ask.comment, host)
    if reply.rule and comment is not None:
        await parts.store.rules.show(ask.pull.repository, reply.rule, comment.id, comment.kind)
    decides = ask.word == "rules" and ask.argument.lower().split()[:1] in ([word] for word in DECIDES)
    if was_decided or decides or ask.word == "ignore":
        await concluding.follow(ask.pull, host, parts, f"{ask.comment.kind}-{ask.comment.id}")


async def _reply(
    ask: CommandAsk, state: PullState, settings: Config, lessons: Lessons, job: Job, parts: Services
) -> CommandReply:
    last, top = await parts.store.reviews.last(ask.pull), await _top(ask.comment, lessons.host)
    context = CommandContext(parts.in_force(settings), ask.actor, state.facts.base_ref, last, top)
    if ask.word == "fix":
        return await fixing.fix(ask, state, context, job, parts)
    if ask.word in commands.READING:
        return await _read(ask, state, context, parts)
    if ask.word in command_words.WORDS:
        command = GivenCommand(ask, context, state.facts, lessons, parts.jobs)
        return await command_words.WORDS[ask.word](command)
    return await commands.answer(ask.word, ask.argument, context)


async def _read(ask: CommandAsk, state: PullState, context: CommandContext, parts: Services) -> CommandReply:
    """The answer of a command that computes on code: in a child process, and with the change where a model can be asked."""
    name = f"{ask.pull.repository}-{ask.pull.number}-comment-{ask.comment.id}"
    question = Question(ask.word, ask.argument, context, name)
    try:
        if not parts.model(context.settings):
            return await parts.answer(question)
        async with (
            parts.fetch(ask.pull, state) as pull,
            spending.reserve(ask.pull, name, context.settings, parts) as grant,
        ):
            if isinstance(grant, CapReached):
                return context.say("reply_failed", why=spending.sentence(grant))
            return await parts.answer(
                replace(question, brief=state.brief(pull, context.settings.within(grant.usd), name))
            )
    except OverLimit as error:
        return context.say("reply_failed", why=str(error))


async def _top(comment: CommentRef, host: Host) -> str:
    """The text of the thread's top comment, where we wrote it."""
    if not comment.thread:
        return ""
    with suppress(HostRefused):
        comment_there = await host.comment_at(CommentRef(comment.thread, "review"))
        return comment_there.body if comment_there.ours else ""
    return ""
