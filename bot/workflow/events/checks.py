"""What a person presses on our check run, and what a merge queue waits for."""

import re

from bot.values.ask import Ask, ChecksEnded, MergeGroup, ReviewAsk
from bot.workflow.events.shapes import CheckEvent, MergeGroupEvent, NotForUs, Ours, Payload, with_form

BUTTONS = {"again": False, "full": True}  # identifiers of the check run's buttons, and whether everything is read again
# Of a suite.
ENDINGS = frozenset({"success", "failure", "timed_out", "startup_failure", "cancelled"})
_QUEUED = re.compile(r"/pr-([1-9][0-9]{0,17})-[0-9a-f]+$")  # how the queue names its branches
_NUMBER = re.compile(r"[1-9][0-9]{0,17}")


def run_again(payload: Payload, ours: Ours) -> Ask:
    """`Re-run` on the check run, or `Re-run all checks`."""
    return _again(with_form(CheckEvent, payload), ours, full=False)


def button(payload: Payload, ours: Ours) -> Ask:
    """One of the check run's own buttons."""
    event = with_form(CheckEvent, payload)
    if event.button not in BUTTONS:
        raise NotForUs("the check run has no such button")
    return _again(event, ours, full=BUTTONS[event.button])


def suite_ended(payload: Payload, ours: Ours) -> Ask:
    """All checks of another App on a commit have ended: one delivery for each workflow, however many jobs it has."""
    event = with_form(CheckEvent, payload)
    if str(event.app) == ours.app_id:
        raise NotForUs("it is our own check")
    if event.conclusion not in ENDINGS:
        raise NotForUs("no check of it has passed or failed")
    is_failure = event.conclusion != "success"
    return ChecksEnded(event.installation, event.repository, event.owner, event.name, event.head, is_failure)


def on_queue(payload: Payload, _: Ours) -> Ask:
    """A merge queue asks: its changes were reviewed as pull requests, so the answer needs no review."""
    event = with_form(MergeGroupEvent, payload)
    match = _QUEUED.search(event.head_ref)
    number = int(match[1]) if match else 0
    return MergeGroup(
        event.installation, event.repository, event.owner, event.name, event.head, number, event.base or ""
    )


def _again(event: CheckEvent, ours: Ours, *, full: bool) -> Ask:
    if str(event.app) != ours.app_id:
        raise NotForUs("it is another App's check")
    number = _pull_of(event)
    if number is None:
        raise NotForUs("the check names no pull request: re-run the check run itself, or comment `/deeprepo review`")
    return ReviewAsk(event.pull(number), "rerun", full, event.sender, head=event.head)


def _pull_of(event: CheckEvent) -> int | None:
    """The number that we wrote into our check run, for GitHub names no pull request of a fork; else the first that it names."""
    if event.external_id and _NUMBER.fullmatch(event.external_id):
        return int(event.external_id)
    return next((pull.number for pull in event.pulls if pull.repository == event.repository), None)
