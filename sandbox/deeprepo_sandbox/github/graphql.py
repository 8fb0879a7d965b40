"""GraphQL: what is hidden, what was resolved, and hiding itself. Fields that nobody here knows are refused as GitHub does."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any

from deeprepo_sandbox.github import access
from deeprepo_sandbox.github.bodies import stamp
from deeprepo_sandbox.github.bodies.comments import place
from deeprepo_sandbox.github.call import Caller, GitHubRefusal
from deeprepo_sandbox.github.selection import Field, read
from deeprepo_sandbox.github.things import Comment, Json, Pull, Review, ReviewComment, User
from deeprepo_sandbox.github.world import LIMIT, World, node_id

THREAD = "PRRT_kwDO"  # how the node ids of review threads begin
CLOSING = re.compile(r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+([\w.-]+/[\w.-]+)?#(\d{1,9})\b", re.IGNORECASE)
CLASSIFIERS = ("ABUSE", "DUPLICATE", "OFF_TOPIC", "OUTDATED", "RESOLVED", "SPAM")
TYPES = {Comment: "IssueComment", ReviewComment: "PullRequestReviewComment", Review: "PullRequestReview"}
Fields = Mapping[str, Any]
Lazy = Callable[[Mapping[str, Any]], Awaitable[Any]]


async def answer(world: World, who: Caller, body: Json) -> Json:
    """The answer to a document: errors come with status 200, beside what could be answered."""
    if who.token is None:
        raise GitHubRefusal(401, "Requires authentication")
    try:
        kind, fields = read(str(body.get("query", "")), body.get("variables") or {})
    except ValueError as error:
        return {"errors": [{"message": f"Parse error: {error}"}]}
    errors: list[Json] = []
    root = _Root(world, who, errors)
    return await _whole(root.mutations() if kind == "mutation" else root.queries(), fields, errors)


async def _whole(root: Fields, fields: Sequence[Field], errors: list[Json]) -> Json:
    data = await _project(root, fields, errors, "Query")
    return {"data": data} | ({"errors": errors} if errors else {})


async def _project(row: Fields, fields: Sequence[Field], errors: list[Json], kind: str) -> Json:
    """The fields that were asked for and no others."""
    shown: Json = {}
    for field in fields:
        if field.on and field.on not in (row.get("__typename"), *row.get("__interfaces", ())):
            continue
        if field.name not in row:
            kind = str(row.get("__typename", kind))
            errors.append({"message": f"Field '{field.name}' doesn't exist on type '{kind}'", "type": "undefinedField"})
            continue
        value = row[field.name]
        shown[field.alias] = await _value(await value(field.arguments) if callable(value) else value, field, errors)
    return shown


async def _value(value: Any, field: Field, errors: list[Json]) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, Mapping):
        return await _project(value, field.fields, errors, field.name)
    if isinstance(value, list):
        return [await _value(item, field, errors) for item in value]
    return value


class _Root:
    def __init__(self, world: World, who: Caller, errors: list[Json]) -> None:
        self._world, self._who, self._errors = world, who, errors

    def queries(self) -> Fields:
        return {
            "repository": self._repository,
            "nodes": self._nodes,
            "node": self._node,
            "viewer": _actor(self._who.user) if self._who.user else None,
            "rateLimit": {
                "cost": 1,
                "limit": LIMIT,
                "remaining": self._world.remaining,
                "resetAt": stamp(self._world.now()),
            },
        }

    def mutations(self) -> Fields:
        return {
            "minimizeComment": self._minimize,
            "resolveReviewThread": partial(self._settle, is_resolved=True),
            "unresolveReviewThread": partial(self._settle, is_resolved=False),
        }

    async def _repository(self, arguments: Mapping[str, Any]) -> Fields | None:
        where = self._world.repository(str(arguments.get("owner")), str(arguments.get("name")))
        if where is None or not self._may(where, ("metadata",), "read"):
            name = f"{arguments.get('owner')}/{arguments.get('name')}"
            return self._missing("repository", f"Could not resolve to a Repository with the name '{name}'.")

        async def one(arguments: Mapping[str, Any]) -> Fields | None:
            if not self._may(where, ("pull_requests",), "read"):
                return self._missing("repository", "Resource not accessible by integration", "FORBIDDEN")
            pull = where.pulls.get(arguments.get("number") or 0)
            if pull is None:
                return self._missing("repository", "Could not resolve to a PullRequest with that number.")
            return {**_pull(self._world, pull), "closingIssuesReferences": partial(self._closes, pull)}

        async def several(arguments: Mapping[str, Any]) -> Fields:
            """Those in one of the states; the last that changed first."""
            if not self._may(where, ("pull_requests",), "read"):
                self._missing("repository", "Resource not accessible by integration", "FORBIDDEN")
                return await _connection([], arguments)
            states, order = arguments.get("states") or (), arguments.get("orderBy") or {}
            wanted = {states} if isinstance(states, str) else set(states)
            rows = [pull for pull in where.pulls.values() if not wanted or pull.state.upper() in wanted]
            key = "updated_at" if order.get("field") == "UPDATED_AT" else "created_at"
            rows.sort(key=lambda pull: (getattr(pull, key), pull.number), reverse=order.get("direction") == "DESC")
            return await _connection([_in_list(pull) for pull in rows], arguments)

        return {
            "__typename": "Repository",
            "nameWithOwner": where.full_name,
            "pullRequest": one,
            "pullRequests": several,
        }

    async def _closes(self, pull: Pull, arguments: Mapping[str, Any]) -> Fields | None:
        """The issues that the description closes by GitHub's words, of other repositories too."""
        if not self._may(pull.repository, ("issues",), "read"):
            return self._missing("repository", "Resource not accessible by integration", "FORBIDDEN")
        rows = []
        for name, number in dict.fromkeys(CLOSING.findall(pull.body or "")):
            where = self._world.repository(*name.split("/")) if name else pull.repository
            found = where.issues.get(int(number)) if where else None
            if where and found:
                owner = {"__typename": "Repository", "nameWithOwner": where.full_name}
                rows.append(
                    {
                        "__typename": "Issue",
                        "number": int(number),
                        "title": found[0],
                        "body": found[1],
                        "repository": owner,
                    }
                )
        return await _connection(rows, arguments)

    async def _nodes(self, arguments: Mapping[str, Any]) -> list[Fields | None]:
        return [await self._node({"id": one}) for one in arguments.get("ids") or ()]

    async def _node(self, arguments: Mapping[str, Any]) -> Fields | None:
        known = self._world.node(str(arguments.get("id")))
        if known is None:
            return self._missing("nodes", f"Could not resolve to a node with the global id of '{arguments.get('id')}'")
        return _comment(known[1])

    async def _minimize(self, arguments: Mapping[str, Any]) -> Fields | None:
        asked = arguments.get("input") or {}
        if asked.get("classifier") not in CLASSIFIERS:
            return self._missing(
                "minimizeComment", f"Argument 'classifier' has an invalid value {asked.get('classifier')}"
            )
        comment = self._writable(asked, "minimizeComment")
        if comment is None:
            return None
        comment.hide_reason = str(asked["classifier"]).lower().replace("_", "-")
        return {"minimizedComment": _comment(comment)}

    async def _settle(self, arguments: Mapping[str, Any], *, is_resolved: bool) -> Fields | None:
        """Mark a thread as resolved or not: GitHub wants `contents: write` for it, beside `pull_requests: write`."""
        name, wanted = "resolveReviewThread", str((arguments.get("input") or {}).get("threadId"))
        rows = (
            (pull, one)
            for where in self._world.repositories.values()
            for pull in where.pulls.values()
            for one in pull.review_comments
            if one.reply_to is None and wanted == f"{THREAD}{one.id}"
        )
        known = next(rows, None)
        if known is None:
            return self._missing(name, f"Could not resolve to a node with the global id of '{wanted}'")
        pull, top = known
        if not all(self._may(pull.repository, (permission,), "write") for permission in ("contents", "pull_requests")):
            return self._missing(name, "Resource not accessible by integration", "FORBIDDEN")
        top.is_resolved = is_resolved
        return {"thread": await _thread(pull, top)}

    def _writable(self, arguments: Mapping[str, Any], name: str) -> Comment | None:
        known = self._world.node(str(arguments.get("subjectId")))
        if known is None:
            self._missing(name, f"Could not resolve to a node with the global id of '{arguments.get('subjectId')}'")
            return None
        talk = access.TALK if type(known[1]) is Comment else ("pull_requests",)
        if not self._may(known[0].repository, talk, "write"):
            self._missing(name, "Resource not accessible by integration", "FORBIDDEN")
            return None
        return known[1]

    def _may(self, where: Any, permissions: tuple[str, ...], level: str) -> bool:  # noqa: ANN401 - a Repository
        try:
            access.enter(self._world, self._who, where, permissions, level)
        except GitHubRefusal:
            return False
        return True

    def _missing(self, path: str, message: str, kind: str = "NOT_FOUND") -> Fields | None:
        self._errors.append({"type": kind, "path": [path], "message": message})
        return None


