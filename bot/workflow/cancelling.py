"""A pull request was closed or made a draft, or somebody has called off its reviews.

Deliveries come late and in any order. Therefore an end counts only if GitHub confirms it now: then the reviews are called off, what people
have said of the findings by then is learned, and what is open stays so. If it is not true any more, a review that is due is submitted.
What reviews that were called off have left in progress is ended here, also where nobody is left who could.
"""

import time
from collections.abc import Mapping

from bot import config, github
from bot.config import policy
from bot.errors import HostRefused
from bot.github import Host
from bot.jobs import Job
from bot.publish import checks
from bot.publish.checks import CheckEnding
from bot.render import load
from bot.values import Cancel, ReviewAsk
from bot.workflow import asking, concluding, looking
from bot.workflow.learning import Lessons
from bot.workflow.looking import PullState
from bot.workflow.parts import Services, unless_gone
from bot.workflow.review_run import SUPERSEDED


async def end(ask: Cancel, job: Job, parts: Services) -> None:
    """End what the reviews that were called off have left in progress, and call off those that are no longer wanted."""
    left = [(run, number) for run, number in await parts.store.checks.of(ask.pull) if run in ask.runs]
    in_doubt = ask.reason != "command"
    # Read before GitHub is asked: what is submitted afterwards knows more than its answer.
    due = await parts.jobs.reviews(ask.pull) if in_doubt else {}
    if not left and not due and ask.reason != "closed":
        return
    async with github.open_pull(parts.identity, ask.pull, parts.pace) as host:
        for run, number in left:
            with unless_gone(job):  # the repository, and with it the check run
                await checks.end_without_review(host, number, run, SUPERSEDED, CheckEnding("cancelled"))
        if in_doubt:
            await _check(ask, due, host, job, parts)
        if left and await parts.store.reviews.heads(ask.pull):
            with unless_gone(job):
                await _restore(host, parts)
        for run, _ in left:
            await parts.store.checks.remove(run)


async def _restore(host: Host, parts: Services) -> None:
    """Have the check of the present head say again what an earlier review of it came to, if there is one."""
    state = await looking.current_state(host, config.FILE, parts.defaults)
    if state.facts.state == "open":
        settings = await parts.settings_of(state)
        verdict = await concluding.of_head(host.pull, state.facts, settings, parts.store)
        if verdict.is_reviewed:
            await checks.show(host, state.facts.head_sha, verdict, settings.language)


async def _check(ask: Cancel, due: Mapping[str, ReviewAsk], host: Host, job: Job, parts: Services) -> None:
    """Ask GitHub whether it is closed, or a draft, now; only then call off what was due before. Any other end is not true any more."""
    state: PullState | None = None
    with unless_gone(job):
        state = await looking.current_state(host, config.FILE, parts.defaults)
    if state is None or state.facts.state != "open":
        await parts.jobs.cancel(ask.pull, due.keys())
        if state is not None:
            await _close(ask, state, due, host, job, parts)
        return
    facts, settings = state.facts, await parts.settings_of(state)
    again = ReviewAsk(ask.pull, "catch-up", head=facts.head_sha)
    if facts.draft and isinstance(policy.decide(facts, again, settings), policy.No):
        await parts.jobs.cancel(ask.pull, [run for run, one in due.items() if one.trigger not in policy.ASKED])
    elif await concluding.is_due(ask.pull, facts.head_sha, facts.base_ref, parts.store):
        await parts.jobs.submit(again, f"late-{job.delivery}")


async def _close(
    ask: Cancel, state: PullState, due: Mapping[str, ReviewAsk], host: Host, job: Job, parts: Services
) -> None:
    """Answer the commands whose reviews are called off, and read for the last time how findings were received: nothing else will ask."""
    settings = await parts.settings_of(state)
    for one in due.values():
        if one.comment is not None:
            await asking.tell_closed(one.comment, host, settings)
    if not await parts.store.reviews.heads(ask.pull):
        return
    try:
        await Lessons(ask.pull, host, load(settings.language), parts.store).learn()
    except HostRefused:
        if not job.last:
            raise
    await parts.store.reviews.close(ask.pull, time.time(), merged=state.facts.merged)
    await parts.store.outcomes.close(ask.pull, time.time())
