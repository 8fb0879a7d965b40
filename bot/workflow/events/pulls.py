"""What happens to a pull request: it is opened, pushed to, taken back, closed."""

from bot.values.ask import Ask, Cancel, Reason, ReviewAsk, Trigger
from bot.workflow.events.shapes import NotForUs, Ours, Payload, PullEvent, with_form


def on_start(trigger: Trigger, payload: Payload, _: Ours) -> Ask:
    """A pull request that can be reviewed now; whether a draft is reviewed is for the policy to say."""
    event = with_form(PullEvent, payload)
    if event.state != "open":
        raise NotForUs("the pull request is closed")
    pull = event.pull(event.number)
    return ReviewAsk(pull, trigger, actor=event.sender, head=event.head, stranger=event.is_stranger)


def on_push(payload: Payload, ours: Ours) -> Ask:
    """The head moved."""
    before, after = payload.get("before"), payload.get("after")
    if before is not None and before == after:
        raise NotForUs("the head did not move")
    return on_start("push", payload, ours)


def on_edit(payload: Payload, ours: Ours) -> Ask:
    """Another title is nothing to us; another base branch makes another diff."""
    if with_form(PullEvent, payload).base_before is None:
        raise NotForUs("title and text may change: the code did not")
    return on_start("push", payload, ours)


def on_end(reason: Reason, payload: Payload, _: Ours) -> Ask:
    """Merged, given up, or taken back as a draft."""
    event = with_form(PullEvent, payload)
    return Cancel(event.pull(event.number), reason, actor=event.sender, stranger=event.is_stranger)
