"""The caps of a day without a server: the runs of the workflow are counted, as GitHub lists them.

A run knows which runs were started before it, whatever became of them: its place in that order decides, so runs that work at
the same time cannot pass a cap together. What each has cost is not known, so each counts as its whole budget.
"""

import json
import time
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from bot import config
from bot.action.console import Console
from bot.action.event import ON_PULL
from bot.commands.carrying import WRITERS
from bot.config import FILE, Step, policy
from bot.errors import HostRefused
from bot.github import Host, shapes
from bot.outputs import state
from bot.publish import summary
from bot.values.daily import DAY, UNASKED, CapReached, Counted, DailyCaps, Which, grant
from bot.wiring import action as parts
from bot.workflow.backend import Funds, ReviewRun

MOVED = {"attempts": "run_attempt"}
UNKNOWN = frozenset({403, 404})  # the token may not list runs
TARGET, KEYLESS = "pull_request_target", "pull_request"
COMMENTS = frozenset({"issue_comment", "pull_request_review_comment", "pull_request_review"})
MOST_PEOPLE = 20  # whose permission one run asks for
APP = "[bot]"  # how the logins of Apps end
LISTED = 1_000  # runs at most that GitHub lists for a span of time
OFFLINE = "Reviewed without a model:"
AGAIN = "what it costs could not be counted; a new one can be: comment `/deeprepo review`, or push"
GRANT = "the job needs `permissions: {actions: read}` to count the runs of a day"


@dataclass(frozen=True, slots=True)
class WorkflowRun:
    """One run of a workflow, as the list of the repository's runs shows it."""

    id: int
    event: str
    path: str  # of the workflow's file
    fork: bool  # its commit is of another repository
    was_skipped: bool  # no job of it was started
    started_at: float  # seconds since 1970: its first attempt
    actor: str = ""  # the login of who has caused it
    attempts: int = 1


async def left(run: ReviewRun, step: Step, console: Console) -> Funds:
    """What the day leaves this review, or why no model may read the change."""
    inputs, forks = step.inputs, step.inputs.fork_reviews_per_day
    limit = run.settings.triggers.fork_reviews_per_day if forks is None else forks
    if run.settings.strategy == "offline":
        return Funds()
    writers = _Writers(run.host)
    fork = run.state.facts.fork and step.runner.github_event_name in ON_PULL
    is_asked = run.ask.trigger in policy.ASKED or await writers.ask(run.ask.actor, fork=fork)
    caps = DailyCaps(workflow=inputs.cap_usd_per_day, forks=None if is_asked else limit)
    if caps == DailyCaps():
        return Funds()
    # What was started in the day before may have been run again in this one.
    workflow_runs = await _workflow_runs(run.host, DAY if caps.workflow is None else 2 * DAY)
    if workflow_runs is not None:
        return await _count_runs(run, step, workflow_runs, caps, writers)
    if caps.workflow is not None:
        return Funds(refusal=f"{OFFLINE} the input cap-usd-per-day is set, and {GRANT}.")
    rounds = await _rounds(run)
    console.say(f"Only the rounds of this pull request count for triggers.fork_reviews_per_day: {GRANT}.")
    return _funds(grant(run.settings.usd, caps, lambda _which, _of: rounds), run)


async def _count_runs(
    run: ReviewRun, step: Step, workflow_runs: tuple[WorkflowRun, ...], caps: DailyCaps, writers: "_Writers"
) -> Funds:
    """The same, with the list of runs."""
    if len(workflow_runs) >= LISTED:
        return Funds(
            refusal=f"{OFFLINE} this repository had {LISTED:,} runs of workflows in 24 hours or more, and GitHub lists no "
            f"more of them, so {'`triggers.fork_reviews_per_day`' if caps.forks is not None else 'the input cap-usd-per-day'} cannot be held."
        )
    day = time.time() - DAY
    if caps.workflow is not None and _is_old(step, workflow_runs, day):
        return Funds(refusal=f"{OFFLINE} this run is older than 24 hours, and {AGAIN}.")
    runs = _before(step, workflow_runs)
    today = [one for one in runs if one.started_at >= day]
    # Another base branch may have allowed more than this one; no file allows more than the workflow.
    most = max(run.settings.usd, config.resolve(step.inputs.flags(), None, config.environment(on_server=True)).usd)
    requests = {one.id: await writers.ask(one.actor, fork=one.fork) for one in today}
    # Those that may have asked a model: a stranger's comment asks none, nor does a fork's run that GitHub gave no key.
    is_keyless = step.runner.github_event_name == TARGET
    unasked_count = sum(
        not requests[one.id] and one.event not in COMMENTS and not (is_keyless and one.fork and one.event == KEYLESS)
        for one in today
    )
    silent_count = sum(requests[one.id] is False for one in today)
    again_count = sum(one.attempts - 1 for one in runs) + int(step.runner.github_run_attempt) - 1
    full_count = len(today) - silent_count + again_count

    def count_used(which: Which, of: Counted) -> float:
        if which == "forks":
            return unasked_count
        if of == "unasked":
            return unasked_count * most
        return full_count * most + min(silent_count * most, (caps.workflow or 0.0) * UNASKED)

    return _funds(grant(run.settings.usd, caps, count_used), run)


