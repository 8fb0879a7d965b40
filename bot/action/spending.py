"""The caps of a day without a server: the runs of the workflow are counted, as GitHub lists them.

A run knows which runs were started before it, whatever became of them: its place in that order decides, so runs that work at
the same time cannot pass a cap together. What each has cost is not known, so each counts as its whole budget.
"""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from bot import config
from bot.action.console import Console
from bot.config import FILE, Step, policy
from bot.errors import HostRefused
from bot.github import Host, shapes
from bot.outputs import state
from bot.publish import summary
from bot.values.daily import DAY, CapReached, Counted, DailyCaps, Which, grant
from bot.wiring import action as parts
from bot.workflow.backend import Funds, ReviewRun

MOVED = {"attempts": "run_attempt"}
UNKNOWN = frozenset({403, 404})  # the token may not list runs
TARGET = "pull_request_target"
LISTED = 1_000  # runs at most that GitHub lists for a span of time
OFFLINE = "Reviewed without a model:"
GRANT = "the job needs `permissions: {actions: read}` to count the runs of a day"


@dataclass(frozen=True, slots=True)
class WorkflowRun:
    """One run of a workflow, as the list of the repository's runs shows it."""

    id: int
    event: str
    path: str  # of the workflow's file
    fork: bool  # its commit is of another repository
    was_skipped: bool  # no job of it was started
    attempts: int = 1


async def left(run: ReviewRun, step: Step, console: Console) -> Funds:
    """What the day leaves this review, or why no model may read the change."""
    inputs, forks = step.inputs, step.inputs.fork_reviews_per_day
    limit = run.settings.triggers.fork_reviews_per_day if forks is None else forks
    caps = DailyCaps(workflow=inputs.cap_usd_per_day, forks=limit if run.is_automatic else None)
    if run.settings.strategy == "offline" or caps == DailyCaps():
        return Funds()
    workflow_runs = await _workflow_runs(run.host)
    if workflow_runs is not None:
        return _count_runs(run, step, workflow_runs, caps)
    if caps.workflow is not None:
        return Funds(refusal=f"{OFFLINE} the input cap-usd-per-day is set, and {GRANT}.")
    rounds = await _rounds(run)
    console.say(f"Only the rounds of this pull request count for triggers.fork_reviews_per_day: {GRANT}.")
    return _funds(grant(run.settings.usd, caps, lambda _which, _of: rounds), run)


def _count_runs(run: ReviewRun, step: Step, workflow_runs: tuple[WorkflowRun, ...], caps: DailyCaps) -> Funds:
    """The same, with the list of runs."""
    if len(workflow_runs) >= LISTED:
        return Funds(
            refusal=f"{OFFLINE} this repository had {LISTED:,} runs of workflows in 24 hours or more, and GitHub lists no "
            f"more of them, so {'`triggers.fork_reviews_per_day`' if run.is_automatic else 'the input cap-usd-per-day'} cannot be held."
        )
    runs = _earlier(step, workflow_runs)
    # Another base branch may have allowed more than this one; no file allows more than the workflow.
    most = max(run.settings.usd, config.resolve(step.inputs.flags(), None, config.environment(on_server=True)).usd)

    def count_used(which: Which, of: Counted) -> float:
        counted_runs = [one for one in runs if of == "all" or (one.fork and one.event == TARGET)]
        own = int(step.runner.github_run_attempt) - 1
        return len(counted_runs) if which == "forks" else (sum(one.attempts for one in counted_runs) + own) * most

    return _funds(grant(run.settings.usd, caps, count_used), run)


def _funds(rest: float | CapReached, run: ReviewRun) -> Funds:
    if not isinstance(rest, CapReached):
        return Funds(rest)
    if rest.which == "forks":
        return Funds(refusal=f"{OFFLINE} {policy.forks_used(int(rest.cap), f'{FILE} or of the workflow')}")
    return Funds(
        refusal=f"{OFFLINE} the workflow's runs of 24 hours leave nothing of the input cap-usd-per-day (${rest.cap:,.2f}); "
        f"each counts as its budget of ${run.settings.usd:,.2f}."
    )


async def _workflow_runs(host: Host) -> tuple[WorkflowRun, ...] | None:
    """The repository's runs of workflows in the last day; None if the token may not list them."""
    since = (datetime.now(UTC) - timedelta(seconds=DAY)).strftime("%Y-%m-%dT%H:%M:%SZ")
    listing = partial(host.rest.actions.async_list_workflow_runs_for_repo, *host.repo, created=f">={since}")
    try:
        return tuple([_run(data) async for data in host.client.pages(listing, "workflow_runs")])
    except HostRefused as refusal:
        if refusal.status in UNKNOWN:
            return None
        raise


def _run(data: Any) -> WorkflowRun:  # noqa: ANN401 - JSON
    """Read one run. GitHub shows its path with the branch, sometimes with the repository."""
    here = shapes.at(data, "repository.full_name")
    path = str(shapes.at(data, "path")).partition("@")[0].removeprefix(f"{here}/")
    fork, skipped = shapes.at(data, "head_repository.full_name") != here, shapes.at(data, "conclusion") == "skipped"
    return shapes.value(WorkflowRun, data, MOVED, path=path, fork=fork, was_skipped=skipped)


def _earlier(step: Step, workflow_runs: tuple[WorkflowRun, ...]) -> tuple[WorkflowRun, ...]:
    """Those of this workflow that were started before this one."""
    runner = step.runner
    path = runner.github_workflow_ref.partition("@")[0].removeprefix(f"{runner.github_repository}/")
    own = int(runner.github_run_id) if runner.github_run_id.isdigit() else 0
    return tuple(
        run for run in workflow_runs if run.id < own and not run.was_skipped and (not path or run.path == path)
    )


async def _rounds(run: ReviewRun) -> int:
    """The reviews of this pull request alone, as its summary counts them."""
    stands = next(iter(await summary.stands(run.host)), None)
    packed = state.unpack(stands.body, run.ask.pull, parts.secret()) if stands is not None else ""
    return int(json.loads(packed)["round"]["number"]) if isinstance(packed, bytes) else 0
