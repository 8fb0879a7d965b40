"""The caps of a day without a server: the runs of the workflow are counted, as GitHub lists them.

A run knows which runs were started before it, whatever became of them: its place in that order decides, so runs that work at
the same time cannot pass a cap together. What each has cost is not known, so each counts as its whole budget.
"""

import json
from datetime import UTC, datetime, timedelta

from bot import policy
from bot.action.visit import ActionRun
from bot.config import FILE
from bot.errors import HostRefused
from bot.publish import summary
from bot.values import WorkflowRun
from bot.wiring import action as parts

UNKNOWN = frozenset({403, 404})  # the token may not list runs
TARGET = "pull_request_target"
LISTED = 1_000  # runs at most that GitHub lists for a span of time
GRANT = "the job needs `permissions: {actions: read}` to count the runs of a day"


async def held_back(visit: ActionRun) -> str:
    """Why no model may read this change today, "" if one may."""
    inputs = visit.step.inputs
    unasked = visit.facts.fork and visit.ask.trigger not in policy.ASKED
    limit = inputs.fork_reviews_per_day
    limit = visit.settings.triggers.fork_reviews_per_day if limit is None else limit
    cap = inputs.cap_usd_per_day
    if not parts.keys() or visit.settings["strategy"] == "offline" or (not unasked and cap is None):
        return ""
    listed = await _listed(visit)
    if listed is None:
        return await _uncounted(visit, limit if unasked else None, cap)
    if len(listed) >= LISTED:
        return (
            f"Reviewed without a model: this repository had {LISTED:,} runs of workflows in 24 hours or more, and GitHub lists no "
            f"more of them, so {'`triggers.fork_reviews_per_day`' if unasked else 'the input cap-usd-per-day'} cannot be held."
        )
    runs = _earlier(visit, listed)
    if unasked and sum(run.fork and run.event == TARGET for run in runs) >= limit:
        return f"Reviewed without a model: {_used(limit)}."
    if cap is not None:
        attempts = sum(run.attempts for run in runs) + int(visit.step.runner.github_run_attempt)
        if attempts * visit.settings["usd"] > cap:
            return (
                f"Reviewed without a model: with this run the workflow's runs of 24 hours could cost more than the input "
                f"cap-usd-per-day (${cap:,.2f}); each counts as its budget of ${visit.settings['usd']:,.2f}."
            )
    return ""


async def _listed(visit: ActionRun) -> tuple[WorkflowRun, ...] | None:
    """The repository's runs of workflows in the last day; None if the token may not list them."""
    since = (datetime.now(UTC) - timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    try:
        return await visit.host.runs(since)
    except HostRefused as refused:
        if refused.status in UNKNOWN:
            return None
        raise


def _earlier(visit: ActionRun, listed: tuple[WorkflowRun, ...]) -> tuple[WorkflowRun, ...]:
    """Those of this workflow that were started before this one."""
    runner = visit.step.runner
    path = runner.github_workflow_ref.partition("@")[0].removeprefix(f"{runner.github_repository}/")
    own = int(runner.github_run_id) if runner.github_run_id.isdigit() else 0
    return tuple(run for run in listed if run.id < own and not run.skipped and (not path or run.path == path))


async def _uncounted(visit: ActionRun, limit: int | None, cap: float | None) -> str:
    """Without the list of runs: no cap in dollars can be held, and of reviews only this pull request's rounds are known."""
    if cap is not None:
        return f"Reviewed without a model: the input cap-usd-per-day is set, and {GRANT}."
    visit.console.say(f"Only the rounds of this pull request count for triggers.fork_reviews_per_day: {GRANT}.")
    stands = next(iter(await summary.stands(visit.host)), None)
    kept = parts.earlier(stands.body, visit.ask.pull, parts.secret()) if stands is not None else ""
    rounds = int(json.loads(kept)["round"]["number"]) if isinstance(kept, bytes) else 0
    return f"Reviewed without a model: {_used(limit)}." if limit is not None and rounds >= limit else ""


def _used(limit: int | None) -> str:
    return (
        f"pull requests from forks have used `triggers.fork_reviews_per_day` ({limit}) of {FILE} or of the workflow for "
        f"these 24 hours; {policy.HOW} with one"
    )
