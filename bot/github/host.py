"""Read and write one pull request on GitHub."""

import re
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Literal, TypeVar
from urllib.parse import quote

from githubkit import Response

from bot.errors import HostDown, HostRefused, UsageError
from bot.github import responses
from bot.github.client import GitHubClient, Listing
from bot.github.policy import TRIES
from bot.values import Access, BotIdentity, CommentKind, CommentRef, PostedComment, PullFacts, PullRef

if TYPE_CHECKING:
    from githubkit_schemas.latest import types

    Row = types.ReposOwnerRepoPullsPullNumberReviewsPostBodyPropCommentsItemsType
    Comment = types.ReposOwnerRepoPullsPullNumberCommentsPostBodyType

ACCESS: tuple[Access, ...] = ("admin", "write", "read")
NOT_FOUND = 404
Event = Literal["APPROVE", "COMMENT", "REQUEST_CHANGES"]
MAX_OTHER_COMMENTS = 300  # comments by other people, per list
MAX_COMMENT_CHARS = 16_000  # longer comments by other people are cut
Written = TypeVar("Written")
Reaction = Literal["+1", "-1", "eyes", "confused", "rocket", "heart"]
_PATH_PART = re.compile(r"[A-Za-z0-9._-]+")


class Host:
    """A pull request on GitHub, with the requests that several packages need.

    Use `client` and githubkit's `rest` for other requests. Reads are retried automatically. A write that is
    not safe to retry raises HostDown if GitHub's answer was lost. `write_once` handles this.
    """

    def __init__(
        self, client: GitHubClient, pull: PullRef, bot_identity: BotIdentity, resolver: GitHubClient | None = None
    ) -> None:
        """Use `client` for requests, and `resolver`, which has another permission, to resolve threads."""
        if not all(_PATH_PART.fullmatch(part) and part.strip(".") for part in (pull.owner, pull.name)):
            raise UsageError(
                "names of owners and repositories may only contain letters, digits, dots, dashes and underscores"
            )
        self.pull, self.bot_identity, self.client, self.repo = pull, bot_identity, client, (pull.owner, pull.name)
        self.resolver = resolver or client
        self.rest, self.at = client.rest, (*self.repo, pull.number)
        self.named: dict[str, Any] = {"owner": pull.owner, "name": pull.name, "number": pull.number}

    def other_pull(self, number: int) -> "Host":
        """Return another pull request of the same repository."""
        return Host(self.client, replace(self.pull, number=number), self.bot_identity, self.resolver)

    async def write_once(
        self, find: Callable[[], Awaitable[Written | None]], write: Callable[[], Awaitable[Written]]
    ) -> Written:
        """Write something unless it exists already, and return it. Raises HostDown.

        If GitHub's answer is lost, this calls `find` before writing again, so nothing is written twice.
        """
        for left in reversed(range(TRIES)):
            try:
                return await find() or await write()
            except HostDown:
                if not left:
                    break
                await self.client.pace.wait_before_retry(TRIES - left)
        found = await find()
        if found is None:
            raise HostDown("GitHub refused to store this comment every time")
        return found

    async def facts(self) -> PullFacts:
        """Return the pull request's current data."""
        return responses.pull(await self.client.json(self.rest.pulls.async_get(*self.at)))

    async def permission(self, login: str) -> Access:
        """Return a person's permission on the repository."""
        ask = self.rest.repos.async_get_collaborator_permission_level
        try:
            level = await self.client.json(ask(*self.repo, safe(quote(login, safe=""))))
        except HostRefused as refused:
            if refused.status != NOT_FOUND:
                raise
            return "none"
        return next((access for access in ACCESS if access == level.get("permission")), "none")

    async def comments(self, kind: CommentKind = "issue", thread: int = 0) -> tuple[PostedComment, ...]:
        """Return comments, oldest first: all of ours, and the last MAX_OTHER_COMMENTS by other people.

        `kind` selects comments in the conversation ("issue"), comments on the diff with their replies
        ("review"), or the bodies of reviews ("whole"). `thread` selects one thread by the ID of its first
        comment.
        """
        pulls = self.rest.pulls
        lists: dict[CommentKind, Listing] = {
            "issue": self.rest.issues.async_list_comments,
            "review": pulls.async_list_review_comments,
            "whole": pulls.async_list_reviews,
        }
        ours: list[tuple[int, PostedComment]] = []
        others: deque[tuple[int, PostedComment]] = deque(maxlen=MAX_OTHER_COMMENTS)
        at = 0
        async for data in self.client.pages(partial(lists[kind], *self.at)):
            comment, at = responses.read_comment(data, kind, self.bot_identity), at + 1
            if not thread or comment.thread == thread:
                if comment.ours:
                    ours.append((at, comment))
                else:
                    others.append((at, replace(comment, body=comment.body[:MAX_COMMENT_CHARS])))
        return tuple(comment for _, comment in sorted((*ours, *others), key=itemgetter(0)))

    async def comment_at(self, ref: CommentRef) -> PostedComment:
        """Return one comment."""
        get = self.rest.issues.async_get_comment if ref.kind == "issue" else self.rest.pulls.async_get_review_comment
        return await self._posted(get(*self.repo, ref.id), ref.kind)

    async def review(self, head: str, body: str, rows: "Sequence[Row]", event: Event = "COMMENT") -> PostedComment:
        """Post a review with all its comments on lines. GitHub accepts either all of them or none."""
        asked = self.rest.pulls.async_create_review(*self.at, commit_id=head, event=event, body=body, comments=rows)
        return await self._posted(asked, "whole")

    async def comment(self, body: str) -> PostedComment:
        """Post a comment in the conversation."""
        return await self._posted(self.rest.issues.async_create_comment(*self.at, body=body), "issue")

    async def line_comment(self, comment: "Comment") -> PostedComment:
        """Post a single comment on lines or on a changed file."""
        return await self._posted(self.rest.pulls.async_create_review_comment(*self.at, data=comment), "review")

    async def reply(self, thread: int, body: str) -> PostedComment:
        """Reply in the review thread whose first comment has this ID."""
        asked = self.rest.pulls.async_create_reply_for_review_comment(*self.at, thread, body=body)
        return await self._posted(asked, "review")

    async def edit_comment(self, number: int, body: str, kind: CommentKind = "issue") -> PostedComment:
        """Replace the text of a comment or of a review ("whole")."""
        issues, pulls = self.rest.issues, self.rest.pulls
        if kind == "whole":
            return await self._posted(pulls.async_update_review(*self.at, number, body=body), kind)
        edit = issues.async_update_comment if kind == "issue" else pulls.async_update_review_comment
        return await self._posted(edit(*self.repo, number, body=body), kind)

    async def delete(self, comment: PostedComment) -> None:
        """Delete one of the App's comments. It is not an error if the comment doesn't exist."""
        issues, pulls = self.rest.issues, self.rest.pulls
        delete = issues.async_delete_comment if comment.kind == "issue" else pulls.async_delete_review_comment
        with suppress(HostRefused):
            await self.client.json(delete(*self.repo, comment.id))

    async def react(self, comment: CommentRef, content: Reaction) -> None:
        """Add a reaction to a comment, which bodies of reviews don't accept."""
        api, at = self.rest.reactions, (*self.repo, comment.id)
        review = api.async_create_for_pull_request_review_comment
        forms = {"issue": api.async_create_for_issue_comment, "review": review}
        if comment.kind in forms:
            await self.client.json(forms[comment.kind](*at, content=content))

    async def _posted(self, request: Awaitable[Response[Any, Any]], kind: CommentKind) -> PostedComment:
        return responses.read_comment(await self.client.json(request), kind, self.bot_identity)


def safe(path: str) -> str:
    """Return part of a URL path unchanged.

    Raises UsageError if it has a part like ".." that changes the target.
    """
    if any(part in ("", ".", "..") for part in path.replace("...", "-").split("/")):
        raise UsageError("a path or name from outside may not lead to another address")
    return path