@dataclass(slots=True)
class _Writers:
    """Who may write to the repository. Not frozen: each person is asked for once, and only so many."""

    host: Host
    rights: dict[str, bool | None] = field(default_factory=dict)

    async def ask(self, actor: str, *, fork: bool) -> bool | None:
        """Whether somebody who may write has asked for a run that this person has caused; None if it is not known.

        Nobody has for a fork's. An App that is heard in the repository was let in by its owner.
        """
        if fork:
            return False
        if actor.endswith(APP):
            return True
        if actor and actor not in self.rights and len(self.rights) < MOST_PEOPLE:
            self.rights[actor] = None
            with suppress(HostRefused):
                self.rights[actor] = await self.host.permission(actor) in WRITERS
        return self.rights.get(actor)


def _funds(rest: float | CapReached, run: ReviewRun) -> Funds:
    if not isinstance(rest, CapReached):
        return Funds(rest)
    if rest.which == "forks":
        return Funds(refusal=f"{OFFLINE} {policy.forks_used(int(rest.cap), f'{FILE} or of the workflow')}")
    return Funds(
        refusal=f"{OFFLINE} the workflow's runs of 24 hours leave nothing of the input cap-usd-per-day (${rest.cap:,.2f}); "
        f"each counts as its budget of ${run.settings.usd:,.2f}."
    )


async def _workflow_runs(host: Host, seconds: float) -> tuple[WorkflowRun, ...] | None:
    """The repository's runs of workflows that were started in these last seconds; None if the token may not list them."""
    since = (datetime.now(UTC) - timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")
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
    fork, was_skipped = shapes.at(data, "head_repository.full_name") != here, shapes.at(data, "conclusion") == "skipped"
    start = datetime.fromisoformat(str(shapes.at(data, "created_at"))).timestamp()
    actor = str(shapes.at(data, "actor.login") or "")
    facts = {"path": path, "fork": fork, "was_skipped": was_skipped, "started_at": start, "actor": actor}
    return shapes.value(WorkflowRun, data, MOVED, **facts)


def _before(step: Step, workflow_runs: tuple[WorkflowRun, ...]) -> tuple[WorkflowRun, ...]:
    """Those of this workflow that were started before this one; before a run that is run again, all the others were."""
    path, own, is_again = step.runner.workflow_path, _own_id(step), step.runner.github_run_attempt != "1"
    return tuple(
        run
        for run in workflow_runs
        if (run.id != own if is_again else run.id < own) and not run.was_skipped and (not path or run.path == path)
    )


def _own_id(step: Step) -> int:
    return int(step.runner.github_run_id) if step.runner.github_run_id.isdigit() else 0


def _is_old(step: Step, workflow_runs: tuple[WorkflowRun, ...], day: float) -> bool:
    """Whether this run is run again after its day: GitHub lists runs by their first attempt, so nobody would count this one."""
    own = next((run for run in workflow_runs if run.id == _own_id(step)), None)
    return step.runner.github_run_attempt != "1" and (own is None or own.started_at < day)


async def _rounds(run: ReviewRun) -> int:
    """The reviews of this pull request alone, as its summary counts them."""
    stands = next(iter(await summary.stands(run.host)), None)
    state_text = state.unpack(stands.body, run.ask.pull, parts.secret()) if stands is not None else ""
    return int(json.loads(state_text)["round"]["number"]) if isinstance(state_text, bytes) else 0
