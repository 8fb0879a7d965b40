"""Answer a person's remark if it is addressed to us, and resolve the thread that it settles."""

import asyncio
import logging
import time
from dataclasses import replace
from functools import partial

from pydantic import TypeAdapter

from bot import github
from bot.commands import CommandReply, Permission, conversation
from bot.commands.conversation import RemarkReply, RemarkThread
from bot.commands.conversation.threads import DELETED
from bot.commands.target import read
from bot.config import Config
from bot.errors import GitError, NothingToReview, OverLimit, UsageError, public
from bot.github import Host
from bot.payloads import Remark
from bot.values import Dismissal, RemarkAsk
from bot.values.daily import CapReached
from bot.wiring import access
from bot.workflow import conclusions, refresh_job, replies, spending
from bot.workflow.jobs import Job
from bot.workflow.pull_state import PullState
from bot.workflow.server import Server, ignore_missing_on_last_try

_REPLY = TypeAdapter(RemarkReply)
log = logging.getLogger("deeprepo.review")


async def run(ask: RemarkAsk, job: Job, server: Server) -> None:
    """Answer the remark if it is addressed to us.

    A run after a crash neither answers nor pays a second time.
    """
    async with github.open_pull(server.identity, ask.pull, server.pace) as host:
        remark_thread: RemarkThread | str = DELETED
        with ignore_missing_on_last_try(job):
            remark_thread = await replies.read_remark(ask, host, server.recent)
        if isinstance(remark_thread, str):
            _ignore(ask, remark_thread)
            return
        access = await replies.access_of(ask, host, server.recent)
        permission = await replies.permission_of(ask, access, server.store.people)
        if permission.earlier and not permission.writes:
            _ignore(ask, "its author has no write permission, and an answer said so")
            return
        await _answer(ask, remark_thread, permission, host, job, server)


def _ignore(ask: RemarkAsk, reason: str) -> None:
    log.info("a comment is not answered", extra={"facts": {"pull": ask.pull.key, "reason": reason}})


async def _answer(
    ask: RemarkAsk, remark_thread: RemarkThread, permission: Permission, host: Host, job: Job, server: Server
) -> None:
    state = await server.read_pull(host)
    settings = await server.settings_of(state)
    refusal = conversation.refusal(ask.actor, permission, names_us=ask.mentioned, model=access.can_ask(settings))
    if refusal is not None:
        await replies.post_reply(refusal, ask.comment, host)
        return
    await replies.post_reply(CommandReply(), ask.comment, host, is_seen=True)
    reply_now = partial(_reply, ask, remark_thread, state, settings, server)
    remark_reply = await job.step("answer", reply_now, _REPLY)
    await _dismiss_withdrawn(remark_reply, ask, server)
    await replies.post_remark_reply(remark_reply, ask, host)
    if remark_reply.withdrawn:
        state = await server.read_pull(host)  # a model may have taken minutes
        name = f"{ask.comment.kind}-{ask.comment.id}"
        await refresh_job.refresh(state, await server.settings_of(state), host, server, name)


async def _reply(
    ask: RemarkAsk, remark_thread: RemarkThread, state: PullState, settings: Config, server: Server
) -> RemarkReply:
    """Return the answer, made in a child process with the current change and today's remaining budget."""
    name = f"{ask.pull.repository}-{ask.pull.number}-remark-{ask.comment.kind}-{ask.comment.id}"
    try:
        async with (
            server.fetch(ask.pull, state) as pull,
            spending.reserve(ask.pull, name, settings, server) as grant,
        ):
            if isinstance(grant, CapReached):
                return replies.failure_reply(spending.refusal(grant))
            last = await server.store.reviews.last(ask.pull)
            dismissals, rules = await conclusions.silences(ask.pull, server.store)
            brief = replace(state.brief(pull, settings.within(grant.usd), name), dismissals=dismissals, rules=rules)
            return await server.converse(Remark(remark_thread, last, brief))
    except OverLimit as error:
        return replies.failure_reply(public(error))
    # The pull request is merged, or its branch is gone.
    except (NothingToReview, UsageError, GitError) as error:
        return replies.failure_reply(public(error)) if ask.mentioned else RemarkReply()


async def _dismiss_withdrawn(remark_reply: RemarkReply, ask: RemarkAsk, server: Server) -> None:
    """Dismiss the withdrawn findings. Repeating it changes nothing else."""
    last = await asyncio.to_thread(read, await server.store.reviews.last(ask.pull)) if remark_reply.withdrawn else None
    for fingerprint, reason in remark_reply.withdrawn:
        finding = last.by_identity(fingerprint) if last is not None else None
        if finding is None or not finding.proven:  # a review that ended meanwhile may have proven it
            dismissal = Dismissal(fingerprint, reason, "withdrawn", ask.actor)
            await server.store.people.dismiss(ask.pull, dismissal, time.time())