def _actor(who: User) -> Fields:
    return {"__typename": who.type, "login": who.login.removesuffix("[bot]")}


def _comment(one: Comment) -> Fields:
    row = {
        "__typename": TYPES[type(one)],
        "__interfaces": ("Node", "Comment", "Minimizable"),
        "id": node_id(one),
        "databaseId": one.id,
        "body": one.body,
        "author": _actor(one.user),
        "createdAt": stamp(one.created_at),
        "isMinimized": bool(one.hide_reason),
        "minimizedReason": one.hide_reason or None,
        "viewerCanMinimize": True,
    }
    if isinstance(one, Review):
        row |= {"state": one.state, "commit": {"oid": one.commit}}
    return row


def _pull(world: World, pull: Pull) -> Fields:
    async def threads(arguments: Mapping[str, Any]) -> Fields:
        tops = [one for one in pull.review_comments if one.reply_to is None]
        return await _connection([await _thread(pull, one) for one in tops], arguments)

    async def reviews(arguments: Mapping[str, Any]) -> Fields:
        return await _connection([_comment(one) for one in pull.reviews if one.state != "PENDING"], arguments)

    async def comments(arguments: Mapping[str, Any]) -> Fields:
        return await _connection([_comment(one) for one in pull.comments], arguments)

    return {
        "__typename": "PullRequest",
        "id": f"PR_kwDO{pull.id}",
        "number": pull.number,
        "headRefOid": pull.head_sha,
        "baseRefName": pull.base,
        "isDraft": pull.draft,
        "isInMergeQueue": False,
        "state": "MERGED" if pull.is_merged else pull.state.upper(),
        "author": _actor(world.users[pull.author.login]),
        "reviewThreads": threads,
        "reviews": reviews,
        "comments": comments,
    }


