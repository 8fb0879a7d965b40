"""One pull request at GitHub: what is there, and what we write there."""

import base64
import re
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast
from urllib.parse import quote

from githubkit import Response
from githubkit.utils import UNSET

from bot.errors import HostDown, HostRefused, UsageError
from bot.github import documents, shapes
from bot.github.checks import Checks
from bot.github.client import MOST_PAGES, GitHubClient, Listing
from bot.github.identity import Voice
from bot.github.policy import TRIES
from bot.values import (
    Access,
    Bases,
    CommentRef,
    Draft,
    Hidden,
    LinkedIssue,
    Posted,
    PullFacts,
    PullRef,
    Reacted,
    Thread,
    WorkflowRun,
)

if TYPE_CHECKING:
    from githubkit_schemas.latest.types import (
        ReposOwnerRepoPullsPullNumberReviewsPostBodyPropCommentsItemsType as OnLines,
    )

ACCESS: tuple[Access, ...] = ("admin", "write", "read")
NOT_FOUND = 404
BASES = {"tip": "base_commit.sha", "merge_base": "merge_base_commit.sha", "ahead": "ahead_by", "behind": "behind_by"}
MOST_ISSUES = 3  # of one pull request
Kind = Literal["issue", "review", "whole"]
MOST_OPEN = 10  # pages of a hundred open pull requests, those first on which something happened last
MOST_OTHERS = 300  # comments of other people that one list holds
MOST_READ = 16_000  # characters of one of them: no more of it is looked at
Thing = TypeVar("Thing")
Reaction = Literal["+1", "-1", "eyes", "confused", "rocket", "heart"]
_NAME = re.compile(r"[A-Za-z0-9._-]+")


