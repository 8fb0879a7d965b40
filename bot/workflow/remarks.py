"""A remark at GitHub: whether it is meant for us, and the answer below it. Without a server's parts: a workflow's step uses it too."""

from collections.abc import Sequence
from dataclasses import replace

from bot.commands import CommandReply, conversation
from bot.commands.conversation import HeardRemark, RemarkReply
from bot.errors import HostRefused
from bot.github import Host
from bot.publish import existing
from bot.render import comment as template
from bot.render import load
from bot.values import CommentRef, Posted, RemarkAsk
from bot.workflow import asking

GONE = 404


async def hear(ask: RemarkAsk, host: Host) -> HeardRemark | str:
    """What has been said, if the remark is meant for us, else why it is not. A thread of other people costs one request."""
    heard_remark = await _hear(ask, host)
    lasts = host.voice.app or host.voice.seal is not None  # else a withdrawal has nobody who remembers it
    return heard_remark if isinstance(heard_remark, str) else replace(heard_remark, lasts=bool(lasts))


async def _hear(ask: RemarkAsk, host: Host) -> HeardRemark | str:
    login, place = host.voice.login, ask.comment
    try:
        if place.thread:
            if not ask.mentioned and not (await host.comment_at(CommentRef(place.thread, "review"))).ours:
                return "it is in a thread that other people began"
            return conversation.above(ask, _attested_thread(await host.comments("review", place.thread), host), login)
        comments = await host.comments()
        remark = await _remark(place, comments, host)
    except HostRefused as refusal:
        if refusal.status != GONE:
            raise
        return "the comment is gone"
    return conversation.below(comments, remark, login)


def _attested_thread(thread: Sequence[Posted], host: Host) -> Sequence[Posted]:
    """A thread whose first comment is ours for certain, or not ours: what it is about decides what an answer may withdraw."""
    if host.voice.app or host.voice.seal is None or not thread or existing.decisive(thread[0], host):
        return thread
    return (replace(thread[0], ours=False), *thread[1:])


async def _remark(place: CommentRef, comments: tuple[Posted, ...], host: Host) -> Posted | None:
    comments_there = comments if place.kind == "issue" else await host.comments("whole")
    return next((one for one in comments_there if one.id == place.id), None)


def failure_reply(why: str, language: str) -> RemarkReply:
    """The reply where there is no answer."""
    body = template("replies/phrase.md.j2", load(language), key="reply_failed", number=None, values={"why": why})
    return RemarkReply(body)


async def post(remark_reply: RemarkReply, ask: RemarkAsk, host: Host) -> Posted | None:
    """Post the answer, once; its marker names what is withdrawn, for who has no other memory."""
    facts = {"withdrawn": " ".join(mark for mark, _ in remark_reply.withdrawn)} if remark_reply.withdrawn else {}
    return await asking.post_answer(
        CommandReply(remark_reply.body, "+1" if remark_reply.reaction else ""), ask.comment, host, facts=facts
    )
