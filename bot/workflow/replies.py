"""Check a person's permission and whether a remark is addressed to us, and post a reply exactly once."""

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from bot.commands import CommandReply, Permission, context, conversation
from bot.commands.context import WRITERS
from bot.commands.conversation import RemarkReply, RemarkThread
from bot.commands.conversation.threads import DELETED
from bot.errors import HostRefused
from bot.github import Host
from bot.github.policy import Recent
from bot.render import code, load, phrase
from bot.review import written
from bot.stored import markers
from bot.stored.answered import REPLY
from bot.values import CommandJob, CommentRef, PostedComment, PullFacts, RemarkJob, ReviewJob
from bot.values.host import Access

if TYPE_CHECKING:
    from bot.storage.people import People  # the GitHub Actions step has no database

NO_FACTS: Mapping[str, str] = MappingProxyType({})


async def access_of(job: CommandJob | RemarkJob, host: Host, recent: Recent) -> Access:
    """Return a comment author's current permission. A missing write permission is cached for a minute."""
    key = ("access", job.pull.repository, job.actor.lower())
    return await recent.get(key, partial(host.permission, job.actor), keep=lambda access: access not in WRITERS)


async def permission_of(job: CommandJob | RemarkJob, access: Access, people: "People") -> Permission:
    """Record a comment addressed to us once, and return its author's permission and earlier requests."""
    now = time.time()
    permission = Permission(access, now)
    earlier = await people.record_comment(
        job.pull, job.comment, job.actor, now, writes=permission.writes, is_remark=isinstance(job, RemarkJob)
    )
    outsiders = () if permission.writes else await people.outsider_comments(job.pull, job.actor, now)
    return replace(permission, earlier=earlier, outsiders=outsiders)


async def top_comment(comment: CommentRef, host: Host) -> str:
    """Return the text of the first comment in a comment's thread, or "" if we did not write it."""
    if comment.thread:
        with suppress(HostRefused):
            top = await host.comment_at(CommentRef(comment.thread, "review"))
            return top.body if top.ours else ""
    return ""


def is_ignored(permission: Permission) -> bool:
    """Return whether the author has no write access, reached the limit and has been informed."""
    wait = None if permission.writes else context.wait(permission, context.OUTSIDER_COMMANDS)
    return wait is not None and wait.is_known


async def with_permitted_trigger(job: ReviewJob, host: Host) -> ReviewJob:
    """Return the job, turned into a push if the person who pressed its button has no known write access.

    Only people with write access can spend the repository's money.
    """
    if job.trigger == "rerun":
        with suppress(HostRefused):
            if await host.permission(job.actor) in WRITERS:
                return job
        return replace(job, trigger="push", full=False)
    return job


def address(pull: str, comment: CommentRef) -> str:
    """Return the address of a comment. `pull` is the pull request's address, empty if it has no page."""
    places = {"issue": "issuecomment-", "review": "discussion_r"}
    return f"{pull}#{places[comment.kind]}{comment.id}" if pull and comment.kind in places else pull


async def post_reply(
    answer: CommandReply, comment: CommentRef, host: Host, *, is_seen: bool = False, facts: Mapping[str, str] = NO_FACTS
) -> PostedComment | None:
    """Post an answer once and return the posted comment.

    `facts` are added to its marker. A refused reaction is ignored, because owners may withhold the
    permission.
    """
    with suppress(HostRefused):
        if is_seen:
            await host.react(comment, "eyes")
        if answer.reaction:
            await host.react(comment, answer.reaction)
    if not answer.body:
        return None
    body = written.of_post(answer.body)
    return await host.write_once(partial(_find, comment, host), partial(_post, body, comment, host, facts))


async def post_moved_reply(job: ReviewJob, comment: CommentRef, facts: PullFacts, host: Host) -> None:
    """Reply once to a command that the branch was pushed to, or its base was changed, after the command."""
    was_pushed, was_rebased = job.head != facts.head_sha, job.base != facts.base_ref
    before, now = (job.head[:10], facts.head_sha[:10]) if was_pushed else (job.base, facts.base_ref)
    key = "reply_moved" if was_pushed else "reply_rebased" if was_rebased else "reply_replaced"
    again = code("/deeprepo review")
    text = phrase(load(), key, given=code(before), head=code(now), again=again)
    with suppress(HostRefused):
        await post_reply(CommandReply(text), comment, host)


async def post_closed_reply(comment: CommentRef, host: Host) -> None:
    """Reply to a command that its review was canceled because the pull request was closed."""
    text = phrase(load(), "reply_closed", again=code("/deeprepo review"))
    with suppress(HostRefused):
        await post_reply(CommandReply(text), comment, host)


async def _find(comment: CommentRef, host: Host) -> PostedComment | None:
    comments = await (host.comments("review") if comment.thread else host.comments())
    return next((posted for posted in comments if posted.ours and _answers(posted.body, comment)), None)


async def _post(body: str, comment: CommentRef, host: Host, facts: Mapping[str, str]) -> PostedComment:
    marker_facts = {**facts, **markers.of_scope(host.bot_identity.scope)}
    text = f"{markers.make(REPLY, comment=comment_name(comment), **marker_facts)}\n{body}"
    return await (host.reply(comment.thread, text) if comment.thread else host.comment(text))


def comment_name(comment: CommentRef) -> str:
    """Return how our marker names the comment. Reviews and comments have separate number ranges."""
    name = f"review-{comment.id}" if comment.kind == "whole" else str(comment.id)
    return f"{name}.{comment.part}" if comment.part else name


def _answers(body: str, comment: CommentRef) -> bool:
    marker = markers.read(body)
    return marker.kind == REPLY and marker.facts.get("comment") == comment_name(comment)


async def read_remark(job: RemarkJob, host: Host, recent: Recent) -> RemarkThread | str:
    """Return the conversation if the remark is addressed to us, else the reason why it is not.

    Other people's threads cost one request a minute. Raises HostRefused for an unknown comment, because
    GitHub may not know it yet.
    """
    remark_thread = await _read_remark(job, host, recent)
    if remark_thread == DELETED:
        raise HostRefused(DELETED, 404)
    return remark_thread


async def _read_remark(job: RemarkJob, host: Host, recent: Recent) -> RemarkThread | str:
    login, place = host.bot_identity.login, job.comment
    if place.thread:
        top = CommentRef(place.thread, "review")
        if not job.mentioned and not (await recent.get((job.pull.key, top), partial(host.comment_at, top))).ours:
            return "it is in a thread that someone else started"
        return conversation.from_review_thread(job, await host.comments("review", place.thread), login)
    comments = await host.comments()
    return conversation.from_conversation(comments, await _remark(place, comments, host), login)


async def _remark(place: CommentRef, comments: tuple[PostedComment, ...], host: Host) -> PostedComment | None:
    comments_there = comments if place.kind == "issue" else await host.comments("whole")
    return next((posted for posted in comments_there if posted.id == place.id), None)


def failure_reply(why: str) -> RemarkReply:
    """Return the reply for a question that could not be answered."""
    return RemarkReply(phrase(load(), "reply_failed", why=why))


async def post_remark_reply(remark_reply: RemarkReply, job: RemarkJob, host: Host) -> PostedComment | None:
    """Post the answer once, with the withdrawn findings in its marker."""
    facts = {"withdrawn": " ".join(mark for mark, _ in remark_reply.withdrawn)} if remark_reply.withdrawn else {}
    return await post_reply(
        CommandReply(remark_reply.body, "+1" if remark_reply.reaction else ""), job.comment, host, facts=facts
    )
