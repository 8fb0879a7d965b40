"""The comments on lines and files: one review where GitHub takes it, one by one where not; in the summary what it refuses even then."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from bot.errors import HostRefused
from bot.outputs import marker
from bot.outputs.posts import RULE, Comments, Post
from bot.publish import requests
from bot.publish.existing import FINDING, REVIEW, look, unsaid
from bot.publish.job import Publication
from bot.publish.requests import ChangeRequest
from bot.values import PlacedFinding, PostedComment, Review

if TYPE_CHECKING:
    from githubkit_schemas.latest import types

    Comment = types.ReposOwnerRepoPullsPullNumberCommentsPostBodyType
    Row = types.ReposOwnerRepoPullsPullNumberReviewsPostBodyPropCommentsItemsType

UNPROCESSABLE = 422

Key = tuple[str, str]  # fingerprint and line: the same words may stand in a file twice


async def post(
    job: Publication, comments: Callable[[Review], Comments], request: ChangeRequest
) -> tuple[Comments, frozenset[Key]]:
    """Say every finding that has a place on the diff. What comes back says where each is in the end, and which were refused."""
    refused_keys: frozenset[Key] = frozenset()
    while True:
        review = tell_in_summary(job.review, refused_keys) if refused_keys else job.review
        comments_now = await asyncio.to_thread(comments, review)  # it may wait for a process
        left = unsaid(await look(job.host), [each for one in comments_now.posts for each in keys(one)], job.run)
        bad = await _put(job, [rest for one in comments_now.posts if (rest := _rest(one, left)) is not None], request)
        if not bad:
            return comments_now, refused_keys
        refused_keys |= bad  # their places in the quota go to others, which are posted in the next turn


def keys(one: Post) -> list[Key]:
    """Which findings a comment is about; the first is the one on whose lines it stands."""
    return [_key(one.body, one.line or 0), *(_key(also.body, also.line) for also in one.more)]


def _key(body: str, line: int) -> Key:
    return (marker.read(body) or {}).get("fingerprint", ""), str(line)


def _rest(one: Post, left: Collection[Key]) -> Post | None:
    """The comment without the findings that have one already; None if all of them have."""
    more = tuple(also for also in one.more if _key(also.body, also.line) in left)
    if keys(one)[0] in left:
        return replace(one, more=more)
    if not more:
        return None
    first, *others = more
    return replace(one, body=first.body, line=first.line, start_line=None, start_side=None, more=tuple(others))


def tell_in_summary(review: Review, refused_keys: frozenset[Key]) -> Review:
    """The review with these findings told in the summary instead of on the diff."""

    def place_outside(one: PlacedFinding) -> PlacedFinding:
        is_refused = (one.finding.identity, str(one.spot.end if one.spot else 0)) in refused_keys
        return replace(one, place="outside", spot=None) if is_refused else one

    return replace(review, findings=tuple(place_outside(one) for one in review.findings))


async def _put(job: Publication, left: Sequence[Post], request: ChangeRequest) -> frozenset[Key]:
    """Post these; the keys of those that GitHub does not take."""
    lines = [one for one in left if one.subject == "line"]
    alone = [one for one in left if one.subject == "file"]
    if lines and not await _together(job, lines, request):
        alone = [*lines, *alone]
    return frozenset([each for one in alone if not await _single(job, one) for each in keys(one)])


async def _together(job: Publication, lines: Sequence[Post], request: ChangeRequest) -> bool:
    """One review with all of them: all are taken, or none. It requests changes if GitHub lets it."""
    first = "-".join(keys(lines[0])[0])
    request_body, body = (
        job.make(REVIEW, requests.review_text(job, one, len(lines)), first=first) for one in (request, None)
    )
    rows = [_row(job, one) for one in lines]

    async def find() -> PostedComment | None:
        return next((one for one in await job.host.comments("whole") if job.is_mine(one, REVIEW, first=first)), None)

    async def write() -> PostedComment:
        if request.made_by_this:
            with suppress(HostRefused):  # for a bad place, or for the request: as a comment it shows which
                return await job.host.review(job.head, request_body, rows, requests.REQUEST)
        return await job.host.review(job.head, body, rows)

    return await _try(job, find, write)


async def _single(job: Publication, one: Post) -> bool:
    """One comment by itself."""
    fingerprint, at = keys(one)[0]

    async def find() -> PostedComment | None:
        comments = await job.host.comments("review")
        return next((p for p in comments if job.is_mine(p, FINDING, fingerprint=fingerprint, at=at)), None)

    async def write() -> PostedComment:
        row = {**_row(job, one), "commit_id": job.head, "subject_type": one.subject}
        return await job.host.line_comment(cast("Comment", row))

    return await _try(job, find, write)


async def _try(
    job: Publication, find: Callable[[], Awaitable[PostedComment | None]], write: Callable[[], Awaitable[PostedComment]]
) -> bool:
    """Whether GitHub took it. A refusal because the head has moved raises SupersededError."""
    try:
        await job.put(find, write)
    except HostRefused as refusal:
        if refusal.status != UNPROCESSABLE:
            raise
        await job.check()
        return False
    return True


def _row(job: Publication, one: Post) -> "Row":
    """The comment as it is sent: one marker names all of its findings."""
    (_, at), *others = keys(one)
    also = {"also": " ".join("@".join(each) for each in others)} if others else {}
    text = RULE.join([one.body, *(also.body.partition("\n")[2] for also in one.more)])
    row: Row = {"path": one.path, "body": job.sign(text, at=at, **also)}
    if one.line and one.side:
        row |= {"line": one.line, "side": one.side}
        if one.start_line and one.start_line < one.line:
            row |= {"start_line": one.start_line, "start_side": one.side}
    return row
