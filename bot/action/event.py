"""Convert the event that started a workflow to a request, or to the reason why there is nothing to do."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from bot.config.action import Step
from bot.errors import UsageError
from bot.values import Cancel, CommandJob, IgnoredDelivery, MergeGroup, PullRef, Relabeled, RemarkJob, ReviewJob
from bot.workflow import events
from bot.workflow.commands import REVIEWS
from bot.workflow.events import OwnAccount

WORKFLOW = "github-actions[bot]"  # the login for comments written with a workflow's own token
# Events whose jobs are among the pull request's checks.
ON_PULL = frozenset({"pull_request", "pull_request_target"})
# Events that contain their pull request and their actor, who can be anybody. For these events, the input
# `pull-request` is ignored, because it would turn a stranger's comment into a request by the workflow's
# author.
OWN_EVENTS = ON_PULL | {"issue_comment", "pull_request_review_comment", "pull_request_review", "merge_group"}
PULL_ENDS = {"closed": "the pull request is closed", "draft": "it is now a draft"}
QUEUED = "a pull request in a merge queue was reviewed before it entered the queue"
INSTALLATION = {"id": 1}  # a placeholder, because a workflow's events have no installation
MAX_EVENT_BYTES = 25 << 20


@dataclass(frozen=True, slots=True)
class Repeat:
    """An event that needs no review, although its job is one of the pull request's checks.

    The job has to repeat the last result for the head.
    """

    job: ReviewJob
    reason: str

    @property
    def pull(self) -> PullRef:
        """The pull request that the job is a check of."""
        return self.job.pull


def read(step: Step) -> ReviewJob | CommandJob | RemarkJob | Repeat | IgnoredDelivery:
    """Return what the step has to do: review, carry out commands, answer, repeat a result, or nothing.

    Raises UsageError if the event's file cannot be read, or if there is no pull request.
    """
    name, is_rerun = step.runner.github_event_name, step.runner.github_run_attempt != "1"
    request = _from_event(name, _payload(step.runner.github_event_path)) if name in OWN_EVENTS else _from_inputs(step)
    if isinstance(request, Repeat) and is_rerun:
        request = request.job
    if not isinstance(request, ReviewJob):
        return request
    if is_rerun and request.comment is None:  # a person clicked "Re-run jobs" and wants a review now
        request = replace(request, trigger="rerun")
    return replace(request, full=request.full or step.inputs.full)


def _from_event(
    name: str, payload: Mapping[str, object]
) -> ReviewJob | CommandJob | RemarkJob | Repeat | IgnoredDelivery:
    """If a workflow runs on an action that servers ignore, its author wants a review."""
    kind = "pull_request" if name in ON_PULL else name
    delivery = {**payload, "installation": INSTALLATION}
    is_chosen = kind == "pull_request" and str(payload.get("action")) not in events.ACTIONS[kind]
    request = events.read(kind, {**delivery, "action": "opened"} if is_chosen else delivery, OwnAccount("0", WORKFLOW))
    match request:
        case ReviewJob():
            return replace(request, trigger="catch-up") if is_chosen else request
        case CommandJob():
            return _from_commands(request)
        case Relabeled(pull=pull, head=head, trigger=trigger, actor=actor):
            return Repeat(ReviewJob(pull, trigger, actor=actor, head=head), "a label changes no code")
        case Cancel(reason=reason) | IgnoredDelivery(reason=reason) if kind == "pull_request":
            return _repeat(delivery, PULL_ENDS.get(reason, reason))
        case RemarkJob() | IgnoredDelivery():
            return request
        case other:
            return IgnoredDelivery(QUEUED if isinstance(other, MergeGroup) else "this event starts no review")


def _from_commands(job: CommandJob) -> ReviewJob | CommandJob:
    """Return a review if all of a comment's commands request one, and otherwise the commands."""
    reviews = [each.word for each in job.each if each.word in REVIEWS]
    return requested_review(job) if len(reviews) == len(job.each) else job


def requested_review(job: CommandJob) -> ReviewJob:
    """Return the first review that a comment's commands request."""
    word = next(each.word for each in job.each if each.word in REVIEWS)
    return ReviewJob(job.pull, "command", REVIEWS[word], job.actor, job.comment)


def _repeat(delivery: Mapping[str, object], reason: str) -> Repeat | IgnoredDelivery:
    """This job's check belongs to the head commit, which another pull request may have too."""
    match events.read("pull_request", {**delivery, "action": "closed"}, OwnAccount("0", WORKFLOW)):
        case Cancel(pull=pull, actor=actor):
            return Repeat(ReviewJob(pull, "catch-up", actor=actor), reason)
        case _:
            return IgnoredDelivery(reason)


def _from_inputs(step: Step) -> ReviewJob | IgnoredDelivery:
    runner, number = step.runner, step.inputs.pull_request
    if number is None:
        raise UsageError(f"the event {runner.github_event_name} has no pull request. Set the input `pull-request`")
    owner, _, name = runner.github_repository.partition("/")
    pull = PullRef(INSTALLATION["id"], runner.github_repository_id, owner, name, number)
    by_hand = runner.github_event_name == "workflow_dispatch"
    return ReviewJob(pull, "rerun" if by_hand else "catch-up", actor=runner.github_actor)


def _payload(path: Path) -> Mapping[str, object]:
    try:
        with path.open("rb") as file:
            payload = json.loads(file.read(MAX_EVENT_BYTES))
    except OSError as error:
        raise UsageError(f"the event file cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError):
        raise UsageError("the event file is not JSON") from None
    if not isinstance(payload, Mapping):
        raise UsageError("the event file is not a JSON object")
    return payload
