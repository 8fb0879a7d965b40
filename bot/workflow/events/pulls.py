"""What happens to a pull request: it is opened, pushed to, taken back, closed."""

from bot.values.ask import Ask, Cancel, Reason, ReviewAsk, Trigger
from bot.workflow.events.shapes import NotForUs, Ours, Payload, PullEvent, with_form


def on_start(trigger: Trigger, payload: Payload, _: Ours) -> Ask:
    """A pull request that can be reviewed now; whether a draft is reviewed is for the policy to say."""
    event = with_form(PullEvent, payload)
    pull = event.pull_request
    if pull.state != "open":
        raise NotForUs("the pull request is closed")
    stranger = pull.stranger(event.repository.id)
    return ReviewAsk(event.pull(pull.number), trigger, actor=event.sender.login, head=pull.head.sha, stranger=stranger)


def on_push(payload: Payload, ours: Ours) -> Ask:
    """The head moved."""
    before, after = payload.get("before"), payload.get("after")
    if before is not None and before == after:
        raise NotForUs("the head did not move")
    return on_start("push", payload, ours)


def on_edit(payload: Payload, ours: Ours) -> Ask:
    """Another title is nothing to us; another base branch makes another diff."""
    if with_form(PullEvent, payload).changes.base is None:
        raise NotForUs("title and text may change: the code did not")
    return on_start("push", payload, ours)


def on_end(reason: Reason, payload: Payload, _: Ours) -> Ask:
    """Merged, given up, or taken back as a draft."""
    event = with_form(PullEvent, payload)
    pull = event.pull_request
    stranger = pull.stranger(event.repository.id)
    return Cancel(event.pull(pull.number), reason, actor=event.sender.login, stranger=stranger)
