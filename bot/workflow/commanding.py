"""A command in a comment, from the person's standing to the answer below it.

For `/deeprepo fix` that is one commit on the branch of the pull request, or a patch in the answer where none may be made. The commit is
decided on once and recorded with its id; a later attempt of the same job only points the branch at it, if it does not yet.
"""

import time
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from pydantic import TypeAdapter

from bot import commands, github
from bot.commands import CommandContext, CommandReply, proposing, target
from bot.commands.context import Acts
from bot.commands.words import DECIDES
from bot.config import Config
from bot.errors import HostRefused, OverLimit, UsageError
from bot.findings.suppress import identity_of
from bot.github import Host
from bot.jobs import Job
from bot.payloads import FixRequest, MadeFix, Question
from bot.publish import committing
from bot.publish.committing import CommitRefused
from bot.render import load
from bot.storage import Suppression
from bot.values import CommandAsk, CommentRef, Finding, LearnedRule, OwnerRule, Proposal, ReviewAsk, RuleState
from bot.values.daily import CapReached
from bot.workflow import asking, concluding, pausing, spending
from bot.workflow.learning import Lessons
from bot.workflow.looking import PullState
from bot.workflow.parts import Services

REVIEWS = frozenset({"review", "full review"})
_ANSWER = TypeAdapter(CommandReply)


async def answer(ask: CommandAsk, job: Job, parts: Services) -> None:
    """Carry the command out and post its answer. Gone through again after a crash, it answers once and pays once."""
    async with github.open_pull(parts.identity, ask.pull, parts.pace) as host:
        await carry_out(ask, host, job, parts)


async def carry_out(ask: CommandAsk, host: Host, job: Job, parts: Services) -> None:
    """Do it where the pull request is open already."""
    state = await parts.look(ask.pull, host, job)
    settings = await parts.settings_of(state)
    standing = await asking.stands(ask, host, job, parts)
    refusal = commands.refusal(ask.word, ask.actor, standing, settings)
    await asking.post_answer(refusal or CommandReply(), ask.comment, host, is_seen=refusal is None)
    if refusal is not None:
        return
    lessons = Lessons(ask.pull, host, load(settings.language), parts.store)
    was_decided = ask.word not in REVIEWS and await lessons.learn()  # a review learns by itself
    reply = await job.step(
        "answer", partial(_reply, ask, state, settings, standing, lessons, job, parts), _ANSWER, lasts=True
    )
    comment = await asking.post_answer(reply, ask.comment, host)
    if reply.rule and comment is not None:
        await parts.store.rules.show(ask.pull.repository, reply.rule, comment.id, comment.kind)
    decides = ask.word == "rules" and ask.argument.lower().split()[:1] in ([word] for word in DECIDES)
    if was_decided or decides or ask.word == "ignore":
        await concluding.follow(ask.pull, host, parts, f"{ask.comment.kind}-{ask.comment.id}")


async def _reply(
    ask: CommandAsk,
    state: PullState,
    settings: Config,
    standing: commands.Permission,
    lessons: Lessons,
    job: Job,
    parts: Services,
) -> CommandReply:
    last, top = await parts.store.reviews.last(ask.pull), await _top(ask.comment, lessons.host)
    context = CommandContext(parts.in_force(settings), ask.actor, state.facts.base_ref, last, top)
    if ask.word == "fix":
        return await fix(ask, state, context, job, parts)
    if ask.word in commands.READING:
        return await _read(ask, state, standing, context, parts)
    acts = PullActs(ask, state, settings, lessons, parts)
    return await commands.carry_out(ask.word, ask.argument, standing, replace(context, acts=acts))


async def _read(
    ask: CommandAsk, state: PullState, standing: commands.Permission, context: CommandContext, parts: Services
) -> CommandReply:
    """The answer of a command that computes on code: in a child process, and with the change where a model can be asked."""
    name = f"{ask.pull.repository}-{ask.pull.number}-comment-{ask.comment.id}"
    question = Question(ask.word, ask.argument, standing, context, name)
    try:
        if not parts.model(context.settings):
            return await parts.answer(question)
        async with (
            parts.fetch(ask.pull, state) as pull,
            spending.reserve(ask.pull, name, context.settings, parts) as grant,
        ):
            if isinstance(grant, CapReached):
                return context.say("reply_failed", why=spending.sentence(grant))
            return await parts.answer(
                replace(question, brief=state.brief(pull, context.settings.within(grant.usd), name))
            )
    except OverLimit as error:
        return context.say("reply_failed", why=str(error))


