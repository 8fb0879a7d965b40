"""A command in a comment, from the person's standing to the answer below it."""

import time
from contextlib import suppress
from dataclasses import replace
from functools import partial

from pydantic import TypeAdapter

from bot import commands, config, github
from bot.commands import CommandContext, CommandReply
from bot.config import Config
from bot.errors import HostRefused, OverLimit, UsageError
from bot.github import Host
from bot.payloads import Change, Question
from bot.ports import Job
from bot.storage import Exhausted, Suppression
from bot.values import CommandAsk, CommentRef, ReviewAsk
from bot.workflow import asking, pausing, spending
from bot.workflow.fetching import fetched
from bot.workflow.looking import PullState, look
from bot.workflow.parts import Services

_ANSWER = TypeAdapter(CommandReply)


async def answer(ask: CommandAsk, job: Job, parts: Services) -> None:
    """Carry the command out and post its answer. Gone through again after a crash, it answers once and pays once."""
    async with github.opened(parts.identity, ask.pull, parts.pace) as host:
        seen = await look(ask.pull, host, job, parts)
        try:
            settings = await parts.resolve(seen.file)
        except (
            UsageError,
            OverLimit,
        ):  # the review says what is wrong with the file; a person who asks for help still gets it
            settings = config.resolve({}, None, parts.settings)
        standing = await asking.stands(ask.pull, ask.actor, ask.comment, host, job, parts)
        refused = commands.refusal(ask.word, ask.actor, standing, settings)
        if refused is not None:
            await asking.answered(refused, ask.comment, host)
            return
        await asking.answered(CommandReply(), ask.comment, host, seen=True)
        said = await job.step("answer", partial(_carried_out, ask, seen, settings, host, parts, standing))
        await asking.answered(_ANSWER.validate_python(said), ask.comment, host)


async def _carried_out(
    ask: CommandAsk, seen: PullState, settings: Config, host: Host, parts: Services, standing: commands.Permission
) -> dict[str, object]:
    context = _context(ask, seen, settings, host, parts)
    if ask.word in commands.READING:
        done = await _read(ask, seen, standing, context, parts)
    else:
        done = await commands.carry_out(ask.word, ask.argument, standing, context)
    return {"body": done.body, "reaction": done.reaction}


async def _read(
    ask: CommandAsk, seen: PullState, standing: commands.Permission, context: CommandContext, parts: Services
) -> CommandReply:
    """The answer of a command that computes on code: in a child process, and with the change where a model can be asked."""
    name = f"{ask.pull.repository}-{ask.pull.number}-comment-{ask.comment.id}"
    asked = Question(
        ask.word,
        ask.argument,
        standing,
        context.settings,
        ask.actor,
        context.branch,
        name,
        await context.last(),
        await context.top(),
        None,
    )
    try:
        if not parts.model(context.settings):
            return await parts.answer(asked)
        async with (
            fetched(ask.pull, seen.facts, seen.bases, parts) as pull,
            spending.reserved(ask.pull, name, context.settings, parts) as grant,
        ):
            if isinstance(grant, Exhausted):
                return context.say("reply_failed", why=spending.sentence(grant))
            return await parts.answer(replace(asked, change=Change(pull, {"usd": grant.usd}, name)))
    except OverLimit as error:
        return context.say("reply_failed", why=str(error))


def _context(ask: CommandAsk, seen: PullState, settings: Config, host: Host, parts: Services) -> CommandContext:
    """What the command is given to work with."""
    people, pull = parts.store.people, ask.pull

    async def submit(full: bool) -> None:
        asked = ReviewAsk(pull, "command", full, ask.actor, ask.comment, seen.facts.head_sha)
        await parts.submit(asked, f"comment-{ask.comment.kind}-{ask.comment.id}")

    async def suppressed(fingerprint: str, reason: str) -> None:
        now = time.time()
        await people.suppress(pull, Suppression(fingerprint, ask.actor, reason, now))
        await people.tell(pull, fingerprint, ask.actor, "ignored", reason, now)

    async def pause() -> bool:
        already = await people.paused(pull)
        await people.pause(pull, ask.actor, time.time())
        return not already

    async def resume() -> bool:
        waited = await pausing.resumed(host, settings["pause_after"])
        return await people.resume(pull) or waited

    return CommandContext(
        settings=parts.in_force(settings),
        actor=ask.actor,
        branch=seen.facts.base_ref,
        last=partial(parts.store.reviews.last, pull),
        submit=submit,
        suppress=suppressed,
        pause=pause,
        resume=resume,
        cancel=partial(parts.cancel, pull),
        top=partial(_top, ask.comment, host),
    )


async def _top(comment: CommentRef, host: Host) -> str:
    """The text of the thread's top comment, where we wrote it."""
    if not comment.thread:
        return ""
    with suppress(HostRefused):
        found = await host.comment_at(CommentRef(comment.thread, "review"))
        return found.body if found.ours else ""
    return ""
