"""What a workflow was started by -> the review that it asks for, or why it asks for none. Pure but for the event's file."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from bot.config import Step
from bot.errors import UsageError
from bot.values import Cancel, CommandAsk, IgnoredDelivery, MergeGroup, PullRef, RemarkAsk, Retitled, ReviewAsk
from bot.workflow import events
from bot.workflow.commands import REVIEWS
from bot.workflow.events import OwnAccount

WORKFLOW = "github-actions[bot]"  # who writes with a workflow's own token
# The job of such an event stands among the pull request's checks.
ON_PULL = frozenset({"pull_request", "pull_request_target"})
# Events that name their pull request, and their actor, who may be anybody. For these the input `pull-request` is not
# listened to: it would turn a stranger's comment into a request without a name.
OWN_EVENTS = ON_PULL | {"issue_comment", "pull_request_review_comment", "pull_request_review", "merge_group"}
PULL_ENDS = {"closed": "the pull request is closed", "draft": "it is now a draft"}
RENAMED = "only the title or text changed"
QUEUED = "a pull request in a merge queue was reviewed before it entered the queue"
INSTALLATION = {"id": 1}  # which a workflow's events lack, and which nobody looks at here
MAX_EVENT_BYTES = 25 << 20  # bytes of an event


@dataclass(frozen=True, slots=True)
class Repeat:
    """An event that asks for no review, although its job is a check of the pull request.

    The job repeats the result for the head.
    """

    ask: ReviewAsk
    reason: str
    title_before: str | None = None  # set if a new title may change whether the settings skip the pull request

    @property
    def pull(self) -> PullRef:
        """The pull request whose check it is."""
        return self.ask.pull


def read(step: Step) -> ReviewAsk | CommandAsk | RemarkAsk | Repeat | IgnoredDelivery:
    """Return the review that is asked for, the conclusion to repeat, or the remark that may be answered. Raises UsageError where the event's file cannot be read, or names no pull request."""
    name, again = step.runner.github_event_name, step.runner.github_run_attempt != "1"
    request = _own(name, _payload(step.runner.github_event_path)) if name in OWN_EVENTS else _from_inputs(step)
    if isinstance(request, Repeat) and again:
        request = request.ask
    if not isinstance(request, ReviewAsk):
        return request
    if again and request.comment is None:  # "Re-run jobs" is pressed by a person who wants it now
        request = replace(request, trigger="rerun")
    return replace(request, full=request.full or step.inputs.full)


def _own(name: str, payload: Mapping[str, object]) -> ReviewAsk | CommandAsk | RemarkAsk | Repeat | IgnoredDelivery:
    """Return the event's request. An unknown action was chosen by the author of the workflow."""
    kind = "pull_request" if name in ON_PULL else name
    delivery = {**payload, "installation": INSTALLATION}
    is_chosen = kind == "pull_request" and str(payload.get("action")) not in events.ACTIONS[kind]
    request = events.read(kind, {**delivery, "action": "opened"} if is_chosen else delivery, OwnAccount("0", WORKFLOW))
    match request:
        case ReviewAsk():
            return replace(request, trigger="catch-up") if is_chosen else request
        case CommandAsk():
            return _command(request)
        case Retitled(before=before):
            return Repeat(request.review, RENAMED, before)
        case Cancel(reason=reason) | IgnoredDelivery(reason=reason) if kind == "pull_request":
            return _repeat(delivery, PULL_ENDS.get(reason, reason))
        case RemarkAsk() | IgnoredDelivery():
            return request
        case other:
            return IgnoredDelivery(QUEUED if isinstance(other, MergeGroup) else "this event starts no review")


def _command(ask: CommandAsk) -> ReviewAsk | CommandAsk:
    """Return the review that a comment's commands ask for, or the commands if there are others."""
    known = [each.word for each in ask.each if each.word in REVIEWS]
    return asked_review(ask) if len(known) == len(ask.each) else ask


def asked_review(ask: CommandAsk) -> ReviewAsk:
    """Return the first review that a comment's commands ask for."""
    word = next(each.word for each in ask.each if each.word in REVIEWS)
    return ReviewAsk(ask.pull, "command", REVIEWS[word], ask.actor, ask.comment)


def _repeat(delivery: Mapping[str, object], reason: str) -> Repeat | IgnoredDelivery:
    """Return a repeat of the last result for a pull request that may be closed.

    Another pull request may have the same head, and this job's check is on that commit.
    """
    match events.read("pull_request", {**delivery, "action": "closed"}, OwnAccount("0", WORKFLOW)):
        case Cancel(pull=pull, actor=actor):
            return Repeat(ReviewAsk(pull, "catch-up", actor=actor), reason)
        case _:
            return IgnoredDelivery(reason)


def _from_inputs(step: Step) -> ReviewAsk | IgnoredDelivery:
    """The pull request that the workflow names."""
    runner, number = step.runner, step.inputs.pull_request
    if number is None:
        raise UsageError(f"the event {runner.github_event_name} has no pull request. Set the input `pull-request`")
    owner, _, name = runner.github_repository.partition("/")
    pull = PullRef(INSTALLATION["id"], runner.github_repository_id, owner, name, number)
    by_hand = runner.github_event_name == "workflow_dispatch"
    return ReviewAsk(pull, "rerun" if by_hand else "catch-up", actor=runner.github_actor)


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
