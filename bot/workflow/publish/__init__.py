"""A review put on its pull request: everything once, nothing lost, whatever GitHub or the machine does in between.

Each comment carries our marker with the run that wrote it. Before a write is done its marker is looked for, so the same
run can be gone through again after any crash: it goes on where it was broken off.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, cast

from bot.errors import HostRefused, SupersededError
from bot.github import Host
from bot.outputs.posts import RULE, Comments, Post
from bot.render import load
from bot.stored import markers
from bot.stored.markers import Mark
from bot.values import PlacedFinding, PostedComment, Review
from bot.workflow.publish import change_requests, checks
from bot.workflow.publish.change_requests import ChangeRequest
from bot.workflow.publish.checks import HeadStatus
from bot.workflow.publish.existing import FINDING, REVIEW, marker_of, posted_findings, told
from bot.workflow.publish.publication import Publication, PublishResult, same, summaries
from bot.workflow.publish.tidy import ThreadCloser, tidy

__all__ = ["PublishResult", "publish", "renew"]


async def publish(
    host: Host,
    review: Review,
    comments: Callable[[Review], Comments],
    run: str,
    still_current: Callable[[], Awaitable[bool]],
    facts: Mapping[str, str] = MappingProxyType({}),
) -> PublishResult:
    """Publish a review: its comments on lines first, then the summary, then what earlier rounds left is tidied up.

    `comments` is asked again where GitHub refuses a comment on lines, a request for changes, or to resolve a thread: the summary then reports it.

    `facts`: what else the marker of the summary has to keep. Raises SupersededError where the head, the base or the pull request is no longer what was reviewed, and HostError's kinds.
    """
    publication = Publication(host, review, run, load(), still_current)
    await publication.check()
    request = await change_requests.read(publication)
    comments_posted, refusals = await post(publication, comments, request)

    async def put_summary(notes: tuple[str, ...]) -> PostedComment:
        if not notes:
            return await publication.put_summary(comments_posted.summary, facts)
        told_review = replace(tell_in_summary(review, refusals), notes=(*review.notes, *notes))
        return await publication.put_summary((await asyncio.to_thread(comments, told_review)).summary, facts)

    refused_notes = _refusal_notes(publication, refusals)
    # That a place takes no comment is nobody's concern; what holds for all of them somebody can change.
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


async def _is_wanted() -> bool:
    return True


async def renew(host: Host, run: str, review: Review, comments: Comments, page: str, status: HeadStatus) -> None:
    """Write what has changed since this run made the review. `status`: what its head comes to. Nothing is posted on lines: a finding that is back is listed in the summary.

    Done again, it changes nothing. What GitHub refuses of the check run is raised. Of the page it costs that part: the next review
    makes its own, as it does if the pull request has gone on.
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
    publication = Publication(host, review, marker.facts.get("run", ""), load(), _is_wanted)
    await publication.check()
    text = f"{markers.make(marker.kind, **marker.facts)}\n{comments.summary.partition(chr(10))[2]}"
    closer = ThreadCloser(host)
    await tidy(publication, closer)
    if closer.is_refused:
        text = f"{text}\n> {publication.words.say('threads_open')}\n"
    if not same(summary.body, text):
        await host.edit_comment(summary.id, text)
    with suppress(HostRefused):  # the next review tries again, and reports the reason
        await change_requests.update(publication, await change_requests.read(publication))


if TYPE_CHECKING:
    from githubkit_schemas.latest import types

    Comment = types.ReposOwnerRepoPullsPullNumberCommentsPostBodyType
    Row = types.ReposOwnerRepoPullsPullNumberReviewsPostBodyPropCommentsItemsType

UNPROCESSABLE = 422

# The fields of a comment that say where it stands, as GitHub's errors name them.
PLACE = frozenset({"path", "line", "side", "start_line", "start_side", "position", "diff_hunk", "subject_type"})


