"""Publish a review on its pull request, so that every comment is posted exactly once.

Each comment carries a marker with the run that wrote it. Before a comment is written, its marker is searched
for, so a run that is repeated after a crash continues where it stopped.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, cast

from bot.errors import HostLocked, HostRefused, SupersededError
from bot.github import Host
from bot.outputs.posts import RULE, Comments, Post
from bot.render import load
from bot.stored import markers
from bot.stored.markers import Mark
from bot.values import PlacedFinding, PostedComment, Review
from bot.workflow.publish import change_requests, checks
from bot.workflow.publish.change_requests import ChangeRequest
from bot.workflow.publish.checks import HeadStatus
from bot.workflow.publish.publication import (
    FINDING,
    REVIEW,
    Publication,
    PublishResult,
    commented_findings,
    marker_of,
    posted_findings,
    same,
    summaries,
)
from bot.workflow.publish.tidy import ThreadCloser, tidy

__all__ = ["PublishResult", "is_always_current", "publish", "renew"]


async def publish(
    host: Host,
    review: Review,
    comments: Callable[[Review], Comments],
    run: str,
    still_current: Callable[[], Awaitable[bool]],
    facts: Mapping[str, str] = MappingProxyType({}),
) -> PublishResult:
    """Publish a review: comments on lines first, then the summary, then clean up after earlier reviews.

    `comments` is called again if GitHub refuses a comment on lines, a request for changes or resolving a
    thread, so that the summary reports it. `facts` go into the summary's marker. Raises SupersededError if
    the pull request, head or base is no longer what was reviewed, and subclasses of HostError.
    """
    publication = Publication(host, review, run, load(), still_current)
    await publication.check()
    request = await change_requests.read(publication)
    comments_posted, refusals = await post(publication, comments, request)

    async def put_summary(notes: tuple[str, ...]) -> PostedComment:
        if not notes:
            return await publication.put_summary(comments_posted.summary, facts)
        told_review = replace(move_to_summary(review, refusals), notes=(*review.notes, *notes))
        return await publication.put_summary((await asyncio.to_thread(comments, told_review)).summary, facts)

    refused_notes = _refusal_notes(publication, refusals)
    # A person can change a general refusal, but not a line that takes no comment.
    general = () if all(map(_is_about_place, refusals.values())) else refused_notes
    unheard = (*general, *await change_requests.update(publication, request))
    stands = await put_summary(unheard)
    closer = ThreadCloser(host)
    notes = (
        *refused_notes,
        *(note for note in unheard if note not in general),
        *await tidy(publication, closer),
    )
    if closer.is_refused:
        stands = await put_summary((*unheard, publication.words.say("threads_open")))
    posted_count = sum(posted.findings for posted in comments_posted.posts)
    return PublishResult(posted_count, len(review.reported) - posted_count, stands.url, notes)


async def is_always_current() -> bool:
    """Return that the review is still wanted. Nothing replaces the review of a workflow's step."""
    return True


async def renew(host: Host, run: str, review: Review, comments: Comments, page: str, status: HeadStatus) -> None:
    """Update what this run posted. `status` is the head's conclusion now.

    Nothing is posted on lines: a finding that is back is listed in the summary. Repeating the call changes
    nothing. Raises GitHub's refusal for the check run. A refusal for the summary is ignored, because the next
    review writes its own summary.
    """
    summary: PostedComment | None = None
    with suppress(HostRefused):
        summary = next(
            (each for each in await summaries(host) if marker_of(each).facts.get("head") == review.pull.head), None
        )
    posted_count = sum(posted.findings for posted in comments.posts)
    link = summary.url if summary is not None else ""
    outcome = PublishResult(posted_count, len(review.reported) - posted_count, link)
    await checks.renew(host, run, review, outcome, status, page)
    if summary is not None:
        with suppress(SupersededError, HostRefused):
            await _renew_page(host, summary, review, comments)


async def _renew_page(host: Host, summary: PostedComment, review: Review, comments: Comments) -> None:
    marker = marker_of(summary)
    if marker.is_newer:
        return
    publication = Publication(host, review, marker.facts.get("run", ""), load(), is_always_current)
    await publication.check()
    text = f"{markers.make(marker.kind, **marker.facts)}\n{comments.summary.partition(chr(10))[2]}"
    closer = ThreadCloser(host)
    await tidy(publication, closer)
    if closer.is_refused:
        text = f"{text}\n> {publication.words.say('threads_open')}\n"
    if not same(summary.body, text):
        await host.edit_comment(summary.id, text)
    with suppress(HostRefused):  # the next review tries again and reports the reason
        await change_requests.update(publication, await change_requests.read(publication))


if TYPE_CHECKING:
    from githubkit_schemas.latest import types

    Comment = types.ReposOwnerRepoPullsPullNumberCommentsPostBodyType
    Row = types.ReposOwnerRepoPullsPullNumberReviewsPostBodyPropCommentsItemsType

UNPROCESSABLE = 422

# The location fields of a comment, as GitHub's errors name them.
PLACE = frozenset({"path", "line", "side", "start_line", "start_side", "position", "diff_hunk", "subject_type"})


async def post(
    publication: Publication, comments: Callable[[Review], Comments], request: ChangeRequest
) -> tuple[Comments, Mapping[Mark, HostRefused]]:
    """Post every finding that has a line in the diff. Return the comments and the refusals."""
    refusals: dict[Mark, HostRefused] = {}
    while True:
        review = move_to_summary(publication.review, refusals) if refusals else publication.review
        comments_now = await asyncio.to_thread(comments, review)  # can wait for a process
        posted = commented_findings(await posted_findings(publication.host), publication.run)
        bad = await _put(
            publication, [rest for draft in comments_now.posts if (rest := _rest(draft, posted)) is not None], request
        )
        if not bad:
            return comments_now, refusals
        refusals |= bad  # other findings take their places in the quota in the next iteration


