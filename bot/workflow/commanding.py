"""A command in a comment, from the person's standing to the answer below it."""

import time
from contextlib import suppress
from dataclasses import replace
from functools import partial

from pydantic import TypeAdapter

from bot import commands, github
from bot.commands import CommandContext, CommandReply, proposing, rules
from bot.commands.context import RuleBook
from bot.config import Config
from bot.errors import HostRefused, OverLimit
from bot.findings.suppress import identity_of
from bot.github import Host
from bot.payloads import Question
from bot.ports import Job
from bot.render import Phrases, load
from bot.storage import Store, Suppression
from bot.values import CommandAsk, CommentRef, Finding, LearnedRule, OwnerRule, Proposal, ReviewAsk, RuleState
from bot.values.daily import CapReached
from bot.workflow import asking, fixing, learning, looking, paging, pausing, spending
from bot.workflow.fetching import fetch
from bot.workflow.looking import PullState, look
from bot.workflow.parts import Services, keep

REVIEWS = frozenset({"review", "full review"})
_ANSWER = TypeAdapter(CommandReply)


async def answer(ask: CommandAsk, job: Job, parts: Services) -> None:
    """Carry the command out and post its answer. Gone through again after a crash, it answers once and pays once."""
    async with github.open_pull(parts.identity, ask.pull, parts.pace) as host:
        await carry_out(ask, host, job, parts)


async def carry_out(ask: CommandAsk, host: Host, job: Job, parts: Services) -> None:
    """Do it where the pull request is open already."""
    state = await look(ask.pull, host, job, parts)
    settings = await looking.settings(state, parts)
    standing = await asking.stands(ask, host, job, parts)
    refusal = commands.refusal(ask.word, ask.actor, standing, settings)
    if refusal is not None:
        await asking.post_answer(refusal, ask.comment, host)
        return
    await asking.post_answer(CommandReply(), ask.comment, host, is_seen=True)
    was_decided = False
    if ask.word not in REVIEWS:  # a review learns by itself
        was_decided = await learning.learn(ask.pull, host, settings.language, parts.store, job.stored_at)
    if was_decided:
        await paging.schedule_all(ask.pull, parts, f"{ask.comment.kind}-{ask.comment.id}")
    carried_out = partial(_carried_out, ask, state, settings, host, job, parts, standing)
    reply = await keep(job, "answer", _ANSWER, carried_out, lasts=True)
    decides_rule = ask.word == "rules" and ask.argument.lower().split()[:1] in ([word] for word in rules.DECIDES)
    if decides_rule:  # before the answer, which GitHub may refuse
        await paging.schedule_all(ask.pull, parts, f"{ask.comment.kind}-{ask.comment.id}-rule")
    comment = await asking.post_answer(reply, ask.comment, host)
    if reply.rule and comment is not None:
        await parts.store.rules.show(ask.pull.repository, reply.rule, comment.id, comment.kind)
    if ask.word == "ignore":
        await paging.follow(ask.pull, host, parts, f"{ask.comment.kind}-{ask.comment.id}")


async def _carried_out(
    ask: CommandAsk,
    state: PullState,
    settings: Config,
    host: Host,
    job: Job,
    parts: Services,
    standing: commands.Permission,
) -> CommandReply:
    context = _context(ask, state, settings, host, parts)
    if ask.word == "fix":
        return await fixing.fix(ask, state, standing, context, job, parts)
    if ask.word in commands.READING:
        return await _read(ask, state, standing, context, parts)
    return await commands.carry_out(ask.word, ask.argument, standing, context)


async def _read(
    ask: CommandAsk, state: PullState, standing: commands.Permission, context: CommandContext, parts: Services
) -> CommandReply:
    """The answer of a command that computes on code: in a child process, and with the change where a model can be asked."""
    name = f"{ask.pull.repository}-{ask.pull.number}-comment-{ask.comment.id}"
    settings, branch, last, top = context.settings, context.branch, await context.last(), await context.top()
    question = Question(ask.word, ask.argument, standing, settings, ask.actor, branch, name, last, top, None)
    try:
        if not parts.model(settings):
            return await parts.answer(question)
        async with (
            fetch(ask.pull, state.facts, state.bases, parts) as pull,
            spending.reserve(ask.pull, name, context.settings, parts) as grant,
        ):
            if isinstance(grant, CapReached):
                return context.say("reply_failed", why=spending.sentence(grant))
            return await parts.answer(
                replace(question, brief=state.brief(pull, context.settings.within(grant.usd), name))
            )
    except OverLimit as error:
        return context.say("reply_failed", why=str(error))


def _context(ask: CommandAsk, state: PullState, settings: Config, host: Host, parts: Services) -> CommandContext:
    """What the command is given to work with."""
    people, pull = parts.store.people, ask.pull

    async def submit(full: bool) -> None:
        request = ReviewAsk(
            pull, "command", full, ask.actor, ask.comment, state.facts.head_sha, base=state.facts.base_ref
        )
        await parts.submit(request, f"comment-{ask.comment.kind}-{ask.comment.id}")

    async def suppress(mark: str, reason: str) -> None:
        now, identity = time.time(), identity_of(mark)
        await people.suppress(pull, Suppression(mark, ask.actor, reason, now))
        await people.tell(pull, identity, ask.actor, "ignored", reason, now)
        await parts.store.outcomes.reject(pull, identity, now)

    async def pause() -> bool:
        already = await people.is_paused(pull)
        await people.pause(pull, ask.actor, time.time())
        return not already

    async def resume() -> bool:
        were_waiting = await pausing.resume(host, settings.pause_after)
        return await people.resume(pull) or were_waiting

    return CommandContext(
        settings=parts.in_force(settings),
        actor=ask.actor,
        branch=state.facts.base_ref,
        last=partial(parts.store.reviews.last, pull),
        submit=submit,
        suppress=suppress,
        pause=pause,
        resume=resume,
        cancel=partial(parts.cancel, pull, None),
        top=partial(_top, ask.comment, host),
        rules=_rules(ask, state, host, load(settings.language), parts.store),
    )


def _rules(ask: CommandAsk, state: PullState, host: Host, words: Phrases, store: Store) -> RuleBook:
    """The repository's rules, as this person may change them."""
    link = asking.address(state.facts.url, ask.comment)

    async def decide(number: int, state: RuleState, path: str, text: str) -> LearnedRule | None:
        return await learning.decide(ask.pull, number, state, ask.actor, host, words, store, path=path, text=text)

    async def propose(finding: Finding, reason: str) -> tuple[LearnedRule, ...]:
        proposals = proposing.proposals(finding, reason, "ignore", ask.actor, link)
        return await store.rules.propose_all(ask.pull, proposals, time.time())

    async def remember(sentence: OwnerRule) -> LearnedRule | None:
        proposal = Proposal(sentence, "remember", ask.actor, link)
        return await store.rules.propose(ask.pull, proposal, time.time())

    return RuleBook(partial(store.rules.of, ask.pull.repository), decide, propose, remember)


async def _top(comment: CommentRef, host: Host) -> str:
    """The text of the thread's top comment, where we wrote it."""
    if not comment.thread:
        return ""
    with suppress(HostRefused):
        comment_there = await host.comment_at(CommentRef(comment.thread, "review"))
        return comment_there.body if comment_there.ours else ""
    return ""
