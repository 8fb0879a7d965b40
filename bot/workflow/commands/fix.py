"""`/deeprepo fix`: commit fixes to the pull request's branch, or answer with a patch instead.

The commit is made once and recorded with its id. A later attempt of the same job only points the branch at
it.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from pydantic import TypeAdapter

from bot import github
from bot.commands import CommandContext, CommandReply, target
from bot.errors import OverLimit, UsageError, public
from bot.github import Host
from bot.payloads import FixRequest, MadeFix
from bot.stored import reviews
from bot.stored.reviews import UnreadableError
from bot.values import CommandJob, Finding
from bot.workflow import conclusions
from bot.workflow.given_command import BareCommand, CommentCommand, GivenCommand, StepCommand
from bot.workflow.publish import committing
from bot.workflow.publish.committing import CommitRefused

MOST_PATCH = 40_000  # characters; GitHub accepts comments of up to 65,536
MOST_LISTED = 20  # findings in an answer


@dataclass(frozen=True, slots=True)
class FixPlan:
    """The outcome of a command, as a later attempt needs it."""

    commit: str = ""
    head: str = ""  # the commit's parent
    refusal: str = ""
    says: str = ""  # the reason that GitHub gave
    numbers: tuple[int, ...] = ()  # numbers of the fixed findings
    count: int = 0
    paths: tuple[str, ...] = ()
    left: tuple[tuple[int, str, str], ...] = ()  # number, title and reason of each finding that is not fixed
    wrong: tuple[str, ...] = ()  # findings that the review of the fixed code reports
    others: tuple[int, ...] = ()  # numbers of open findings that were not named and have no fix
    of_models: int = 0  # fixed findings that static checks cannot confirm
    patch: str = ""
    is_masked: bool = False  # whether the patch is left out because it contains a secret


_PLAN = TypeAdapter(FixPlan)


async def run(command: GivenCommand) -> CommandReply:
    """Carry out `/deeprepo fix`."""
    job, context, server = command.job, command.context, command.server
    last = context.last
    if last is None:
        return context.say("reply_no_review")
    async with github.open_pull(server.identity, job.pull, server.pace, github.COMMITTING) as writing:

        async def make_fix(names: tuple[str, ...]) -> MadeFix:
            async with server.fetch(job.pull, command.state) as pull:
                dismissals, rules = await conclusions.silences(job.pull, server.store)
                brief = replace(command.state.brief(pull, context.settings), dismissals=dismissals, rules=rules)
                return await server.fix(FixRequest(brief, last, names))

        async def decide() -> FixPlan:
            return await _plan(command, last, writing, make_fix)

        try:
            plan = await command.attempt.step("fix", decide, _PLAN)
        except (UsageError, OverLimit) as error:
            return context.say("fix_refused", why=public(error))
        return _fix_reply(await _point_branch(plan, job.actor, writing), context)


async def in_step(command: StepCommand) -> CommandReply:
    """Carry out `/deeprepo fix` in a GitHub Actions step, with the token of its job."""
    context, last, work = command.context, command.context.last, command.work
    if last is None:
        return context.say("reply_no_review")

    async def make_fix(names: tuple[str, ...]) -> MadeFix:
        return await work.fix(last, names)

    try:
        plan = await _plan(command, last, command.host, make_fix)
    except (UsageError, OverLimit) as error:
        return context.say("fix_refused", why=public(error))
    plan = await _point_branch(plan, command.job.actor, command.host)
    reply = _fix_reply(plan, context)
    if plan.refusal or work.starts_workflows:
        return reply
    return replace(
        reply, body=f"{reply.body.rstrip()}\n\n{context.words.say('fix_starts_nothing')}\n", commit=plan.commit
    )


async def _point_branch(plan: FixPlan, actor: str, host: Host) -> FixPlan:
    if not plan.commit:
        return plan
    try:
        facts = await committing.check(host, plan.head, actor, ours=plan.commit)
        await committing.point(host, facts.head_ref, plan.head, plan.commit)
    except CommitRefused as refused:
        return replace(plan, refusal=refused.reason, says=refused.says)
    return plan


def _names(job: CommandJob, context: CommandContext) -> tuple[str, ...] | None:
    """Return the named findings, else the thread's finding, else () for all.

    Returns None if the person has to name them, because the thread is about no finding or about several.
    """
    words = job.argument.split()
    names = tuple(filter(None, (word.strip(".,;:#") for word in words)))
    if words:
        return None if not names else () if names == ("all",) else names
    of_this_thread = target.thread_target(context)
    if of_this_thread.fingerprint:
        return (of_this_thread.fingerprint,)
    return None if job.comment.thread else ()


async def _plan(
    command: BareCommand, last: bytes, host: Host, make_fix: Callable[[tuple[str, ...]], Awaitable[MadeFix]]
) -> FixPlan:
    """Fix the findings in a copy, review the copy, and make the commit if that review is clean."""
    job, state = command.job, command.state
    try:
        last_review = reviews.last(last)
    except UnreadableError as error:
        raise UsageError(f"{error}: `/deeprepo review` makes a new one") from error
    if last_review.pull.head != state.facts.head_sha:
        return FixPlan(refusal="moved")
    names = _names(job, command.context)
    if names is None:
        return FixPlan(refusal="which")
    result = await make_fix(names)
    plan = _outcome(result)
    if not result.fix:
        return plan
    if not result.check.is_clean:
        return _with_patch(plan, result, "unclean")
    try:
        await committing.check(host, state.facts.head_sha, job.actor)
        commit = await committing.create(
            host, state.facts.head_sha, result.fix.contents, result.modes, _message(result.fix.findings, job.actor)
        )
    except CommitRefused as refused:
        return replace(_with_patch(plan, result, refused.reason), says=refused.says)
    return replace(_with_patch(plan, result, ""), commit=commit, head=state.facts.head_sha)


def _outcome(result: MadeFix) -> FixPlan:
    fix, check = result.fix, result.check
    reported = (f"{finding.path}:{finding.start} {finding.title}" for finding in (*check.still, *check.new))
    wrong = dict.fromkeys((*reported, *fix.problems))
    return FixPlan(
        refusal="" if fix else "nothing",
        numbers=tuple(finding.number for finding in fix.findings if finding.number),
        count=len(fix.findings),
        paths=tuple(sorted(fix.contents)),
        left=tuple(
            (finding.number, f"{finding.path}:{finding.start} {finding.title}", reason)
            for finding, reason in fix.refusals
        ),
        wrong=tuple(wrong),
        others=result.others,
        of_models=len(fix.findings) - check.by_code if fix else 0,
    )


def _with_patch(plan: FixPlan, result: MadeFix, reason: str) -> FixPlan:
    patch = result.fix.patch if len(result.fix.patch) <= MOST_PATCH else ""
    return replace(plan, refusal=reason, patch=patch, is_masked=not result.fix.patch)


def _message(findings: tuple[Finding, ...], actor: str) -> str:
    """The message contains no text from a model or the change, which could close issues or skip checks."""
    numbers = ", ".join(str(finding.number) for finding in findings if finding.number)
    many = "finding" if len(findings) == 1 else "findings"
    return f"Fix {many} {numbers or len(findings)} from the review\n\nRequested by {actor} with `/deeprepo fix`."


def _fix_reply(plan: FixPlan, context: CommandContext) -> CommandReply:
    reason = plan.refusal
    is_committed = bool(plan.commit) and not reason
    return context.reply(
        "replies/fix",
        committed=plan.commit if is_committed else "",
        reason=f"fix_{reason}" if reason else "",
        says=plan.says,
        numbers=", ".join(map(str, plan.numbers)),
        count=plan.count,
        paths=plan.paths,
        changed=len(plan.paths),
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


COMMAND = CommentCommand(run, in_step, "fix [NUMBER...]")
