"""Limit how many changes by strangers are reviewed by models in 24 hours, by counting the workflow's runs.

Every run counts the runs that were started before it, with any result. So parallel runs can't exceed
the limit.
"""

from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from bot.action.console import Console
from bot.action.event import ON_PULL
from bot.commands.context import WRITERS
from bot.config import FILE, policy
from bot.config.action import Step
from bot.errors import HostRefused
from bot.github import responses
from bot.stored import reviews, states
from bot.values.daily import DAY
from bot.workflow.publish.publication import summaries
from bot.workflow.reviewing import Funds, ReviewRun

CANNOT_LIST = frozenset({403, 404})  # GitHub's statuses if the token may not list runs
MAX_LISTED_RUNS = 1_000  # GitHub lists at most this many runs for a period of time
OFFLINE = "Reviewed with static checks only:"
GRANT = "the job needs `permissions: {actions: read}` to count the runs of a day"


async def remaining_funds(run: ReviewRun, step: Step, console: Console) -> Funds:
    """Return what this review may spend, or why models may not review the change today."""
    given = step.inputs.fork_reviews_per_day
    limit = run.settings.triggers.fork_reviews_per_day if given is None else given
    if run.settings.strategy == "offline" or not run.is_strangers_push:
        return Funds()
    try:
        count = await _earlier_runs(run, step)
    except HostRefused as refusal:
        if refusal.status not in CANNOT_LIST:
            raise
        console.say(f"triggers.fork_reviews_per_day counts only the reviews of this pull request: {GRANT}.")
        count = await _review_count(run)
    if count is None:
        return Funds(
            refusal=f"{OFFLINE} this workflow ran at least {MAX_LISTED_RUNS:,} times in 24 hours, the most that GitHub lists, so "
            "`triggers.fork_reviews_per_day` cannot be checked.",
            is_capped=True,
        )
    if count < limit:
        return Funds()
    return Funds(refusal=f"{OFFLINE} {policy.fork_limit_message(limit, f'{FILE} or of the workflow')}", is_capped=True)


async def _earlier_runs(run: ReviewRun, step: Step) -> int | None:
    """Count this workflow's earlier runs for strangers in the last 24 hours.

    Return None if there are more runs than GitHub lists. If this run is a re-run, all other runs count as
    earlier. A run whose jobs were all skipped doesn't count.
    """
    host, runner = run.host, step.runner
    since = (datetime.now(UTC) - timedelta(seconds=DAY)).strftime("%Y-%m-%dT%H:%M:%SZ")
    actions = host.rest.actions.async_list_workflow_runs_for_repo
    listing = partial(actions, *host.repo, created=f">={since}", event=runner.github_event_name)
    this_run = int(runner.github_run_id) if runner.github_run_id.isdigit() else 0
    count = listed = 0
    writers: dict[str, bool] = {}

    async def is_stranger(workflow_run: Mapping[str, Any], repository: object) -> bool:
        """Return whether a run is for a fork, or was caused by a person without write permission."""
        login = str(responses.at(workflow_run, "actor.login") or "")
        if responses.at(workflow_run, "head_repository.full_name") != repository or not login:
            return True
        if login not in writers:
            is_person = responses.at(workflow_run, "actor.type") == "User"
            writers[login] = not is_person or await host.permission(login) in WRITERS
        return not writers[login]

    async for workflow_run in host.client.pages(listing, "workflow_runs"):
        listed += 1
        here, number = responses.at(workflow_run, "repository.full_name"), responses.at(workflow_run, "id")
        path = str(responses.at(workflow_run, "path")).partition("@")[0].removeprefix(f"{here}/")
        is_before = number != this_run if runner.github_run_attempt != "1" else number < this_run
        is_this = not runner.workflow_path or path == runner.workflow_path
        if is_before and is_this and responses.at(workflow_run, "conclusion") != "skipped":
            count += runner.github_event_name not in ON_PULL or await is_stranger(workflow_run, here)
    return None if listed >= MAX_LISTED_RUNS else count


async def _review_count(run: ReviewRun) -> int:
    """Return the number of this pull request's reviews, from the state in its summary comment."""
    summary = next(iter(await summaries(run.host)), None)
    state = states.unpack(summary.body) if summary is not None else ""
    with suppress(reviews.UnreadableError):
        return reviews.round_number(state) if isinstance(state, bytes) else 0
    return 0
