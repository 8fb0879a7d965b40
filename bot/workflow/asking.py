"""Who asks, and whether they may: their permission is looked up, their comment is acknowledged, the answer is posted once."""

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from pydantic import TypeAdapter

from bot import commands
from bot.commands import CommandReply, Permission
from bot.commands.carrying import WRITERS
from bot.config import Config
from bot.errors import HostRefused
from bot.github import Host
from bot.outputs import marker
from bot.ports import Job
from bot.render import code, load, phrase
from bot.values import CommandAsk, CommentRef, PostedComment, PullFacts, RemarkAsk, ReviewAsk
from bot.workflow.parts import Services, keep

_STANDING = TypeAdapter(Permission)
NO_FACTS: Mapping[str, str] = MappingProxyType({})
REPLY = "reply"  # the kind of our marker


async def is_entitled(ask: ReviewAsk, comment: CommentRef, standing: Permission, host: Host, settings: Config) -> bool:
    """Whether a person of this standing gets the review; their comment shows it."""
    refusal = commands.refusal("full review" if ask.full else "review", ask.actor, standing, settings)
    await post_answer(refusal or CommandReply(reaction=""), comment, host, is_seen=refusal is None)
    return refusal is None


async def stands(ask: CommandAsk | RemarkAsk, host: Host, job: Job, parts: Services) -> Permission:
    """Who gives a command, or makes a remark. Looked up once: a later attempt judges the same."""

    async def look() -> Permission:
        now, place, people = time.time(), ask.comment, parts.store.people
        note = people.note_command if isinstance(ask, CommandAsk) else people.spoke
        standing = Permission(await host.permission(ask.actor), now)
        return replace(
            standing, earlier=await note(ask.pull, place.id, place.kind, ask.actor, now, writes=standing.writes)
        )

    return await keep(job, "standing", _STANDING, look)


async def as_allowed(ask: ReviewAsk, host: Host) -> ReviewAsk:
    """The ask, as a push if who pressed its button may not write: only who may can spend the repository's money."""
    if ask.trigger == "rerun" and await host.permission(ask.actor) not in WRITERS:
        return replace(ask, trigger="push", full=False)
    return ask


def address(pull: str, comment: CommentRef) -> str:
    """The address of a comment's page. `pull`: that of the pull request; empty if it has no page."""
    places = {"issue": "issuecomment-", "review": "discussion_r"}
    return f"{pull}#{places[comment.kind]}{comment.id}" if pull and comment.kind in places else pull


async def post_answer(
    answer: CommandReply, comment: CommentRef, host: Host, *, is_seen: bool = False, facts: Mapping[str, str] = NO_FACTS
) -> PostedComment | None:
    """Post an answer, once; what is posted comes back.

    `facts`: what its marker says besides. A reaction that is not allowed is not a loss: it needs a permission that an owner may withhold.
    """
    with suppress(HostRefused):
        if is_seen:
            await host.react(comment, "eyes")
        if answer.reaction:
            await host.react(comment, answer.reaction)
    if not answer.body:
        return None
    return await host.once(partial(_find, comment, host), partial(_post, answer.body, comment, host, facts))


async def tell_moved(ask: ReviewAsk, comment: CommentRef, facts: PullFacts, host: Host, settings: Config) -> None:
    """Say below a command that the branch was pushed to after it, or was pointed at another base. Once, whatever follows."""
    was_pushed, was_rebased = ask.head != facts.head_sha, ask.base != facts.base_ref
    before, now = (ask.head[:10], facts.head_sha[:10]) if was_pushed else (ask.base, facts.base_ref)
    key = "reply_moved" if was_pushed else "reply_rebased" if was_rebased else "reply_replaced"
    again = code("/deeprepo review")
    text = phrase(load(settings.language), key, given=code(before), head=code(now), again=again)
    with suppress(HostRefused):
        await post_answer(CommandReply(text), comment, host)


async def tell_closed(comment: CommentRef, host: Host, settings: Config) -> None:
    """Say below a command that its review was called off because the pull request was closed."""
    text = phrase(load(settings.language), "reply_closed", again=code("/deeprepo review"))
    with suppress(HostRefused):
        await post_answer(CommandReply(text), comment, host)


async def _find(comment: CommentRef, host: Host) -> PostedComment | None:
    there = await (host.comments("review") if comment.thread else host.comments())
    return next((one for one in there if one.ours and _answers(one.body, comment)), None)


async def _post(body: str, comment: CommentRef, host: Host, facts: Mapping[str, str]) -> PostedComment:
    text = f"{marker.make(REPLY, comment=name(comment), **facts)}\n{body}"
    return await (host.reply(comment.thread, text) if comment.thread else host.comment(text))


def name(comment: CommentRef) -> str:
    """How our answer's marker names the comment. Reviews and comments are numbered apart, and answered in one conversation."""
    return f"review-{comment.id}" if comment.kind == "whole" else str(comment.id)


def _answers(body: str, comment: CommentRef) -> bool:
    marker_facts = marker.read(body) or {}
    return marker_facts.get("kind") == REPLY and marker_facts.get("comment") == name(comment)
