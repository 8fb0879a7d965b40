"""Request changes while a finding reaches the owner's threshold, and dismiss the request afterwards.

Nothing is ever approved. A request that a person dismissed is made again only for a new finding; one that we
dismissed is made again whenever there is a reason.
"""

from dataclasses import dataclass
from typing import Literal

from bot import verdict
from bot.errors import HostRefused
from bot.render import Safe, comment
from bot.stored import markers
from bot.values import Finding, PostedComment
from bot.workflow.publish.publication import REVIEW, Publication, marker_of

STANDS, DISMISSED = "CHANGES_REQUESTED", "DISMISSED"
WITHDRAWN = "withdrawn"  # marker fact of a request that we dismissed
REQUEST: Literal["REQUEST_CHANGES"] = "REQUEST_CHANGES"
INCOMPLETE = "The request for changes remains, because this review is incomplete and cannot confirm the fixes."
NOT_DISMISSED = "The request for changes could not be dismissed ({why}): someone with write permission can dismiss it."


@dataclass(frozen=True, slots=True)
class ChangeRequest:
    """Whether changes are requested now, and whether this review has to request them."""

    blocking: tuple[Finding, ...]  # open findings that reach the threshold
    requests: tuple[PostedComment, ...]  # our blocking reviews
    made_by_this: bool  # whether this review makes the request


async def read(publication: Publication) -> ChangeRequest:
    """Compare what the review requires with the requests on the pull request."""
    comments = await publication.host.comments("whole")
    own_reviews = [comment for comment in comments if marker_of(comment).kind == REVIEW]
    requests = tuple(review for review in own_reviews if review.state == STANDS)
    blocking = verdict.reaching(publication.review, publication.review.settings.request_changes)
    is_dismissed = any(
        comment.state == DISMISSED and WITHDRAWN not in marker_of(comment).facts for comment in own_reviews
    )
    is_wanted = any(finding.is_new for finding in blocking) if is_dismissed else bool(blocking)
    return ChangeRequest(blocking, requests, is_wanted and not requests)


def review_text(publication: Publication, request: ChangeRequest | None, posts: int) -> str:
    """Write the text of a review with `posts` comments. `request` is the request that it makes."""
    bar, blocks = publication.review.settings.request_changes, bool(request and request.made_by_this)
    bar_name = Safe(publication.words.say(bar)) if bar else ""
    return comment("publish/review.md.j2", publication.words, posts=posts, blocking=blocks, bar=bar_name)


async def update(publication: Publication, request: ChangeRequest) -> tuple[str, ...]:
    """Request changes if no comment has carried the request, or dismiss it.

    Return sentences about refusals.
    """
    if request.made_by_this:
        return await _make(publication, request)
    if request.blocking or not request.requests:
        return ()
    if verdict.of(publication.review).is_partial:
        return (INCOMPLETE,)
    bar, say = publication.review.settings.request_changes, publication.words.say
    why = say("request_withdrawn", severity=say(bar)) if bar else say("withdrawn_off")
    return tuple([each for posted in request.requests for each in await _dismiss(publication, posted, why)])


async def _make(publication: Publication, request: ChangeRequest) -> tuple[str, ...]:
    body = publication.make(REVIEW, review_text(publication, request, 0))

    async def find() -> PostedComment | None:
        return next(iter((await read(publication)).requests), None)

    try:
        await publication.put(find, lambda: publication.host.review(publication.head, body, (), REQUEST))
    except HostRefused as refusal:
        return (publication.words.say("request_refused", why=refusal.reason),)
    return ()


async def _dismiss(publication: Publication, posted: PostedComment, why: str) -> tuple[str, ...]:
    """Dismiss a request. Its text is marked first, because GitHub does not show who dismissed a review."""
    await publication.check()
    try:
        text = posted.body.replace("\r\n", "\n").partition("\n")[2]  # a new marker replaces the first line
        body = publication.make(REVIEW, markers.without(text), **{WITHDRAWN: "1"})
        await publication.host.edit_comment(posted.id, body, "whole")
        dismiss = publication.host.rest.pulls.async_dismiss_review
        await publication.host.client.json(dismiss(*publication.host.at, posted.id, message=why, event="DISMISS"))
    except HostRefused as refusal:
        return (NOT_DISMISSED.format(why=refusal.reason),)
    return ()
