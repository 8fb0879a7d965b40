"""A remark of a person, from the question whether it is meant for us to the answer below it and the thread that it resolves."""

import asyncio
import logging
import time
from dataclasses import replace
from functools import partial

from pydantic import TypeAdapter

from bot import github
from bot.commands import CommandReply, conversation
from bot.commands.conversation import HeardRemark, RemarkReply
from bot.commands.conversation.hearing import GONE
from bot.commands.target import read
from bot.config import Config
from bot.errors import GitError, NothingToReview, OverLimit, UsageError
from bot.github import Host
from bot.payloads import Change, Remark
from bot.ports import Job
from bot.render import Safe
from bot.values import CommandAsk, RemarkAsk
from bot.values.daily import Exhausted
from bot.workflow import asking, commanding, learning, looking, paging, remarks, spending
from bot.workflow.fetching import fetched
from bot.workflow.looking import PullState, look
from bot.workflow.parts import Services, kept, unless_gone

_DECIDED = TypeAdapter(CommandAsk | RemarkAsk | str)
_HEARD = TypeAdapter(HeardRemark | str)
_REPLY = TypeAdapter(RemarkReply)
log = logging.getLogger("deeprepo.review")


async def answer(ask: RemarkAsk, job: Job, parts: Services) -> None:
    """Answer it if it is meant for us. Gone through again after a crash, it answers once and pays once."""
    async with github.opened(parts.identity, ask.pull, parts.pace) as host:
        asked, heard = await _heard(ask, host, job)
        if isinstance(asked, CommandAsk):
            await commanding.carry_out(asked, host, job, parts)
        elif isinstance(heard, str):
            log.info("a remark is not answered", extra={"facts": {"pull": ask.pull.key, "reason": heard}})
        else:
            await _answer(asked, heard, host, job, parts)


async def _heard(ask: RemarkAsk, host: Host, job: Job) -> tuple[CommandAsk | RemarkAsk, HeardRemark | str]:
    """What the comment asks for, and what has been said if it is a remark that is meant for us, else why it is not."""
    with unless_gone(job):
        if ask.mentioned is None:
            decided = await kept(job, "decide", _DECIDED, partial(remarks.decided, ask, host))
            if not isinstance(decided, RemarkAsk):
                return (ask, decided) if isinstance(decided, str) else (decided, "it is a command")
            ask = decided
        return ask, await kept(job, "hear", _HEARD, partial(remarks.hear, ask, host))
    return ask, GONE


async def _answer(ask: RemarkAsk, heard: HeardRemark, host: Host, job: Job, parts: Services) -> None:
    seen = await look(ask.pull, host, job, parts)
    settings = await looking.settings(seen, parts)
    standing = await asking.stands(ask, host, job, parts)
    refused = conversation.refusal(
        ask.actor, standing, settings, mentioned=bool(ask.mentioned), model=parts.model(settings)
    )
    if refused is not None:
        await asking.answered(refused, ask.comment, host)
        return
    await asking.answered(CommandReply(), ask.comment, host, seen=True)
    made = await kept(job, "answer", _REPLY, partial(_said, ask, heard, seen, settings, parts))
    proposed = await _withdrawn(made, ask, heard, seen, settings["language"], parts, writes=standing.writes)
    body = "\n\n".join(filter(None, (made.body.rstrip(), *proposed.values())))
    posted = await remarks.posted(replace(made, body=body), ask, host)
    if posted is not None:
        for number in proposed:
            await parts.store.rules.show(ask.pull.repository, number, posted.id, posted.kind)
    # the remark may say "won't fix"
    decided = await learning.learn(ask.pull, host, settings["language"], parts.store, job.stored)
    if decided:
        await paging.schedule_all(ask.pull, parts, f"{ask.comment.kind}-{ask.comment.id}")
    elif made.withdrawn:
        await paging.follow(ask.pull, host, parts)


async def _said(ask: RemarkAsk, heard: HeardRemark, seen: PullState, settings: Config, parts: Services) -> RemarkReply:
    """The answer, made in a child process with the change as it is now and what the day leaves to spend."""
    name = f"{ask.pull.repository}-{ask.pull.number}-remark-{ask.comment.kind}-{ask.comment.id}"
    language = settings["language"]
    try:
        async with (
            fetched(ask.pull, seen.facts, seen.bases, parts) as pull,
            spending.reserved(ask.pull, name, settings, parts) as grant,
        ):
            if isinstance(grant, Exhausted):
                return remarks.failed(spending.sentence(grant), language)
            last = await parts.store.reviews.last(ask.pull)
            return await parts.converse(
                Remark(heard, language, last, Change(pull, {"usd": grant.usd}, name, bound=seen.bound))
            )
    except OverLimit as error:
        return remarks.failed(str(error), language)
    except (NothingToReview, UsageError, GitError) as error:  # it is merged, or its branch is gone
        return remarks.failed(str(error), language) if ask.mentioned else RemarkReply()


async def _withdrawn(
    made: RemarkReply,
    ask: RemarkAsk,
    heard: HeardRemark,
    seen: PullState,
    language: str,
    parts: Services,
    *,
    writes: bool,
) -> dict[int, Safe]:
    """Take back what is withdrawn; the rules that this suggests, as words by their numbers. Done again, it changes nothing else."""
    people, now = parts.store.people, time.time()
    last = await asyncio.to_thread(read, await parts.store.reviews.last(ask.pull)) if made.withdrawn else None
    link = asking.address(seen.facts.url, ask.comment)
    proposed: dict[int, Safe] = {}
    for fingerprint, reason in made.withdrawn:
        finding = last.by_identity(fingerprint) if last is not None else None
        if finding is not None and finding.proven:
            continue  # a review that ended meanwhile has proven it
        await people.withdraw(ask.pull, fingerprint, ask.actor, reason, now)
        if finding is not None:
            own = heard.said[-1].text
            told, number = await learning.withdrawn(
                ask.pull, finding, ask.actor, own, link, language, parts.store, writes=writes
            )
            proposed |= {number: told} if number else {}
    return proposed
