"""Fixes that somebody asks for in a pull request: one commit on its branch, or a patch in the answer where none may be result.

The commit is decided on once and recorded with its id; a later attempt of the same job only points the branch at it, if it does not yet.
"""

from dataclasses import dataclass, replace

from pydantic import TypeAdapter

from bot import commands, github
from bot.commands import CommandContext, CommandReply, target
from bot.errors import OverLimit, UsageError
from bot.github import Host
from bot.payloads import FixRequest, MadeFix
from bot.ports import Job
from bot.publish import committing
from bot.publish.committing import CommitRefused
from bot.values import CommandAsk, Finding
from bot.workflow.fetching import fetch
from bot.workflow.looking import PullState
from bot.workflow.parts import Services, keep

MOST_NAMES = 50  # of findings in one command
MOST_PATCH = 40_000  # characters: GitHub takes a comment of 65,536
MOST_LISTED = 20  # lines of one list in an answer


@dataclass(frozen=True, slots=True)
class FixPlan:
    """What a command came to, as a later attempt has to know it. `commit`: the id to point the branch at; `refusal`: why nothing is committed."""

    commit: str = ""
    refusal: str = ""
    numbers: tuple[int, ...] = ()  # of the findings that are fixed
    count: int = 0
    paths: tuple[str, ...] = ()
    left: tuple[tuple[int, str, str], ...] = ()  # number, title and reason of those that are not
    wrong: tuple[str, ...] = ()  # what the review of the result reports
    of_models: int = 0  # findings that code cannot judge
    patch: str = ""


_PLAN = TypeAdapter(FixPlan)


async def fix(
    ask: CommandAsk,
    state: PullState,
    standing: commands.Permission,
    context: CommandContext,
    job: Job,
    parts: Services,
) -> CommandReply:
    """Carry out `/deeprepo fix`."""
    refusal = commands.refusal(ask.word, ask.actor, standing, context.settings)
    if refusal is not None:
        return refusal
    names = await _names(ask.argument, context)
    last = await context.last()
    if last is None:
        return context.say("reply_no_review")
    async with github.open_pull(parts.identity, ask.pull, parts.pace, github.COMMITTING) as writing:

        async def decide() -> FixPlan:
            return await _plan(ask, state, last, names, writing, parts)

        try:
            plan = await keep(job, "fix", _PLAN, decide)
        except (UsageError, OverLimit) as error:
            return context.say("reply_failed", why=str(error))
        reason = plan.refusal
        if plan.commit:
            try:
                facts = await committing.check(writing, state.facts.head_sha, ask.actor, ours=plan.commit)
                await committing.point(writing, facts.head_ref, state.facts.head_sha, plan.commit)
            except CommitRefused as refused:
                reason = refused.reason
    return _reply(plan, reason, context)


async def _names(argument: str, context: CommandContext) -> tuple[str, ...]:
    """The findings that are meant: those that are named, else that of the thread, else all."""
    words = tuple(word.strip(".,;:") for word in argument.split())[:MOST_NAMES]
    if words and words != ("all",):
        return tuple(name for name in words if name)
    here = await target.of_thread(context)
    return (here.fingerprint,) if here.fingerprint and not words else ()


async def _plan(
    ask: CommandAsk, state: PullState, last: bytes, names: tuple[str, ...], host: Host, parts: Services
) -> FixPlan:
    """Fix the findings in a copy, review it, and make the commit if the review allows it."""
    reviewed = target.read(last)
    if reviewed is None or reviewed.pull.head != state.facts.head_sha:
        return FixPlan(refusal="moved")
    async with fetch(ask.pull, state.facts, state.bases, parts) as pull:
        result = await parts.fix(FixRequest(pull, last, names))
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
    return replace(_with_patch(plan, result, ""), commit=commit)


def _outcome(result: MadeFix) -> FixPlan:
    fix, check = result.fix, result.check
    wrong = dict.fromkeys(f"{one.path}:{one.start} {one.title}" for one in (*check.still, *check.new))
    return FixPlan(
        refusal="" if fix else "nothing",
        numbers=tuple(one.number for one in fix.findings if one.number),
        count=len(fix.findings),
        paths=tuple(sorted(fix.contents)),
        left=tuple((one.number, one.title, reason) for one, reason in fix.refusals),
        wrong=tuple(wrong),
        of_models=len(fix.findings) - check.by_code if fix else 0,
    )


def _with_patch(plan: FixPlan, result: MadeFix, reason: str) -> FixPlan:
    return replace(plan, refusal=reason, patch=result.fix.patch if len(result.fix.patch) <= MOST_PATCH else "")


def _message(findings: tuple[Finding, ...], actor: str) -> str:
    """The commit's message. No text of a model or of the change is in it: words in a message close issues and skip checks."""
    numbers = ", ".join(str(one.number) for one in findings if one.number)
    many = "finding" if len(findings) == 1 else "findings"
    return f"Fix {many} {numbers or len(findings)} of the review\n\nAsked for by {actor} with `/deeprepo fix`."


def _reply(plan: FixPlan, reason: str, context: CommandContext) -> CommandReply:
    is_committed = bool(plan.commit) and not reason
    return context.reply(
        "fix",
        committed=plan.commit if is_committed else "",
        reason=f"fix_{reason}" if reason else "",
        numbers=", ".join(map(str, plan.numbers)),
        count=plan.count,
        paths=plan.paths[:MOST_LISTED],
        left=[(number, title, f"fix_left_{why}") for number, title, why in plan.left[:MOST_LISTED]],
        wrong=plan.wrong[:MOST_LISTED],
        unjudged=plan.of_models,
        patch="" if is_committed else plan.patch,
        again="/deeprepo review",
    )
