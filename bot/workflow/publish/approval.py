"""Approve a pull request, or withdraw the approval, after its review has been posted."""

from bot import verdict
from bot.config import Config
from bot.github import Host
from bot.render import load
from bot.stored import markers
from bot.values import Review
from bot.workflow.publish.publication import marker_of
from bot.workflow.pull_state import PullState

APPROVAL = "approval"  # the kind of the marker in our approvals


async def update(review: Review, host: Host, settings: Config, state: PullState) -> None:
    """Withdraw approvals that no longer apply, and approve the head if the review allows it.

    If a person dismisses an approval, that head is not approved again. May be repeated after a crash. Raises
    HostError's kinds.
    """
    threshold, words = settings.approve, load()
    ours = [each for each in await host.comments("whole") if marker_of(each).kind == APPROVAL]
    here = [each for each in ours if marker_of(each).facts.get("head") == review.pull.head]
    may_approve = verdict.of(review).row.approves and not state.stranger
    for each in ours:
        if each.state == "APPROVED" and not (may_approve and each in here):
            dismiss = host.rest.pulls.async_dismiss_review
            why = words.say("approval_withdrawn")
            await host.client.json(dismiss(*host.at, each.id, message=why, event="DISMISS"))
    if threshold is None or not may_approve or here or (await host.facts()).head_sha != review.pull.head:
        return
    text = words.say("approval_given", severity=words.say(threshold))
    facts = {"head": review.pull.head, **markers.of_scope(host.bot_identity.scope)}
    await host.review(review.pull.head, f"{markers.make(APPROVAL, **facts)}\n{text}", (), "APPROVE")