@dataclass(frozen=True, slots=True)
class PullActs(Acts):
    """What a person's command does to a pull request, in the database, the queue and at GitHub."""

    ask: CommandAsk
    state: PullState
    settings: Config
    lessons: Lessons
    parts: Services

    async def review(self, *, full: bool) -> None:
        """Submit it, for the head and the base that the person saw."""
        ask, facts = self.ask, self.state.facts
        request = ReviewAsk(ask.pull, "command", full, ask.actor, ask.comment, facts.head_sha, base=facts.base_ref)
        await self.parts.jobs.submit(request, f"comment-{ask.comment.kind}-{ask.comment.id}")

    async def ignore(self, mark: str, reason: str) -> None:
        """Store it, and that the finding was rejected."""
        ask, store, now, identity = self.ask, self.parts.store, time.time(), identity_of(mark)
        await store.people.suppress(ask.pull, Suppression(mark, ask.actor, reason, now))
        await store.people.tell(ask.pull, identity, ask.actor, "ignored", reason, now)
        await store.outcomes.reject(ask.pull, identity, now)

    async def pause(self) -> bool:
        """Store it."""
        people = self.parts.store.people
        already = await people.is_paused(self.ask.pull)
        await people.pause(self.ask.pull, self.ask.actor, time.time())
        return not already

    async def resume(self) -> bool:
        """Forget the pause, and count pushes from zero again."""
        were_waiting = await pausing.resume(self.lessons.host, self.settings.pause_after)
        return await self.parts.store.people.resume(self.ask.pull) or were_waiting

    async def cancel(self) -> bool:
        """Call off its reviews."""
        return await self.parts.jobs.cancel(self.ask.pull) > 0

    async def rules(self) -> tuple[LearnedRule, ...]:
        """Those of the repository."""
        return await self.parts.store.rules.of(self.ask.pull.repository)

    async def decide(self, number: int, state: RuleState, path: str, text: str) -> LearnedRule | None:
        """Decide, and say so in the comment that proposed it."""
        return await self.lessons.decide(number, state, self.ask.actor, path, text)

    async def propose(self, finding: Finding, reason: str) -> tuple[LearnedRule, ...]:
        """Store the proposals."""
        proposals = proposing.proposals(finding, reason, "ignore", self.ask.actor, self._link)
        return await self.parts.store.rules.propose_all(self.ask.pull, proposals, time.time())

    async def remember(self, sentence: OwnerRule) -> LearnedRule | None:
        """Store the proposal."""
        proposal = Proposal(sentence, "remember", self.ask.actor, self._link)
        return await self.parts.store.rules.propose(self.ask.pull, proposal, time.time())

    @property
    def _link(self) -> str:
        return asking.address(self.state.facts.url, self.ask.comment)


async def _top(comment: CommentRef, host: Host) -> str:
    """The text of the thread's top comment, where we wrote it."""
    if not comment.thread:
        return ""
    with suppress(HostRefused):
        comment_there = await host.comment_at(CommentRef(comment.thread, "review"))
        return comment_there.body if comment_there.ours else ""
    return ""


MOST_NAMES = 50  # of findings in one command
MOST_PATCH = 40_000  # characters: GitHub takes a comment of 65,536
MOST_LISTED = 20  # lines of one list in an answer


@dataclass(frozen=True, slots=True)
class FixPlan:
    """What a command came to, as a later attempt has to know it. `commit`: the id to point the branch at; `refusal`: why nothing is committed."""

    commit: str = ""
    head: str = ""  # the commit that it follows
    refusal: str = ""
    numbers: tuple[int, ...] = ()  # of the findings that are fixed
    count: int = 0
    paths: tuple[str, ...] = ()
    left: tuple[tuple[int, str, str], ...] = ()  # number, title and reason of those that are not
    wrong: tuple[str, ...] = ()  # what the review of the result reports
    others: tuple[int, ...] = ()  # numbers of the open findings that were not named and have no fix
    of_models: int = 0  # findings that code cannot judge
    patch: str = ""
    is_masked: bool = False  # there is no patch: a secret is in it


_PLAN = TypeAdapter(FixPlan)


async def fix(
    ask: CommandAsk,
    state: PullState,
    context: CommandContext,
    job: Job,
    parts: Services,
) -> CommandReply:
    """Carry out `/deeprepo fix`."""
    last = context.last
    if last is None:
        return context.say("reply_no_review")
    async with github.open_pull(parts.identity, ask.pull, parts.pace, github.COMMITTING) as writing:

        async def decide() -> FixPlan:
            return await _plan(ask, state, last, context, writing, parts)

        try:
            plan = await job.step("fix", decide, _PLAN, lasts=True)
        except (UsageError, OverLimit) as error:
            return context.say("reply_failed", why=str(error))
        reason = plan.refusal
        if plan.commit:
            try:
                facts = await committing.check(writing, plan.head, ask.actor, ours=plan.commit)
                await committing.point(writing, facts.head_ref, plan.head, plan.commit)
            except CommitRefused as refused:
                reason = refused.reason
    return _fix_reply(plan, reason, context)


