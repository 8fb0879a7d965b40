"""Approve a pull request, or take the approval back, once its review was posted."""

from bot.features.approval.settings import ApprovalSettings
from bot.levels import Severity
from bot.render import load
from bot.stored import markers
from bot.values import Review
from bot.workflow.posted_hooks import PostedHooks
from bot.workflow.publish.existing import marker_of
from bot.workflow.reviewer import ReviewRun

APPROVAL = "approval"  # the kind of our marker


class ApprovalOfReview(PostedHooks):
    """Approves one head at a time. An approval that a person has dismissed is not given again for that head."""

    refused = "approval_refused"

    async def on_posted(self, review: Review, run: ReviewRun) -> None:
        """Compare our approvals with what the review came to."""
        bar, host, words = run.settings.of(ApprovalSettings).approve, run.host, load()
        ours = [each for each in await host.comments("whole") if marker_of(each).kind == APPROVAL]
        here = [each for each in ours if marker_of(each).facts.get("head") == review.pull.head]
        is_deserved = bar is not None and is_approved(review, bar) and not run.state.stranger
        for each in ours:
            if each.state == "APPROVED" and not (is_deserved and each in here):
                dismiss = host.rest.pulls.async_dismiss_review
                why = words.say("approval_withdrawn")
                await host.client.json(dismiss(*host.at, each.id, message=why, event="DISMISS"))
        if bar is None or not is_deserved or here or (await host.facts()).head_sha != review.pull.head:
            return
        text = words.say("approval_given", severity=words.say(bar))
        facts = {"head": review.pull.head, **markers.of_scope(host.bot_identity.scope)}
        await host.review(review.pull.head, f"{markers.make(APPROVAL, **facts)}\n{text}", (), "APPROVE")


def is_approved(review: Review, bar: Severity) -> bool:
    """Return whether a model has read the whole change, nothing reaches the threshold, and no check fails or is in doubt."""
    is_whole = review.coverage.by_model and review.coverage.complete and not review.cut.partial and not review.cut.fault
    is_sure = not (review.shortfalls or review.settings.doubts or review.failing)
    return is_whole and is_sure and not review.reaching(bar)


APPROVAL_OF_REVIEW = ApprovalOfReview()
