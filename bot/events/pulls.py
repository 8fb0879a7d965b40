"""What happens to a pull request: it is opened, pushed to, taken back, closed."""

from collections.abc import Mapping

from bot.events.shapes import Ours, PullEvent, shaped
from bot.values.ask import Ask, Cancel, NothingAsked, ReviewAsk, Trigger

Payload = Mapping[str, object]


def opened(payload: Payload, _: Ours) -> Ask | NothingAsked:
    """A new pull request; whether a draft is reviewed is for the policy to say."""
    return _review(payload, "opened")


def reopened(payload: Payload, _: Ours) -> Ask | NothingAsked:
    """A closed one is open again."""
    return _review(payload, "reopened")


def ready(payload: Payload, _: Ours) -> Ask | NothingAsked:
    """A draft no longer."""
    return _review(payload, "ready")


def pushed(payload: Payload, _: Ours) -> Ask | NothingAsked:
    """The head moved."""
    before, after = payload.get("before"), payload.get("after")
    if before is not None and before == after:
        return NothingAsked("the head did not move")
    return _review(payload, "push")


def edited(payload: Payload, _: Ours) -> Ask | NothingAsked:
    """Another title is nothing to us; another base branch makes another diff."""
    event = shaped(PullEvent, payload)
    if isinstance(event, PullEvent) and event.changes.base is None:
        return NothingAsked("title and text may change: the code did not")
    return event if isinstance(event, NothingAsked) else _review(payload, "push")


def drafted(payload: Payload, _: Ours) -> Ask | NothingAsked:
    """Its author takes it back to work on it."""
    event = shaped(PullEvent, payload)
    return event if isinstance(event, NothingAsked) else Cancel(event.pull(event.pull_request.number), "draft")


def closed(payload: Payload, _: Ours) -> Ask | NothingAsked:
    """Merged or given up."""
    event = shaped(PullEvent, payload)
    return event if isinstance(event, NothingAsked) else Cancel(event.pull(event.pull_request.number), "closed")


def _review(payload: Payload, trigger: Trigger) -> Ask | NothingAsked:
    event = shaped(PullEvent, payload)
    if isinstance(event, NothingAsked):
        return event
    pull = event.pull_request
    if pull.state != "open":
        return NothingAsked("the pull request is closed")
    return ReviewAsk(event.pull(pull.number), trigger, actor=event.sender.login, head=pull.head.sha)
