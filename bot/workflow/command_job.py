"""Carry out the commands in a comment: check the person's permission, run them, and post the answers."""

from functools import partial

from pydantic import TypeAdapter

from bot import github
from bot.commands import CommandContext, CommandReply
from bot.config import Config
from bot.errors import HostLocked, HostRefused
from bot.github import Host
from bot.values import CommandJob
from bot.wiring.access import in_force
from bot.workflow import commands, refresh_job, replies
from bot.workflow.given_command import GivenCommand
from bot.workflow.jobs import Attempt
from bot.workflow.pull_state import PullState
from bot.workflow.server import Server

_ANSWER = TypeAdapter(CommandReply)


async def run(job: CommandJob, attempt: Attempt, server: Server) -> None:
    """Carry the commands out and post their answers. A run after a crash neither answers nor pays again."""
    async with github.open_pull(server.identity, job.pull, server.pace) as host:
        access = await replies.access_of(job, host, server.recent)
        permission = await replies.permission_of(job, access, server.store.people)
        if replies.is_ignored(permission):
            return
        state = await server.read_pull(host)
        settings = await server.settings_of(state)
        is_changed, unposted = False, None
        for each in job.each:
            refusal = commands.refusal(each.word, each.actor, permission)
            await replies.post_reply(refusal or CommandReply(), each.comment, host, is_seen=refusal is None)
            if refusal is not None:
                break
            name = f"answer {each.comment.part}" if each.comment.part else "answer"
            reply = await attempt.step(name, partial(_reply, each, state, settings, host, attempt, server), _ANSWER)
            is_changed |= reply.silences
            try:
                await replies.post_reply(reply, each.comment, host)
            except HostRefused as refused:  # the decisions still count
                if not (attempt.last or isinstance(refused, HostLocked)):
                    raise
                unposted = refused
        if is_changed:
            await refresh_job.refresh(state, settings, host, server, f"{job.comment.kind}-{job.comment.id}")
        if unposted is not None:
            raise unposted


async def _reply(
    job: CommandJob, state: PullState, settings: Config, host: Host, attempt: Attempt, server: Server
) -> CommandReply:
    last, top = await server.store.reviews.last(job.pull), await replies.top_comment(job.comment, host)
    context = CommandContext(in_force(settings), job.actor, state.facts.base_ref, last, top)
    return await commands.answer(GivenCommand(job, context, state, host, attempt, server))
