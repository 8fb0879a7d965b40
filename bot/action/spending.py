"""The cap on reviews of strangers' changes in 24 hours, without a server: the runs of the workflow are counted, as GitHub lists them.

A run knows which runs were started before it, whatever became of them: its place in that order decides, so runs that work at
the same time cannot pass the cap together.
"""

import json
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from bot.action.console import Console
from bot.action.event import ON_PULL
from bot.commands.carrying import WRITERS
from bot.config import FILE, Step, policy
from bot.errors import HostRefused
from bot.github import Host, shapes
from bot.outputs import state
from bot.publish import summary
from bot.values.daily import DAY
from bot.workflow.backend import Funds, ReviewRun

UNKNOWN = frozenset({403, 404})  # the token may not list runs
TARGET, KEYLESS = "pull_request_target", "pull_request"
COMMENTS = frozenset({"issue_comment", "pull_request_review_comment", "pull_request_review"})
MOST_PEOPLE = 20  # whose permission one run asks for
APP = "[bot]"  # how the logins of Apps end
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
    actor: str = ""  # the login of who has caused it


async def left(run: ReviewRun, step: Step, console: Console) -> Funds:
    """What the day leaves this review, or why no model may read the change."""
    given = step.inputs.fork_reviews_per_day
    limit = run.settings.triggers.fork_reviews_per_day if given is None else given
    writers = _Writers(run.host)
    fork = run.state.facts.fork and step.runner.github_event_name in ON_PULL
    is_asked = run.ask.trigger in policy.ASKED or await writers.ask(run.ask.actor, fork=fork)
    if run.settings.strategy == "offline" or is_asked:
        return Funds()
    workflow_runs = await _workflow_runs(run.host)
    if workflow_runs is None:
        console.say(f"Only the rounds of this pull request count for triggers.fork_reviews_per_day: {GRANT}.")
        count = await _rounds(run)
    elif len(workflow_runs) >= LISTED:
        return Funds(
            refusal=f"{OFFLINE} this repository had {LISTED:,} runs of workflows in 24 hours or more, and GitHub lists no "
            "more of them, so `triggers.fork_reviews_per_day` cannot be held."
        )
    else:
        count = await _unasked(step, workflow_runs, writers)
    return (
        Funds()
        if count < limit
        else Funds(refusal=f"{OFFLINE} {policy.forks_used(limit, f'{FILE} or of the workflow')}")
    )


async def _unasked(step: Step, workflow_runs: tuple[WorkflowRun, ...], writers: "_Writers") -> int:
    """The runs before this one that nobody who may write has asked for, and that may have asked a model.

    A stranger's comment asks none, nor does a fork's run that GitHub gave no key.
    """
    is_keyless = step.runner.github_event_name == TARGET
    return sum(
        [
            not await writers.ask(one.actor, fork=one.fork)
            for one in _before(step, workflow_runs)
            if one.event not in COMMENTS and not (is_keyless and one.fork and one.event == KEYLESS)
        ]
    )


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


async def _workflow_runs(host: Host) -> tuple[WorkflowRun, ...] | None:
    """The repository's runs of workflows that were started in the last 24 hours; None if the token may not list them."""
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
    fork, was_skipped = shapes.at(data, "head_repository.full_name") != here, shapes.at(data, "conclusion") == "skipped"
    actor = str(shapes.at(data, "actor.login") or "")
    facts = {"path": path, "fork": fork, "was_skipped": was_skipped, "actor": actor}
    return shapes.value(WorkflowRun, data, **facts)


def _before(step: Step, workflow_runs: tuple[WorkflowRun, ...]) -> tuple[WorkflowRun, ...]:
    """Those of this workflow that were started before this one; before a run that is run again, all the others were."""
    path, is_again = step.runner.workflow_path, step.runner.github_run_attempt != "1"
    own = int(step.runner.github_run_id) if step.runner.github_run_id.isdigit() else 0
    return tuple(
        run
        for run in workflow_runs
        if (run.id != own if is_again else run.id < own) and not run.was_skipped and (not path or run.path == path)
    )


async def _rounds(run: ReviewRun) -> int:
    """The reviews of this pull request alone, as its summary counts them."""
    stands = next(iter(await summary.stands(run.host)), None)
    state_text = state.unpack(stands.body) if stands is not None else ""
    return int(json.loads(state_text)["round"]["number"]) if isinstance(state_text, bytes) else 0