async def _thread(pull: Pull, top: ReviewComment) -> Fields:
    line, start = await place(pull, top)
    inside = [top, *(one for one in pull.review_comments if one.reply_to == top.id)]

    async def comments(arguments: Mapping[str, Any]) -> Fields:
        return await _connection([_comment(one) for one in inside], arguments)

    return {
        "__typename": "PullRequestReviewThread",
        "id": f"{THREAD}{top.id}",
        "isResolved": top.is_resolved,
        "isOutdated": top.subject == "line" and line is None,
        "path": top.path,
        "line": line,
        "startLine": start,
        "originalLine": top.line,
        "diffSide": top.side,
        "subjectType": top.subject.upper(),
        "comments": comments,
    }


def _in_list(pull: Pull) -> Fields:
    return {
        "__typename": "PullRequest",
        "number": pull.number,
        "headRefOid": pull.head_sha,
        "baseRefName": pull.base,
    }


async def _connection(rows: Sequence[Fields], arguments: Mapping[str, Any]) -> Fields:
    size, after = min(int(arguments.get("first") or 100), 100), int(arguments.get("after") or 0)
    part = rows[after : after + size]
    more = after + size < len(rows)
    return {
        "totalCount": len(rows),
        "pageInfo": {"hasNextPage": more, "endCursor": str(after + len(part)) if part else None},
        "nodes": list(part),
    }