async def post(
    publication: Publication, comments: Callable[[Review], Comments], request: ChangeRequest
) -> tuple[Comments, Mapping[Mark, HostRefused]]:
    """Say every finding that has a place on the diff. What comes back says where each is in the end, and which were refused."""
    refusals: dict[Mark, HostRefused] = {}
    while True:
        review = tell_in_summary(publication.review, refusals) if refusals else publication.review
        comments_now = await asyncio.to_thread(comments, review)  # it may wait for a process
        posted = told(await posted_findings(publication.host), publication.run)
        bad = await _put(
            publication, [rest for draft in comments_now.posts if (rest := _rest(draft, posted)) is not None], request
        )
        if not bad:
            return comments_now, refusals
        refusals |= bad  # their places in the quota go to others, which are posted in the next turn


def keys(draft: Post) -> list[Mark]:
    """Return which findings a comment is about; the first is the one on whose lines it stands."""
    return [_key(body) for body in (draft.body, *(also.body for also in draft.more))]


def _key(body: str) -> Mark:
    return next(iter(markers.read(body).findings), ("", ""))


def _rest(draft: Post, posted: Collection[Mark]) -> Post | None:
    """The comment without the findings that have one already; None if all of them have."""
    more = tuple(also for also in draft.more if _key(also.body) not in posted)
    if _key(draft.body) not in posted:
        return replace(draft, more=more)
    if not more:
        return None
    first, *others = more
    return replace(draft, body=first.body, line=first.line, start_line=None, more=tuple(others))


def _is_about_place(refusal: HostRefused) -> bool:
    """Whether GitHub refuses one comment for where it stands: another one may be taken."""
    return any(field.rpartition(".")[2] in PLACE for field in refusal.fields)


def _refusal_notes(publication: Publication, refusals: Mapping[Mark, HostRefused]) -> tuple[str, ...]:
    """One sentence for each reason why GitHub took no comment. What is not about a place may be about the account that writes."""
    reasons = Counter(
        refusal.reason if _is_about_place(refusal) else f"{refusal.reason} to `{publication.host.voice.login}`"
        for refusal in refusals.values()
    )
    return tuple(publication.words.say("comments_refused", count, why=why) for why, count in reasons.items())


def tell_in_summary(review: Review, refused_keys: Collection[Mark]) -> Review:
    """Return the review with these findings told in the summary instead of on the diff."""

    def place_outside(finding: PlacedFinding) -> PlacedFinding:
        is_refused = finding.finding.identity in {name for name, _ in refused_keys}
        return replace(finding, place="outside", spot=None) if is_refused else finding

    return replace(review, findings=tuple(place_outside(finding) for finding in review.findings))


async def _put(publication: Publication, left: Sequence[Post], request: ChangeRequest) -> dict[Mark, HostRefused]:
    """Post these; those that GitHub does not take. What it refuses for no place of them holds for the others too."""
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
    """One review with all of them: all are taken, or none. It requests changes if GitHub lets it."""
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
            with suppress(HostRefused):  # for a bad place, or for the request: as a comment it shows which
                return await publication.host.review(publication.head, request_body, rows, change_requests.REQUEST)
        return await publication.host.review(publication.head, body, rows)

    return await _try(publication, find, write)


async def _single(publication: Publication, draft: Post) -> HostRefused | None:
    """One comment by itself."""

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
    """Why GitHub did not take it; None if it did. A refusal because the head has moved raises SupersededError."""
    try:
        await publication.put(find, write)
    except HostRefused as refusal:
        if refusal.status != UNPROCESSABLE:
            raise
        await publication.check()
        return refusal
    return None


def _row(publication: Publication, draft: Post) -> "Row":
    """The comment as it is sent: one marker names all of its findings."""
    text = RULE.join([draft.body, *(also.body.partition("\n")[2] for also in draft.more)])
    row: Row = {"path": draft.path, "body": publication.sign(text, **markers.of_findings(*keys(draft)))}
    if draft.line and draft.side:
        row |= {"line": draft.line, "side": draft.side}
        if draft.start_line and draft.start_line < draft.line:
            row |= {"start_line": draft.start_line, "start_side": draft.side}
    return row