class Host:
    """A pull request. Reading is tried again by itself; a write that may not be done twice raises HostDown: see `once`."""

    def __init__(self, client: GitHubClient, pull: PullRef, voice: Voice) -> None:
        if not all(_NAME.fullmatch(part) and part.strip(".") for part in (pull.owner, pull.name)):
            raise UsageError("an owner and a repository have names of letters, digits, dots, dashes and underscores")
        self.pull, self.voice = pull, voice
        self._client, self._rest = client, client.rest
        self._repo, self._at = (pull.owner, pull.name), (pull.owner, pull.name, pull.number)
        self.checks = Checks(client, *self._repo, voice)

    def beside(self, number: int) -> "Host":
        """Another pull request of the same repository."""
        return Host(self._client, replace(self.pull, number=number), self.voice)

    async def once(self, find: Callable[[], Awaitable[Thing | None]], write: Callable[[], Awaitable[Thing]]) -> Thing:
        """Write what is not there yet. After an answer that was lost it is looked for before it is written again."""
        for left in reversed(range(TRIES)):
            try:
                return await find() or await write()
            except HostDown:
                if not left:
                    break
                await self._client.pace.breathe(TRIES - left)
        found = await find()
        if found is None:
            raise HostDown("GitHub does not take what is to be posted: it failed each time")
        return found

    async def facts(self) -> PullFacts:
        """Read the pull request as it is now."""
        return shapes.pull(await self._client.answer(self._rest.pulls.async_get(*self._at)))

    async def bases(self, base: str, head: str) -> Bases:
        """Look up where `head` left `base`; either is a branch or a commit.

        The second page is asked for because the first holds the patches of up to 300 files, which may be many megabytes.
        """
        ends = _safe(f"{quote(base, safe='/')}...{quote(head, safe='/')}")
        asked = self._rest.repos.async_compare_commits(*self._repo, ends, per_page=1, page=2)
        return shapes.value(Bases, await self._client.answer(asked), BASES)

    async def permission(self, login: str) -> Access:
        """Look up what a person may do here."""
        asked = self._rest.repos.async_get_collaborator_permission_level(*self._repo, _safe(quote(login, safe="")))
        said = await _there(self._client.answer(asked))
        return next((access for access in ACCESS if said and access == said.get("permission")), "none")

    async def file_at(self, path: str, ref: str) -> bytes | None:
        """Read a small file of the repository in a commit, None if it does not exist. Everything else is read by git."""
        asked = self._rest.repos.async_get_content(*self._repo, _safe(quote(path)), ref=ref)
        said: Any = await _there(self._client.answer(asked))
        found = isinstance(said, dict) and said.get("type") == "file" and said.get("encoding") == "base64"
        return base64.b64decode(said.get("content", "")) if found else None

    async def runs(self, since: str) -> tuple[WorkflowRun, ...]:
        """List the repository's runs of workflows since then (ISO 8601), newest first. Needs the permission `actions: read`."""
        listing = partial(self._rest.actions.async_list_workflow_runs_for_repo, *self._repo, created=f">={since}")
        return tuple([shapes.run(data) async for data in self._client.pages(listing, "workflow_runs")])

    async def comments(self) -> tuple[Posted, ...]:
        """Read the comments of the conversation, oldest first: ours, and the last ones of others."""
        return await self._posted(partial(self._rest.issues.async_list_comments, *self._at), "issue")

    async def review_comments(self, thread: int = 0) -> tuple[Posted, ...]:
        """Read the comments on the diff, replies included, as above. `thread`: of this one alone."""
        return await self._posted(partial(self._rest.pulls.async_list_review_comments, *self._at), "review", thread)

    async def reviews(self) -> tuple[Posted, ...]:
        """Read the texts of the reviews."""
        return await self._posted(partial(self._rest.pulls.async_list_reviews, *self._at), "whole")

    async def comment_at(self, ref: CommentRef) -> Posted:
        """Read one comment."""
        one = self._rest.issues.async_get_comment if ref.kind == "issue" else self._rest.pulls.async_get_review_comment
        return await self._new(one(*self._repo, ref.id), ref.kind)

    async def reactions(self, ref: CommentRef, content: str = "") -> tuple[Reacted, ...]:
        """Read the reactions of people on a comment, the first hundred; `content`: of this kind only."""
        api = self._rest.reactions
        listing = (
            api.async_list_for_issue_comment if ref.kind == "issue" else api.async_list_for_pull_request_review_comment
        )
        listed = self._client.pages(
            partial(listing, *self._repo, ref.id, content=cast("Reaction", content) if content else UNSET), most=1
        )
        people = [row async for row in listed if shapes.at(row, "user.type") == "User"]
        return tuple(shapes.value(Reacted, row, {"login": "user.login"}) for row in people)

    async def threads(self) -> tuple[Thread, ...]:
        """Read the review threads with what people and pushes have made of them."""
        found: list[Thread] = []
        after: str | None = None
        for _ in range(MOST_PAGES):
            data = await self._client.ask(documents.THREADS, **self._named, after=after)
            listed = ((data.get("repository") or {}).get("pullRequest") or {}).get("reviewThreads") or {}
            found += [one for node in listed.get("nodes") or () if node and (one := shapes.thread(node))]
            page: dict[str, Any] = listed.get("pageInfo") or {}
            if not page.get("hasNextPage") or page.get("endCursor") == after:
                break
            after = page.get("endCursor")
        return tuple(found)

    async def open_at(self, head: str) -> tuple[dict[int, str], bool]:
        """Look up the open pull requests of the repository with this head: number -> base branch, and whether all open ones were seen.

        GitHub's list by commit (`commits/SHA/pulls`) leaves out those from forks.
        """
        found: dict[int, str] = {}
        after: str | None = None
        for _ in range(MOST_OPEN):
            data = await self._client.ask(documents.OPEN, owner=self.pull.owner, name=self.pull.name, after=after)
            listed = (data.get("repository") or {}).get("pullRequests") or {}
            rows = [node for node in listed.get("nodes") or () if node]
            found |= {int(row["number"]): str(row["baseRefName"]) for row in rows if row.get("headRefOid") == head}
            page: dict[str, Any] = listed.get("pageInfo") or {}
            if not page.get("hasNextPage") or page.get("endCursor") == after:
                return found, bool(page)
            after = page.get("endCursor")
        return found, False

    async def closes(self) -> tuple[LinkedIssue, ...]:
        """Read the first issues of this repository that the pull request closes, with the beginning of their texts."""
        data = await self._client.ask(documents.CLOSES, **self._named, first=2 * MOST_ISSUES)
        where = data.get("repository") or {}
        listed = ((where.get("pullRequest") or {}).get("closingIssuesReferences") or {}).get("nodes") or ()
        found = (shapes.issue(node, str(where.get("nameWithOwner"))) for node in listed if node)
        return tuple(one for one in found if one is not None)[:MOST_ISSUES]

    async def review(
        self, head: str, body: str, drafts: Sequence[Draft], event: Literal["COMMENT", "REQUEST_CHANGES"] = "COMMENT"
    ) -> Posted:
        """Post one review with all its comments on lines; GitHub takes all of them or none."""
        comments = [_on_lines(draft) for draft in drafts]
        asked = self._rest.pulls.async_create_review(
            *self._at, commit_id=head, event=event, body=body, comments=comments
        )
        return await self._new(asked, "whole")

    async def dismiss(self, review: int, why: str) -> None:
        """Take back a request for changes. `why` is shown on the pull request."""
        await self._client.answer(
            self._rest.pulls.async_dismiss_review(*self._at, review, message=why, event="DISMISS")
        )

    async def comment(self, body: str) -> Posted:
        """Post a comment in the conversation."""
        return await self._new(self._rest.issues.async_create_comment(*self._at, body=body), "issue")

    async def line_comment(self, head: str, draft: Draft) -> Posted:
        """Post a comment that is a review of its own, on lines or, without a line, on a changed file as a whole."""
        first, side = _first(draft) or UNSET, draft.side or UNSET
        asked = self._rest.pulls.async_create_review_comment(
            *self._at,
            commit_id=head,
            path=draft.path,
            body=draft.body,
            line=draft.line or UNSET,
            side=side,
            start_line=first,
            start_side=side if first else UNSET,
            subject_type="line" if draft.line else "file",
        )
        return await self._new(asked, "review")

    async def file_comment(self, head: str, path: str, body: str) -> Posted:
        """Post a comment on a changed file as a whole."""
        return await self.line_comment(head, Draft(path, body))

    async def reply(self, thread: int, body: str) -> Posted:
        """Answer in a review thread, named by its top comment."""
        asked = self._rest.pulls.async_create_reply_for_review_comment(*self._at, thread, body=body)
        return await self._new(asked, "review")

    async def edit_comment(self, number: int, body: str, kind: Kind = "issue") -> Posted:
        """Give a comment of the conversation, of a thread ("review"), or a review ("whole") another text."""
        issues, pulls = self._rest.issues, self._rest.pulls
        if kind == "issue":
            return await self._new(issues.async_update_comment(*self._repo, number, body=body), kind)
        if kind == "whole":
            return await self._new(pulls.async_update_review(*self._at, number, body=body), kind)
        return await self._new(pulls.async_update_review_comment(*self._repo, number, body=body), kind)

    async def delete(self, posted: Posted) -> None:
        """Delete one of the App's comments; one that is gone already is not an error."""
        if posted.kind == "whole":
            raise UsageError("a review that was submitted cannot be deleted")
        issues, pulls = self._rest.issues, self._rest.pulls
        one = issues.async_delete_comment if posted.kind == "issue" else pulls.async_delete_review_comment
        with suppress(HostRefused):
            await self._client.answer(one(*self._repo, posted.id))

    async def minimize(self, node_id: str, why: Hidden) -> None:
        """Fold a comment, with the reason shown."""
        await self._client.ask(documents.MINIMIZE, id=node_id, why=why)

    async def unminimize(self, node_id: str) -> None:
        """Show a minimised comment again."""
        await self._client.ask(documents.UNMINIMIZE, id=node_id)

    async def resolve(self, thread: str) -> None:
        """Mark a review thread as resolved, named by its node id. GitHub asks for `contents: write` for that."""
        await self._client.ask(documents.RESOLVE, id=thread)

    async def react(self, comment: CommentRef, content: Reaction) -> None:
        """Put a reaction under a comment; a second one of the same kind changes nothing. A review's text takes none."""
        if comment.kind == "whole":
            return
        api = self._rest.reactions
        one = (
            api.async_create_for_issue_comment(*self._repo, comment.id, content=content)
            if comment.kind == "issue"
            else api.async_create_for_pull_request_review_comment(*self._repo, comment.id, content=content)
        )
        await self._client.answer(one)

    @property
    def _named(self) -> dict[str, object]:
        return {"owner": self.pull.owner, "name": self.pull.name, "number": self.pull.number}

    async def _posted(self, listing: Listing, kind: Kind, thread: int = 0) -> tuple[Posted, ...]:
        """Read a list page by page. Anybody can write thousands of long comments, so of others' only the last are held."""
        ours: list[tuple[int, Posted]] = []
        others: deque[tuple[int, Posted]] = deque(maxlen=MOST_OTHERS)
        at = 0
        async for data in self._client.pages(listing):
            one, at = shapes.posted(data, kind, self.voice), at + 1
            if one.ours:
                ours.append((at, one))
            elif not thread or one.thread == thread:
                others.append((at, replace(one, body=one.body[:MOST_READ])))
        listed = sorted((*ours, *others), key=itemgetter(0))
        return tuple(one for _, one in listed if not thread or one.thread == thread)

    async def _new(self, asked: Awaitable[Response[Any, Any]], kind: Kind) -> Posted:
        return shapes.posted(await self._client.answer(asked), kind, self.voice)


async def _there(asked: Awaitable[Thing]) -> Thing | None:
    """Await what may not exist."""
    try:
        return await asked
    except HostRefused as refused:
        if refused.status != NOT_FOUND:
            raise
    return None


def _safe(path: str) -> str:
    """A part of an address that leads nowhere else."""
    if any(part in ("", ".", "..") for part in path.replace("...", "-").split("/")):
        raise UsageError("a path or name from outside may not lead to another address")
    return path


def _first(draft: Draft) -> int:
    """The first of several lines, 0 if the comment is on one."""
    return draft.start if draft.start and draft.line and draft.start < draft.line else 0


def _on_lines(draft: Draft) -> "OnLines":
    said: OnLines = {"path": draft.path, "body": draft.body}
    if draft.line and draft.side:
        said |= {"line": draft.line, "side": draft.side}
        said |= {"start_line": _first(draft), "start_side": draft.side} if _first(draft) else {}
    return said