def keys(draft: Post) -> list[Mark]:
    """Return the findings that a comment is about, starting with the finding on its lines."""
    return [_key(body) for body in (draft.body, *(also.body for also in draft.more))]


def _key(body: str) -> Mark:
    return next(iter(markers.read(body).findings), ("", ""))


def _rest(draft: Post, posted: Collection[Mark]) -> Post | None:
    """Return the comment without the findings that are already posted; None if all of them are."""
    more = tuple(also for also in draft.more if _key(also.body) not in posted)
    if _key(draft.body) not in posted:
        return replace(draft, more=more)
    if not more:
        return None
    first, *others = more
    return replace(draft, body=first.body, line=first.line, start_line=None, more=tuple(others))


def _is_about_place(refusal: HostRefused) -> bool:
    """Return whether GitHub refuses a comment because of its location. Other comments may be accepted."""
    return any(field.rpartition(".")[2] in PLACE for field in refusal.fields)


def _refusal_notes(publication: Publication, refusals: Mapping[Mark, HostRefused]) -> tuple[str, ...]:
    """Return a sentence per reason for refused comments. A reason unrelated to location names our account."""
    reasons = Counter(
        refusal.reason if _is_about_place(refusal) else f"{refusal.reason} to `{publication.host.bot_identity.login}`"
        for refusal in refusals.values()
    )
    return tuple(publication.words.say("comments_refused", count, why=why) for why, count in reasons.items())


def move_to_summary(review: Review, refused_keys: Collection[Mark]) -> Review:
    """Return the review with these findings listed in the summary instead of on the diff."""

    def place_outside(finding: PlacedFinding) -> PlacedFinding:
        is_refused = finding.finding.identity in {name for name, _ in refused_keys}
        return replace(finding, place="outside", spot=None) if is_refused else finding

    return replace(review, findings=tuple(place_outside(finding) for finding in review.findings))


async def _put(publication: Publication, left: Sequence[Post], request: ChangeRequest) -> dict[Mark, HostRefused]:
    """Post these comments and return the refused ones. A refusal unrelated to location applies to all."""
    lines = [draft for draft in left if draft.subject == "line"]
    alone = [draft for draft in left if draft.subject == "file"]
    if lines and await _together(publication, lines, request) is not None:
        alone = [*lines, *alone]
    refusals, refusal = dict[Mark, HostRefused](), None
    for draft in alone:
        if refusal is None or _is_about_place(refusal):
            refusal = await _single(publication, draft)
        if refusal is not None:
            refusals |= dict.fromkeys(keys(draft), refusal)
    return refusals


async def _together(publication: Publication, lines: Sequence[Post], request: ChangeRequest) -> HostRefused | None:
    """Post one review with all comments; GitHub accepts all or none. Request changes if GitHub allows it."""
    first = "-".join(part or "" for part in keys(lines[0])[0])
    request_body, body = (
        publication.make(REVIEW, change_requests.review_text(publication, draft, len(lines)), first=first)
        for draft in (request, None)
    )
    rows = [_row(publication, line) for line in lines]

    async def find() -> PostedComment | None:
        return next(
            (
                comment
                for comment in await publication.host.comments("whole")
                if publication.is_mine(comment, REVIEW, first=first)
            ),
            None,
        )

    async def write() -> PostedComment:
        if request.made_by_this:
            # The retry as a plain comment shows whether a location or the request was refused.
            with suppress(HostRefused):
                return await publication.host.review(publication.head, request_body, rows, change_requests.REQUEST)
        return await publication.host.review(publication.head, body, rows)

    return await _try(publication, find, write)


async def _single(publication: Publication, draft: Post) -> HostRefused | None:
    async def find() -> PostedComment | None:
        mine = (
            comment for comment in await publication.host.comments("review") if publication.is_mine(comment, FINDING)
        )
        return next((each for each in mine if _key(each.body) == _key(draft.body)), None)

    async def write() -> PostedComment:
        row = {**_row(publication, draft), "commit_id": publication.head, "subject_type": draft.subject}
        return await publication.host.line_comment(cast("Comment", row))

    return await _try(publication, find, write)


async def _try(
    publication: Publication,
    find: Callable[[], Awaitable[PostedComment | None]],
    write: Callable[[], Awaitable[PostedComment]],
) -> HostRefused | None:
    """Return GitHub's refusal of a comment, else None. Raises SupersededError if the head has moved."""
    try:
        await publication.put(find, write)
    except HostRefused as refusal:
        if refusal.status != UNPROCESSABLE or isinstance(refusal, HostLocked):
            raise
        await publication.check()
        return refusal
    return None


def _row(publication: Publication, draft: Post) -> "Row":
    """Return the comment as GitHub expects it. One marker names all of its findings."""
    text = RULE.join([draft.body, *(also.body.partition("\n")[2] for also in draft.more)])
    row: Row = {"path": draft.path, "body": publication.sign(text, **markers.of_findings(*keys(draft)))}
    if draft.line and draft.side:
        row |= {"line": draft.line, "side": draft.side}
        if draft.start_line and draft.start_line < draft.line:
            row |= {"start_line": draft.start_line, "start_side": draft.side}
    return row
