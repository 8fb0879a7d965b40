"""A review in a workflow: the straight line of a server, with a token that was given and without anything that is stored."""

import asyncio
import tempfile
import time
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial

from bot import commands, config, github, pipeline, policy
from bot.action import changing, spending
from bot.action.console import Console
from bot.action.event import ON_PULL, WORKFLOW
from bot.action.told import StepResult
from bot.action.visit import ActionRun
from bot.commands import CommandReply, Permission
from bot.config import Config, Step
from bot.errors import DeepRepoError, HostError, HostRefused, NothingToReview, Superseded
from bot.github import Host, RequestPace
from bot.policy import Go, No
from bot.publish import checks, publish
from bot.render import plain
from bot.values import CommentRef, Review, ReviewAsk
from bot.wiring import action as parts
from bot.workflow import asking, looking
from bot.workflow.progress import progress

FORBIDDEN = 403
ALONE = "The review is posted only here"
MAY_NOT = f"{ALONE}: the workflow's token may not write to the pull request"
FORK = "GitHub grants no such permission for a pull request from a fork"
GRANT = "the job needs `permissions: {contents: read, pull-requests: write}`"


async def review(ask: ReviewAsk, step: Step, console: Console) -> StepResult:
    """Review what was asked for and say so on GitHub. The head is the one that is there now, and no other is spoken of."""
    inputs, runner = step.inputs, step.runner
    parts.lend(inputs)
    pace, token = RequestPace(between=runner.deeprepo_write_pause), inputs.github_token
    login = await github.whose(token, runner.github_api_url, pace) or WORKFLOW
    async with github.with_token(token, runner.github_api_url, ask.pull, login, pace) as host:
        facts = await host.facts()
        bases = await looking.compared(host, facts)
        file = await host.file_at(inputs.config, bases.tip)
        settings = config.resolve(inputs.flags(), file, config.environment(hosted=True), inputs.config)
        if ask.comment is not None and not await _admitted(ask, ask.comment, host, settings):
            return StepResult("skipped", "Nothing was reviewed: who asked may not, or not so often.")
        decision = policy.decide(facts, ask, settings.triggers, paused=False)
        if isinstance(decision, No):
            says = f"Not reviewed: {decision.reason}"
            await _answered(ask, host, says)
            return StepResult("skipped", says)
        visit = ActionRun(ask, step, host, console, facts, bases, settings)
        if not decision.offline and (held := await spending.held_back(visit)):
            decision = Go(offline=True, reason=held)
        return await _checked(visit, decision)


async def _admitted(ask: ReviewAsk, comment: CommentRef, host: Host, settings: Config) -> bool:
    """Whether this person gets the review. What they asked for before is known from their comments alone."""
    there = await (host.review_comments() if comment.kind == "review" else host.comments())
    own = [one for one in there if one.author == ask.actor and one.id != comment.id and commands.read(one.body)]
    earlier = tuple(datetime.fromisoformat(one.created).timestamp() for one in own)
    standing = Permission(await host.permission(ask.actor), time.time(), earlier)
    return await asking.judged(ask, comment, standing, host, settings)


async def _answered(ask: ReviewAsk, host: Host, says: str) -> None:
    """Tell who asked by a comment why there is no review: they do not look at the job."""
    if ask.comment is not None:
        with suppress(HostError):
            await asking.answered(CommandReply(plain(says)), ask.comment, host)


async def _checked(visit: ActionRun, decision: Go) -> StepResult:
    """The review, with a check run of our own where the job is none of the pull request's checks."""
    number = await _begun(visit)
    try:
        told = await _told(visit, decision, number)
    except asyncio.CancelledError:
        await _ended(visit, number, StepResult("cancelled", "The job was cancelled."))
        raise
    except DeepRepoError as error:
        says = f"There is no review: {error}"
        await _ended(visit, number, StepResult("neutral", says))
        await _answered(visit.ask, visit.host, says)
        raise
    await _ended(visit, number, told)
    return replace(told, annotated=visit.event not in ON_PULL)


async def _begun(visit: ActionRun) -> int | None:
    """The check run on the head; None where the job is there itself, or where the token may not make one."""
    if visit.event in ON_PULL:
        return None
    try:
        return await checks.start(visit.host, visit.facts.head_sha, visit.run, visit.language)
    except HostRefused:
        return None


async def _ended(visit: ActionRun, number: int | None, told: StepResult) -> None:
    if number is None:
        return
    with suppress(HostError):
        if told.review is not None and told.outcome is not None:
            await checks.done(visit.host, number, visit.run, told.review, told.outcome)
        else:
            await checks.ended(visit.host, number, visit.run, told.says, told.conclusion, visit.language)


async def _told(visit: ActionRun, decision: Go, number: int | None) -> StepResult:
    """Find the change, review it, post it."""

    async def shown(says: str) -> None:
        visit.console.say(says)
        if number is not None:
            await checks.progress(visit.host, number, visit.run, says, visit.language)

    with tempfile.TemporaryDirectory(prefix="deeprepo-", ignore_cleanup_errors=True) as folder:
        pull = await changing.found(visit, folder)
        refused = await pipeline.untouched(pull, visit.settings, visit.ask.trigger)
        if refused is not None:
            return StepResult("skipped", f"Not reviewed: {refused.reason}")
        change = await changing.asked(visit, pull, decision)
        try:
            async with progress(shown) as say:
                done = await parts.reviewed(change, visit.step.inputs.config, say)
        except NothingToReview:
            return StepResult("success", "There is nothing to review: the head adds nothing to the base branch.")
    return await _posted(visit, done)


async def _posted(visit: ActionRun, done: Review) -> StepResult:
    """Put the review on the pull request. What cannot be posted stands in the job summary: it may have been paid for."""
    made = partial(parts.comments, pull=visit.ask.pull, signed=parts.secret())
    ending = checks.conclusion(done)
    try:
        outcome = await publish(visit.host, done, made, visit.run, _wanted)
    except Superseded as moved:
        return StepResult("cancelled", f"{ALONE}: {moved}.", done)
    except HostRefused as refused:
        if refused.status == FORBIDDEN:
            return StepResult(ending, f"{MAY_NOT}; {FORK if visit.facts.fork else GRANT}.", done)
        return StepResult(ending, f"{ALONE}: GitHub did not take it.", done, fault=refused)
    except HostError as error:
        return StepResult(ending, f"{ALONE}: it could not be posted.", done, fault=error)
    for note in outcome.notes:
        visit.console.say(note)
    return StepResult(ending, "", done, outcome)


async def _wanted() -> bool:
    """A newer run of the workflow cancels this one's job; nobody else tells us."""
    return True
