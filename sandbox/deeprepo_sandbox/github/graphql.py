"""GraphQL as the product asks for it: hidden comments, resolved threads, the issues that a pull request closes.

graphql-core reads the documents and holds them against GitHub's own schema, cut down to what the product's documents use.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from inspect import isawaitable
from pathlib import Path
from typing import Any

from graphql import DocumentNode, ExecutionResult, GraphQLError, build_schema, execute, parse, validate

from deeprepo_sandbox.github import access, git
from deeprepo_sandbox.github.bodies.comments import place
from deeprepo_sandbox.github.call import Caller, GitHubRefusal
from deeprepo_sandbox.github.things import Comment, Json, Pull, Repository, Review, ReviewComment
from deeprepo_sandbox.github.world import World, node_id

SCHEMA = build_schema(Path(__file__).with_name("schema.graphql").read_text("utf-8"))
THREAD = "PRRT_kwDO"  # how the node ids of review threads begin
CLOSING = re.compile(r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+([\w.-]+/[\w.-]+)?#(\d{1,9})\b", re.IGNORECASE)
TYPES = {Comment: "IssueComment", ReviewComment: "PullRequestReviewComment", Review: "PullRequestReview"}
FORBIDDEN = "Resource not accessible by integration"
Fields = Mapping[str, Any]


async def answer(world: World, who: Caller, body: Json) -> Json:
    """The answer to a document: errors come with status 200, beside what could be answered."""
    if who.token is None:
        raise GitHubRefusal(401, "Requires authentication")
    document, wrong = _read(str(body.get("query", "")))
    done: Any = ExecutionResult(None, wrong)
    if document is not None and not wrong:
        done = execute(SCHEMA, document, _Root(world, who), variable_values=body.get("variables"))
    if isawaitable(done):
        done = await done
    errors = [{"message": one.message, "path": one.path} | (one.extensions or {}) for one in done.errors or ()]
    return {"data": done.data} | ({"errors": errors} if errors else {})


@lru_cache(maxsize=100)
def _read(text: str) -> tuple[DocumentNode | None, list[GraphQLError]]:
    """A document, and what is wrong with it: to hold it against GitHub's schema takes longer than to answer it."""
    try:
        document = parse(text)
    except GraphQLError as error:
        return None, [error]
    return document, validate(SCHEMA, document)


def _refused(message: str, kind: str = "NOT_FOUND") -> GraphQLError:
    return GraphQLError(message, extensions={"type": kind})


class _Root:
    """The fields of queries and mutations; graphql-core calls what is asked for with its arguments."""

    def __init__(self, world: World, who: Caller) -> None:
        self._world, self._who = world, who
        self.viewer = {"login": who.user.login.removesuffix("[bot]")} if who.user else None

    def repository(self, _: object, owner: str, name: str) -> Fields:
        where = self._world.repository(owner, name) or self._world.moved(owner, name)
        if where is None or not self._may(where, ("metadata",), "read"):
            raise _refused(f"Could not resolve to a Repository with the name '{owner}/{name}'.")

        def one(_: object, number: int) -> Fields:
            self._enter(where, ("pull_requests",), "read")
            pull = where.pulls.get(number)
            if pull is None:
                raise _refused("Could not resolve to a PullRequest with that number.")
            return self._pull(pull)

        async def found(_: object, expression: str = "") -> Fields | None:
            self._enter(where, ("contents",), "read")
            oid = await git.named(where.git, expression)
            return {"__typename": (await git.kind(where.git, oid)).capitalize(), "oid": oid} if oid else None

        async def is_empty(_: object) -> bool:
            return await git.named(where.git, "HEAD") is None

        return {"nameWithOwner": where.full_name, "pullRequest": one, "object": found, "isEmpty": is_empty}

    def _pull(self, pull: Pull) -> Fields:
        async def threads(_: object, **page: Any) -> Fields:  # noqa: ANN401 - the arguments of a page
            return _connection(
                [await _thread(pull, one) for one in pull.review_comments if one.reply_to is None], **page
            )

        def closes(_: object, **page: Any) -> Fields:  # noqa: ANN401 - the same
            """The issues that the description closes by GitHub's words, of other repositories too."""
            self._enter(pull.repository, ("issues",), "read")
            rows = []
            for name, number in dict.fromkeys(CLOSING.findall(pull.body or "")):
                where = self._world.repository(*name.split("/")) if name else pull.repository
                found = where.issues.get(int(number)) if where else None
                if where and found:
                    home = {"nameWithOwner": where.full_name}
                    rows.append({"number": int(number), "title": found[0], "body": found[1], "repository": home})
            return _connection(rows, **page)

        return {
            "reviewThreads": threads,
            "closingIssuesReferences": closes,
        }

    def minimizeComment(self, _: object, input: Fields) -> Fields:  # noqa: A002, N802 - GitHub's names
        known = self._world.node(input["subjectId"])
        if known is None:
            raise _refused(f"Could not resolve to a node with the global id of '{input['subjectId']}'")
        pull, comment = known
        self._enter(pull.repository, access.TALK if type(comment) is Comment else ("pull_requests",), "write")
        comment.hide_reason = input["classifier"].lower().replace("_", "-")
        return {"minimizedComment": _comment(comment)}

    async def resolveReviewThread(self, _: object, input: Fields) -> Fields:  # noqa: A002, N802 - GitHub's names
        """Mark a thread as resolved: GitHub wants `contents: write` for it, beside `pull_requests: write`."""
        pulls = (pull for where in self._world.repositories.values() for pull in where.pulls.values())
        rows = ((pull, one) for pull in pulls for one in pull.review_comments if one.reply_to is None)
        known = next(((pull, one) for pull, one in rows if input["threadId"] == f"{THREAD}{one.id}"), None)
        if known is None:
            raise _refused(f"Could not resolve to a node with the global id of '{input['threadId']}'")
        pull, top = known
        for permission in ("contents", "pull_requests"):
            self._enter(pull.repository, (permission,), "write")
        top.is_resolved = True
        return {"thread": await _thread(pull, top)}

    def _may(self, where: Repository, permissions: tuple[str, ...], level: str) -> bool:
        try:
            access.enter(self._world, self._who, where, permissions, level)
        except GitHubRefusal:
            return False
        return True

    def _enter(self, where: Repository, permissions: tuple[str, ...], level: str) -> None:
        if not self._may(where, permissions, level):
            raise _refused(FORBIDDEN, "FORBIDDEN")


def _comment(one: Comment) -> Fields:
    return {
        "__typename": TYPES[type(one)],
        "id": node_id(one),
        "databaseId": one.id,
        "isMinimized": bool(one.hide_reason),
        "minimizedReason": one.hide_reason or None,
    }


async def _thread(pull: Pull, top: ReviewComment) -> Fields:
    line, _ = await place(pull, top)
    inside = [top, *(one for one in pull.review_comments if one.reply_to == top.id)]
    return {
        "id": f"{THREAD}{top.id}",
        "isResolved": top.is_resolved,
        "isOutdated": top.subject == "line" and line is None,
        "comments": lambda _, **page: _connection([_comment(one) for one in inside], **page),
    }


def _connection(rows: Sequence[Fields], first: int = 100, after: str | None = None) -> Fields:
    begin = int(after or 0)
    part = rows[begin : begin + min(first, 100)]
    end = begin + len(part)
    return {"pageInfo": {"hasNextPage": end < len(rows), "endCursor": str(end) if part else None}, "nodes": part}
