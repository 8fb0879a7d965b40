"""One pull request at GitHub: what is there, and what we write there."""

import base64
import re
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from operator import itemgetter
from typing import Any, Literal, TypeVar
from urllib.parse import quote

from bot.errors import HostDown, HostRefused, UsageError
from bot.github import documents, shapes
from bot.github.checks import Checks
from bot.github.client import TRIES, GitHubClient
from bot.github.identity import Voice
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

ACCESS: tuple[Access, ...] = ("admin", "write", "read")
NOT_FOUND = 404
MOST_ISSUES = 3  # of one pull request
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
        self._client, self._repo = client, f"repos/{pull.owner}/{pull.name}"
        self.checks = Checks(client, self._repo, voice)
        self._pull, self._issue = f"{self._repo}/pulls/{pull.number}", f"{self._repo}/issues/{pull.number}"

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
        """The pull request as it is now."""
        return shapes.pull(await self._client.get(self._pull))

    async def bases(self, base: str, head: str) -> Bases:
        """Where `head` left `base`; either is a branch or a commit.

        The second page is asked for because the first holds the patches of up to 300 files, which may be many megabytes.
        """
        ends = f"{quote(base, safe='/')}...{quote(head, safe='/')}"
        return shapes.compared(await self._client.get(f"{self._repo}/compare/{_safe(ends)}", per_page=1, page=2))

    async def permission(self, login: str) -> Access:
        """What a person may do here."""
        try:
            said = await self._client.get(f"{self._repo}/collaborators/{_safe(quote(login, safe=''))}/permission")
        except HostRefused as refused:
            if refused.status == NOT_FOUND:
                return "none"
            raise
        return next((access for access in ACCESS if access == said.get("permission")), "none")

    async def file_at(self, path: str, ref: str) -> bytes | None:
        """A small file of the repository in a commit, None if it does not exist. Everything else is read by git."""
        try:
            said = await self._client.get(f"{self._repo}/contents/{_safe(quote(path))}", ref=ref)
        except HostRefused as refused:
            if refused.status == NOT_FOUND:
                return None
            raise
        found = isinstance(said, dict) and said.get("type") == "file" and said.get("encoding") == "base64"
        return base64.b64decode(said.get("content", "")) if found else None

    async def runs(self, since: str) -> tuple[WorkflowRun, ...]:
        """The repository's runs of workflows since then (ISO 8601), newest first. Needs the permission `actions: read`."""
        listed = self._client.pages(f"{self._repo}/actions/runs", "workflow_runs", created=f">={since}")
        return tuple([shapes.run(data) async for data in listed])

    async def comments(self) -> tuple[Posted, ...]:
        """The comments of the conversation, oldest first: ours, and the last ones of others."""
        return await self._posted(f"{self._issue}/comments", "issue")

    async def review_comments(self, thread: int = 0) -> tuple[Posted, ...]:
        """The comments on the diff, replies included, as above. `thread`: of this one alone."""
        return await self._posted(f"{self._pull}/comments", "review", thread)

    async def reviews(self) -> tuple[Posted, ...]:
        """The texts of the reviews."""
        return await self._posted(f"{self._pull}/reviews", "whole")

    async def comment_at(self, ref: CommentRef) -> Posted:
        """One comment."""
        return shapes.posted(await self._client.get(self._of(ref.kind, ref.id)), ref.kind, self.voice)

    async def reactions(self, ref: CommentRef, content: str = "") -> tuple[Reacted, ...]:
        """The reactions of people on a comment, the first hundred; `content`: of this kind only."""
        asked = {"content": content} if content else {}
        listed = self._client.pages(f"{self._of(ref.kind, ref.id)}/reactions", most=1, **asked)
        return tuple([one async for data in listed if (one := shapes.reacted(data)) is not None])

    async def threads(self) -> tuple[Thread, ...]:
        """The review threads with what people and pushes have made of them."""
        found: list[Thread] = []
        after: str | None = None
        names = {"owner": self.pull.owner, "name": self.pull.name, "number": self.pull.number}
        while True:
            data = await self._client.ask(documents.THREADS, **names, after=after)
            listed = ((data.get("repository") or {}).get("pullRequest") or {}).get("reviewThreads") or {}
            found += [one for node in listed.get("nodes") or () if node and (one := shapes.thread(node))]
            page: Mapping[str, Any] = listed.get("pageInfo") or {}
            if not page.get("hasNextPage") or page.get("endCursor") == after:
                return tuple(found)
            after = page.get("endCursor")

    async def closes(self) -> tuple[LinkedIssue, ...]:
        """The first issues of this repository that the pull request closes, with the beginning of their texts."""
        names = {"owner": self.pull.owner, "name": self.pull.name, "number": self.pull.number}
        data = await self._client.ask(documents.CLOSES, **names, first=2 * MOST_ISSUES)
        where = data.get("repository") or {}
        listed = ((where.get("pullRequest") or {}).get("closingIssuesReferences") or {}).get("nodes") or ()
        found = (shapes.issue(node, str(where.get("nameWithOwner"))) for node in listed if node)
        return tuple(one for one in found if one is not None)[:MOST_ISSUES]

    async def review(
        self, head: str, body: str, drafts: Sequence[Draft], event: Literal["COMMENT", "REQUEST_CHANGES"] = "COMMENT"
    ) -> Posted:
        """One review with all its comments on lines; GitHub takes all of them or none."""
        comments = [_on_lines(draft) for draft in drafts]
        asked = {"commit_id": head, "event": event, "body": body, "comments": comments}
        return self._new(await self._client.write("POST", f"{self._pull}/reviews", asked), "whole")

    async def dismiss(self, review: int, why: str) -> None:
        """Take back a request for changes. `why` is shown on the pull request."""
        path = f"{self._pull}/reviews/{review}/dismissals"
        await self._client.write("PUT", path, {"message": why, "event": "DISMISS"}, again=True)

    async def comment(self, body: str) -> Posted:
        """A comment in the conversation."""
        return self._new(await self._client.write("POST", f"{self._issue}/comments", {"body": body}), "issue")

    async def line_comment(self, head: str, draft: Draft) -> Posted:
        """A comment on lines that is a review of its own."""
        asked = {"commit_id": head, **_on_lines(draft)}
        return self._new(await self._client.write("POST", f"{self._pull}/comments", asked), "review")

    async def file_comment(self, head: str, path: str, body: str) -> Posted:
        """A comment on a changed file as a whole."""
        asked = {"commit_id": head, "path": path, "body": body, "subject_type": "file"}
        return self._new(await self._client.write("POST", f"{self._pull}/comments", asked), "review")

    async def reply(self, thread: int, body: str) -> Posted:
        """An answer in a review thread, named by its top comment."""
        path = f"{self._pull}/comments/{thread}/replies"
        return self._new(await self._client.write("POST", path, {"body": body}), "review")

    async def edit_comment(self, number: int, body: str) -> Posted:
        """Another text for a comment of the conversation."""
        done = await self._client.write("PATCH", self._of("issue", number), {"body": body}, again=True)
        return self._new(done, "issue")

    async def delete(self, posted: Posted) -> None:
        """Delete one of the App's comments; one that is gone already is not an error."""
        if posted.kind == "whole":
            raise UsageError("a review that was submitted cannot be deleted")
        with suppress(HostRefused):
            await self._client.write("DELETE", self._of(posted.kind, posted.id), again=True)

    async def minimize(self, node_id: str, why: Hidden) -> None:
        """Fold a comment, with the reason shown."""
        await self._client.change(documents.MINIMIZE, id=node_id, why=why)

    async def unminimize(self, node_id: str) -> None:
        """Show a minimised comment again."""
        await self._client.change(documents.UNMINIMIZE, id=node_id)

    async def resolve(self, thread: str) -> None:
        """Mark a review thread as resolved, named by its node id. GitHub asks for `contents: write` for that."""
        await self._client.change(documents.RESOLVE, id=thread)

    async def react(self, comment: CommentRef, content: Reaction) -> None:
        """Put a reaction under a comment; a second one of the same kind changes nothing. A review's text takes none."""
        if comment.kind == "whole":
            return
        path = f"{self._of(comment.kind, comment.id)}/reactions"
        await self._client.write("POST", path, {"content": content}, again=True)

    async def _posted(
        self, path: str, kind: Literal["issue", "review", "whole"], thread: int = 0
    ) -> tuple[Posted, ...]:
        """A list, read page by page. Anybody can write thousands of long comments, so of others' only the last are held."""
        ours: list[tuple[int, Posted]] = []
        others: deque[tuple[int, Posted]] = deque(maxlen=MOST_OTHERS)
        at = 0
        async for data in self._client.pages(path):
            one, at = shapes.posted(data, kind, self.voice), at + 1
            if one.ours:
                ours.append((at, one))
            elif not thread or one.thread == thread:
                others.append((at, replace(one, body=one.body[:MOST_READ])))
        listed = sorted((*ours, *others), key=itemgetter(0))
        return tuple(one for _, one in listed if not thread or one.thread == thread)

    def _new(self, data: Any, kind: Literal["issue", "review", "whole"]) -> Posted:  # noqa: ANN401 - JSON
        return shapes.posted(data, kind, self.voice)

    def _of(self, kind: str, number: int) -> str:
        return f"{self._repo}/{'issues' if kind == 'issue' else 'pulls'}/comments/{number}"


def _safe(path: str) -> str:
    """A part of an address that leads nowhere else."""
    if any(part in ("", ".", "..") for part in path.replace("...", "-").split("/")):
        raise UsageError("a path or name from outside may not lead to another address")
    return path


def _on_lines(draft: Draft) -> dict[str, object]:
    said: dict[str, object] = {"path": draft.path, "body": draft.body, "line": draft.line, "side": draft.side}
    if draft.start is not None and draft.line is not None and draft.start < draft.line:
        said |= {"start_line": draft.start, "start_side": draft.side}
    return said
