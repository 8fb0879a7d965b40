"""What a person presses on our check run, and what a merge queue waits for."""

import re

from bot.values.ask import Ask, ChecksEnded, MergeGroup, ReviewAsk
from bot.workflow.events.shapes import (
    CheckPayload,
    CheckRunEvent,
    CheckSuiteEvent,
    DeliveryPayload,
    MergeGroupEvent,
    NotForUs,
    Ours,
    Payload,
    with_form,
)

BUTTONS = {"again": False, "full": True}  # identifiers of the check run's buttons, and whether everything is read again
# Of a suite.
ENDINGS = frozenset({"success", "failure", "timed_out", "startup_failure", "cancelled"})
_QUEUED = re.compile(r"/pr-([1-9][0-9]{0,17})-[0-9a-f]+$")  # how the queue names its branches
_NUMBER = re.compile(r"[1-9][0-9]{0,17}")


def run_again(payload: Payload, ours: Ours) -> Ask:
    """`Re-run` on the check run."""
    event = with_form(CheckRunEvent, payload)
    return _again(event, event.check_run, ours, full=False)


def button(payload: Payload, ours: Ours) -> Ask:
    """One of the check run's own buttons."""
    event = with_form(CheckRunEvent, payload)
    name = event.requested_action.identifier if event.requested_action else ""
    if name not in BUTTONS:
        raise NotForUs("the check run has no such button")
    return _again(event, event.check_run, ours, full=BUTTONS[name])


def suite_again(payload: Payload, ours: Ours) -> Ask:
    """`Re-run all checks`."""
    event = with_form(CheckSuiteEvent, payload)
    return _again(event, event.check_suite, ours, full=False)


def suite_ended(payload: Payload, ours: Ours) -> Ask:
    """All checks of another App on a commit have ended: one delivery for each workflow, however many jobs it has."""
    event = with_form(CheckSuiteEvent, payload)
    suite, where = event.check_suite, event.repository
    if suite.app is not None and str(suite.app.id) == ours.app_id:
        raise NotForUs("it is our own check")
    if suite.conclusion not in ENDINGS:
        raise NotForUs("no check of it has passed or failed")
    is_failure = suite.conclusion != "success"
    return ChecksEnded(event.installation.id, where.id, where.owner.login, where.name, suite.head_sha, is_failure)


def on_queue(payload: Payload, _: Ours) -> Ask:
    """A merge queue asks: its changes were reviewed as pull requests, so the answer needs no review."""
    event = with_form(MergeGroupEvent, payload)
    where, group = event.repository, event.merge_group
    match = _QUEUED.search(group.head_ref)
    number = int(match[1]) if match else 0
    return MergeGroup(
        event.installation.id, where.id, where.owner.login, where.name, group.head_sha, number, group.base_sha or ""
    )


def _again(event: DeliveryPayload, check: CheckPayload, ours: Ours, *, full: bool) -> Ask:
    if check.app is None or str(check.app.id) != ours.app_id:
        raise NotForUs("it is another App's check")
    number = _pull_of(check, event.repository.id)
    if number is None:
        raise NotForUs("the check names no pull request: re-run the check run itself, or comment `/deeprepo review`")
    return ReviewAsk(event.pull(number), "rerun", full, event.sender.login, head=check.head_sha)


def _pull_of(check: CheckPayload, repository: int) -> int | None:
    """The number that we wrote into our check run, for GitHub names no pull request of a fork; else the first that it names."""
    if check.external_id and _NUMBER.fullmatch(check.external_id):
        return int(check.external_id)
    return next((pull.number for pull in check.pull_requests if pull.base.repo.id == repository), None)
