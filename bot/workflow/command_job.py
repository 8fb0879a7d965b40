"""A command in a comment, from the person's permission to the answer below it."""

from contextlib import suppress
from functools import partial

from pydantic import TypeAdapter

from bot import github
from bot.commands import CommandContext, CommandReply
from bot.config import Config
from bot.errors import HostRefused
from bot.github import Host
from bot.values import CommandAsk, CommentRef
from bot.wiring.access import in_force
from bot.workflow import commands, hooks, refresh_job, replies
from bot.workflow.commands import REVIEWS
from bot.workflow.given_command import GivenCommand
from bot.workflow.jobs import Job
from bot.workflow.pull_state import PullState
from bot.workflow.server import Server

_ANSWER = TypeAdapter(CommandReply)


async def run(ask: CommandAsk, job: Job, server: Server) -> None:
    """Carry the command out and post its answer. Gone through again after a crash, it answers once and pays once."""
    async with github.open_pull(server.identity, ask.pull, server.pace) as host:
        access = await replies.access_of(ask, host, server.recent)
        permission = await replies.permission_of(ask, access, server.store.people)
        if replies.is_ignored(permission):
            return
        state = await server.read_pull(host)
        settings = await server.settings_of(state)
        refusal = commands.refusal(ask.word, ask.actor, permission, settings)
        await replies.post_reply(refusal or CommandReply(), ask.comment, host, is_seen=refusal is None)
        if refusal is not None:
            return
        was_decided = ask.word not in REVIEWS and await hooks.listen(host, server)  # a review listens by itself
        reply = await job.step("answer", partial(_reply, ask, state, settings, host, job, server), _ANSWER)
        comment, unposted = None, None
        try:
            comment = await replies.post_reply(reply, ask.comment, host)
        except HostRefused as refused:  # in a locked conversation: what was decided counts all the same
            if not job.last:
                raise
            unposted = refused
        if reply.rule and comment is not None:
            await hooks.tell_shown(reply.rule, comment, host, server)
        if was_decided or reply.silences:
            await refresh_job.refresh(state, settings, host, server, f"{ask.comment.kind}-{ask.comment.id}")
        if unposted is not None:
            raise unposted


async def _reply(
    ask: CommandAsk, state: PullState, settings: Config, host: Host, job: Job, server: Server
) -> CommandReply:
    last, top = await server.store.reviews.last(ask.pull), await _top(ask.comment, host)
    context = CommandContext(in_force(settings), ask.actor, state.facts.base_ref, last, top)
    return await commands.answer(GivenCommand(ask, context, state, host, job, server))


async def _top(comment: CommentRef, host: Host) -> str:
    """The text of the thread's top comment, where we wrote it."""
    if not comment.thread:
        return ""
    with suppress(HostRefused):
        comment_there = await host.comment_at(CommentRef(comment.thread, "review"))
        return comment_there.body if comment_there.ours else ""
    return ""
