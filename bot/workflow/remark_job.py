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
from bot.values import Dismissal, RemarkJob
from bot.values.daily import CapReached
from bot.wiring import access
from bot.workflow import conclusions, refresh_job, replies, spending
from bot.workflow.jobs import Attempt
from bot.workflow.pull_state import PullState
from bot.workflow.server import Server, ignore_missing_on_last_try

_REPLY = TypeAdapter(RemarkReply)
log = logging.getLogger("deeprepo.review")


async def run(job: RemarkJob, attempt: Attempt, server: Server) -> None:
    """Answer the remark if it is addressed to us, and never answer or pay twice after a crash."""
    async with github.open_pull(server.identity, job.pull, server.pace) as host:
        remark_thread: RemarkThread | str = DELETED
        with ignore_missing_on_last_try(attempt):
            remark_thread = await replies.read_remark(job, host, server.recent)
        if isinstance(remark_thread, str):
            _ignore(job, remark_thread)
            return
        access = await replies.access_of(job, host, server.recent)
        permission = await replies.permission_of(job, access, server.store.people)
        if permission.earlier and not permission.writes:
            _ignore(job, "its author has no write permission, and an answer said so")
            return
        await _answer(job, remark_thread, permission, host, attempt, server)


def _ignore(job: RemarkJob, reason: str) -> None:
    log.info("a comment is not answered", extra={"facts": {"pull": job.pull.key, "reason": reason}})


async def _answer(
    job: RemarkJob, remark_thread: RemarkThread, permission: Permission, host: Host, attempt: Attempt, server: Server
) -> None:
    state = await server.read_pull(host)
    settings = await server.settings_of(state)
    refusal = conversation.refusal(job.actor, permission, names_us=job.mentioned, model=access.can_ask(settings))
    if refusal is not None:
        await replies.post_reply(refusal, job.comment, host)
        return
    await replies.post_reply(CommandReply(), job.comment, host, is_seen=True)
    reply_now = partial(_reply, job, remark_thread, state, settings, server)
    remark_reply = await attempt.step("answer", reply_now, _REPLY)
    await _dismiss_withdrawn(remark_reply, job, server)
    await replies.post_remark_reply(remark_reply, job, host)
    if remark_reply.withdrawn:
        state = await server.read_pull(host)  # a model may have taken minutes
        name = f"{job.comment.kind}-{job.comment.id}"
        await refresh_job.refresh(state, await server.settings_of(state), host, server, name)


async def _reply(
    job: RemarkJob, remark_thread: RemarkThread, state: PullState, settings: Config, server: Server
) -> RemarkReply:
    name = f"{job.pull.repository}-{job.pull.number}-remark-{job.comment.kind}-{job.comment.id}"
    try:
        async with (
            server.fetch(job.pull, state) as pull,
            spending.reserve(job.pull, name, settings, server) as grant,
        ):
            if isinstance(grant, CapReached):
                return replies.failure_reply(spending.refusal(grant))
            last = await server.store.reviews.last(job.pull)
            dismissals, rules = await conclusions.silences(job.pull, server.store)
            brief = replace(state.brief(pull, settings.within(grant.usd), name), dismissals=dismissals, rules=rules)
            return await server.converse(Remark(remark_thread, last, brief))
    except OverLimit as error:
        return replies.failure_reply(public(error))
    # The pull request is merged, or its branch is gone.
    except (NothingToReview, UsageError, GitError) as error:
        return replies.failure_reply(public(error)) if job.mentioned else RemarkReply()


async def _dismiss_withdrawn(remark_reply: RemarkReply, job: RemarkJob, server: Server) -> None:
    """Dismiss the withdrawn findings. Repeating it changes nothing else."""
    last = await asyncio.to_thread(read, await server.store.reviews.last(job.pull)) if remark_reply.withdrawn else None
    for fingerprint, reason in remark_reply.withdrawn:
        finding = last.by_identity(fingerprint) if last is not None else None
        if finding is None or not finding.proven:  # a review that ended meanwhile may have proven it
            dismissal = Dismissal(fingerprint, reason, "withdrawn", job.actor)
            await server.store.people.dismiss(job.pull, dismissal, time.time())
