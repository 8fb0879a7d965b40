"""A remark at GitHub: whether it is meant for us, and the answer below it. Without a server's parts: a workflow's step uses it too."""

from dataclasses import replace

from bot import commands
from bot.commands import CommandReply, conversation
from bot.commands.conversation import HeardRemark, RemarkReply
from bot.commands.conversation.hearing import GONE
from bot.errors import HostRefused
from bot.github import Host
from bot.render import load, phrase
from bot.values import CommandAsk, CommentRef, PostedComment, RemarkAsk
from bot.workflow import asking


async def interpret(ask: RemarkAsk, host: Host) -> CommandAsk | RemarkAsk | str:
    """What a comment asks for that came before our name was known, or why it asks for nothing."""
    if ask.mentioned is not None:
        return ask
    place, login = ask.comment, host.voice.login
    comment = await host.comment_at(place) if place.kind != "whole" else await _remark(place, (), host)
    if comment is None:
        raise HostRefused(GONE, 404)
    command = commands.read(comment.body, login)
    if command is not None:
        return CommandAsk(ask.pull, command.word, command.argument, ask.actor, place, ask.stranger)
    names_us = commands.read_mentions(comment.body, login).us
    if not names_us and place.thread in (0, place.id):
        return "it does not mention us"
    return replace(ask, mentioned=names_us)


async def hear(ask: RemarkAsk, host: Host) -> HeardRemark | str:
    """What has been said, if the remark is meant for us, else why it is not. A thread of other people costs one request.

    Raises HostRefused: a comment that GitHub does not know may be one that it does not know yet.
    """
    heard_remark = await _hear(ask, host)
    if heard_remark == GONE:
        raise HostRefused(GONE, 404)
    return heard_remark


async def _hear(ask: RemarkAsk, host: Host) -> HeardRemark | str:
    login, place = host.voice.login, ask.comment
    if place.thread:
        if not ask.mentioned and not (await host.comment_at(CommentRef(place.thread, "review"))).ours:
            return "it is in a thread that other people began"
        return conversation.above(ask, await host.comments("review", place.thread), login)
    comments = await host.comments()
    return conversation.below(comments, await _remark(place, comments, host), login)


async def _remark(place: CommentRef, comments: tuple[PostedComment, ...], host: Host) -> PostedComment | None:
    comments_there = comments if place.kind == "issue" else await host.comments("whole")
    return next((one for one in comments_there if one.id == place.id), None)


def failure_reply(why: str, language: str) -> RemarkReply:
    """The reply where there is no answer."""
    return RemarkReply(phrase(load(language), "reply_failed", why=why))


async def post(remark_reply: RemarkReply, ask: RemarkAsk, host: Host) -> PostedComment | None:
    """Post the answer, once; its marker names what is withdrawn, for who has no other memory."""
    facts = {"withdrawn": " ".join(mark for mark, _ in remark_reply.withdrawn)} if remark_reply.withdrawn else {}
    return await asking.post_answer(
        CommandReply(remark_reply.body, "+1" if remark_reply.reaction else ""), ask.comment, host, facts=facts
    )