def _names(ask: CommandAsk, context: CommandContext) -> tuple[str, ...] | None:
    """The findings that are meant: those that are named, else that of the thread, else all. None: the person has to name them.

    In a thread that is about none, or about several, nothing is meant that the thread does not show.
    """
    words = ask.argument.split()[:MOST_NAMES]
    names = tuple(filter(None, (word.strip(".,;:#") for word in words)))
    if words:
        return None if not names else () if names == ("all",) else names
    here = target.of_thread(context)
    if here.fingerprint:
        return (here.fingerprint,)
    return None if ask.comment.thread else ()


async def _plan(
    ask: CommandAsk,
    state: PullState,
    last: bytes,
    context: CommandContext,
    host: Host,
    parts: Services,
) -> FixPlan:
    """Fix the findings in a copy, review it, and make the commit if the review allows it."""
    last_review = target.read(last)
    if last_review is None or last_review.pull.head != state.facts.head_sha:
        return FixPlan(refusal="moved")
    names = _names(ask, context)
    if names is None:
        return FixPlan(refusal="which")
    async with parts.fetch(ask.pull, state) as pull:
        ignored_findings, rules = await concluding.words(ask.pull, parts.store)
        brief = replace(
            state.brief(pull, context.settings),
            ignored_findings=ignored_findings,
            rules=rules,
        )
        result = await parts.fix(FixRequest(brief, last, names))
    plan = _outcome(result)
    if not result.fix:
        return plan
    if not result.check.is_clean:
        return _with_patch(plan, result, "unclean")
    try:
        await committing.check(host, state.facts.head_sha, ask.actor)
        commit = await committing.create(
            host, state.facts.head_sha, result.fix.contents, result.modes, _message(result.fix.findings, ask.actor)
        )
    except CommitRefused as refused:
        return _with_patch(plan, result, refused.reason)
    return replace(_with_patch(plan, result, ""), commit=commit, head=state.facts.head_sha)


def _outcome(result: MadeFix) -> FixPlan:
    fix, check = result.fix, result.check
    wrong = dict.fromkeys(f"{one.path}:{one.start} {one.title}" for one in (*check.still, *check.new))
    return FixPlan(
        refusal="" if fix else "nothing",
        numbers=tuple(one.number for one in fix.findings if one.number),
        count=len(fix.findings),
        paths=tuple(sorted(fix.contents)),
        left=tuple((one.number, f"{one.path}:{one.start} {one.title}", reason) for one, reason in fix.refusals),
        wrong=tuple(wrong),
        others=result.others,
        of_models=len(fix.findings) - check.by_code if fix else 0,
    )


def _with_patch(plan: FixPlan, result: MadeFix, reason: str) -> FixPlan:
    patch = result.fix.patch if len(result.fix.patch) <= MOST_PATCH else ""
    return replace(plan, refusal=reason, patch=patch, is_masked=not result.fix.patch)


def _message(findings: tuple[Finding, ...], actor: str) -> str:
    """The commit's message. No text of a model or of the change is in it: words in a message close issues and skip checks."""
    numbers = ", ".join(str(one.number) for one in findings if one.number)
    many = "finding" if len(findings) == 1 else "findings"
    return f"Fix {many} {numbers or len(findings)} of the review\n\nAsked for by {actor} with `/deeprepo fix`."


def _fix_reply(plan: FixPlan, reason: str, context: CommandContext) -> CommandReply:
    is_committed = bool(plan.commit) and not reason
    return context.reply(
        "fix",
        committed=plan.commit if is_committed else "",
        reason=f"fix_{reason}" if reason else "",
        numbers=", ".join(map(str, plan.numbers)),
        count=plan.count,
        paths=plan.paths[:MOST_LISTED],
        left=[(number, title, f"fix_left_{why}") for number, title, why in plan.left[:MOST_LISTED]],
        partial=any(why == "part" for *_, why in plan.left),
        wrong=plan.wrong[:MOST_LISTED],
        others=", ".join(map(str, plan.others[:MOST_LISTED])) if plan.count else "",
        other_count=len(plan.others),
        unjudged=plan.of_models,
        patch="" if is_committed else plan.patch,
        masked=plan.is_masked and not is_committed,
        again="/deeprepo review",
    )
