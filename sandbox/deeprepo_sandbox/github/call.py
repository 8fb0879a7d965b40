"""One request to the API as its operation sees it, and what can be answered."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urlencode

from deeprepo_sandbox.github.description import Operation
from deeprepo_sandbox.github.things import App, Comment, Json, Pull, Repository, ReviewComment, Token, User
from deeprepo_sandbox.github.world import World

MOST_A_PAGE = 100
DOCS = "https://docs.github.com/rest"
Thing = TypeVar("Thing")
Written = TypeVar("Written", bound=Comment)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: an App by its JWT, somebody by a token, or nobody in particular."""

    user: User | None = None
    app: App | None = None  # proven by a JWT
    token: Token | None = None
    client: App | None = None  # proven by its client secret


@dataclass(frozen=True, slots=True)
class Answer:
    """What is sent back. A text is sent as it is, everything else as JSON, None as nothing."""

    status: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


class GitHubRefusal(Exception):  # noqa: N818 - becomes GitHub's own answer
    """The request breaks one of GitHub's rules."""

    def __init__(self, status: int, message: str, errors: Sequence[str | Json] = ()) -> None:
        super().__init__(message)
        said: Json = {"message": message, "documentation_url": DOCS, "status": str(status)}
        self.answer = Answer(status, said | ({"errors": list(errors)} if errors else {}))


@dataclass(frozen=True, slots=True)
class Call:
    """One request. `params` are those of its path, numbers as numbers."""

    world: World
    operation: Operation
    caller: Caller
    params: Mapping[str, Any]
    query: Mapping[str, str]
    body: Json
    path: str = ""  # as it was sent, without the query
    accept: str = ""

    @property
    def repository(self) -> Repository:
        """The repository that the path names."""
        return find_or_404(self.world.repository(self.params["owner"], self.params["repo"]))

    @property
    def pull(self) -> Pull:
        """The pull request that the path names."""
        number = self.params.get("pull_number", self.params.get("issue_number"))
        return find_or_404(self.repository.pulls.get(int(number or 0)))

    def comment(self, kind: type[Written]) -> tuple[Pull, Written]:
        """The comment of this kind that the path names, and its pull request."""
        for pull in self.repository.pulls.values():
            for one in pull.review_comments if kind is ReviewComment else pull.comments:
                if isinstance(one, kind) and one.id == self.params["comment_id"]:
                    return pull, one
        return find_or_404(None)

    def own_comment(self, kind: type[Written]) -> tuple[Pull, Written]:
        """Return the comment and its pull request. Only the comment's author may change it."""
        pull, one = self.comment(kind)
        self.only(one.user)
        return pull, one

    def only(self, writer: User) -> None:
        """Refuse anybody but who wrote something."""
        if writer is not self.user:
            raise GitHubRefusal(403, "Resource not accessible by integration")

    @property
    def user(self) -> User:
        """Who writes."""
        if self.caller.user is None:
            raise GitHubRefusal(401, "Requires authentication")
        return self.caller.user

    def pages(self, items: Sequence[Any], wrap: Callable[[list[Any]], Any] = list) -> Answer:
        """The page of a list that was asked for, with the addresses of the others."""
        size = min(max(_number(self.query, "per_page", 30), 1), MOST_A_PAGE)
        page = max(_number(self.query, "page", 1), 1)
        last = max(-(-len(items) // size), 1)
        links = {"prev": page - 1, "next": page + 1, "last": last, "first": 1}
        shown = [
            name
            for name in links
            if (name in {"next", "last"} and page < last) or (name in {"prev", "first"} and page > 1)
        ]
        asked = {name: value for name, value in self.query.items() if name != "page"}
        link = ", ".join(
            f'<{self.world.api}{self.path}?{urlencode({**asked, "page": links[name]})}>; rel="{name}"' for name in shown
        )
        part = wrap(list(items[(page - 1) * size : page * size]))
        return Answer(200, part, {"link": link} if link else {})


Do = Callable[[Call], Awaitable[Answer]]


def find_or_404(thing: Thing | None) -> Thing:
    """The thing, or GitHub's 404."""
    if thing is None:
        raise GitHubRefusal(404, "Not Found")
    return thing


def invalid(resource: str, field_name: str, code: str = "invalid", message: str = "") -> GitHubRefusal:
    """GitHub's 422 with one error."""
    error = {"resource": resource, "code": code, "field": field_name} | ({"message": message} if message else {})
    return GitHubRefusal(422, "Validation Failed", [error])


def _number(query: Mapping[str, str], name: str, default: int) -> int:
    value = query.get(name, "")
    return int(value) if value.isdecimal() else default
