"""GitHub's JSON as our values. Slim: a field that nobody reads cannot break anything."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AliasChoices, AliasPath, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, ValidationError

from bot.errors import HostError
from bot.github.identity import Voice
from bot.values import (
    Bases,
    Check,
    Installed,
    LinkedIssue,
    OpenPull,
    Posted,
    PullFacts,
    PullRef,
    Reacted,
    Sent,
    Thread,
    WorkflowRun,
)

ISSUE_TITLE, ISSUE_BODY = 200, 1_500  # characters of an issue that a model is shown

Shape = TypeVar("Shape", bound=BaseModel)
Text = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]  # null is an empty text


def at(*path: str | int, default: Any = ...) -> Any:  # noqa: ANN401 - a field of any type
    """Take a field from deeper in the JSON."""
    return Field(default, validation_alias=AliasPath(*map(str, path)))


class Slim(BaseModel):
    """What every shape has in common: what is not named is ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class _Label(Slim):
    name: str = ""


class _Pull(Slim):
    title: str
    body: Text = ""
    author: Text = at("user", "login", default="")
    author_type: Text = at("user", "type", default="")
    draft: bool = False
    state: Literal["open", "closed"]
    merged: bool = False
    base_ref: str = at("base", "ref")
    base_sha: str = at("base", "sha")
    head_ref: str = at("head", "ref")
    head_sha: str = at("head", "sha")
    url: str = at("html_url")
    changed_files: int = 0
    additions: int = 0
    deletions: int = 0
    repository: str = at("base", "repo", "full_name")
    pages: Text = at("base", "repo", "html_url", default="")
    labels: tuple[_Label, ...] = ()
    home: int = at("base", "repo", "id")
    origin: int = at("head", "repo", "id", default=0)  # gone with its fork


class _Comment(Slim):
    """A comment of either kind, or a review: they differ in what is missing. Its author may be a deleted account, which is nobody."""

    id: int
    node_id: Text = ""
    body: Text = ""
    author: Text = at("user", "login", default="")
    type: Text = at("user", "type", default="")
    url: Text = at("html_url", default="")
    created: Text = Field("", validation_alias=AliasChoices("created_at", "submitted_at"))
    app: int = at("performed_via_github_app", "id", default=0)
    path: Text = ""
    line: int | None = None
    subject_type: str | None = None
    in_reply_to_id: int | None = None
    head: Text = at("commit_id", default="")
    state: Text = ""
    disliked: int = at("reactions", "-1", default=0)


class _Reaction(Slim):
    login: str = at("user", "login", default="")
    type: str = at("user", "type", default="")
    content: str = ""


class _Issue(Slim):
    number: int
    title: str
    body: Text = ""
    home: str = at("repository", "nameWithOwner")


class _Compared(Slim):
    tip: str = at("base_commit", "sha")
    merge_base: str = at("merge_base_commit", "sha")
    ahead: int = at("ahead_by", default=0)
    behind: int = at("behind_by", default=0)


class _Check(Slim):
    id: int
    external_id: Text = ""
    status: str
    conclusion: Text = ""
    summary: Text = at("output", "summary", default="")
    app: int = at("app", "id", default=0)
    slug: str = at("app", "slug", default="")


class _Thread(Slim):
    comment: int = at("databaseId")
    resolved: bool = at("isResolved", default=False)
    outdated: bool = at("isOutdated", default=False)
    hidden: bool = at("isMinimized", default=False)
    reason: Text = at("minimizedReason", default="")
    node_id: str = at("id", default="")


class _Run(Slim):
    id: int
    event: str
    path: str
    conclusion: str | None
    here: str = at("repository", "full_name")
    origin: str = at("head_repository", "full_name", default="")  # a fork that was deleted has none
    attempts: int = at("run_attempt", default=1)


class _App(Slim):
    id: int
    slug: str


class _Token(Slim):
    token: SecretStr


class _Installation(Slim):
    id: int
    account: Text = Field("", validation_alias=AliasChoices(AliasPath("account", "login"), AliasPath("account", "slug")))
    suspended_at: str | None = None


class _Delivery(Slim):
    id: int
    guid: str
    event: str
    action: Text = ""
    delivered: str = at("delivered_at")
    status: int = at("status_code", default=0)


class _Repository(Slim):
    id: int
    full_name: str
    archived: bool = False


class _Waiting(Slim):
    number: int
    head: str = at("head", "sha")
    draft: bool = False
    updated: str = at("updated_at")


def read(shape: type[Shape], data: Any) -> Shape:  # noqa: ANN401 - JSON
    """Read an answer in our shape. Raises HostError if GitHub answers something else."""
    try:
        return shape.model_validate(data)
    except ValidationError as error:
        where = ".".join(map(str, error.errors()[0]["loc"]))
        raise HostError(f"GitHub's answer lacks what is needed: {shape.__name__.strip('_').lower()} {where}") from None


def pull(data: Any) -> PullFacts:  # noqa: ANN401 - JSON
    """Read a pull request."""
    said = read(_Pull, data)
    fields = said.model_dump(exclude={"home", "origin", "labels"})
    return PullFacts(**fields, fork=said.origin != said.home, labels=tuple(label.name for label in said.labels))


def posted(data: Any, kind: Literal["issue", "review", "whole"], voice: Voice) -> Posted:  # noqa: ANN401 - JSON
    """Read a comment."""
    said = read(_Comment, data)
    return Posted(
        **said.model_dump(exclude={"type", "app", "subject_type", "in_reply_to_id"}),
        kind=kind,
        bot=said.type == "Bot",
        ours=voice.wrote(said.author, said.type, said.app),
        outdated=kind == "review" and said.subject_type != "file" and said.line is None,
        thread=(said.in_reply_to_id or said.id) if kind == "review" else 0,
    )


def reacted(data: Any) -> Reacted | None:  # noqa: ANN401 - JSON
    """Read a reaction, None unless a person gave it."""
    said = read(_Reaction, data)
    return Reacted(said.login, said.content) if said.type == "User" else None


def compared(data: Any) -> Bases:  # noqa: ANN401 - JSON
    """Read where the head left the base branch."""
    return Bases(**read(_Compared, data).model_dump())


def checks(rows: Iterable[Any], voice: Voice) -> tuple[Check, ...]:
    """Read the check runs of a list that are ours; those of other Apps are nobody's business."""
    found = [read(_Check, data) for data in rows]
    ours = [one for one in found if (one.app == voice.app if voice.app else f"{one.slug}[bot]" == voice.login)]
    return tuple(Check(**one.model_dump(exclude={"app", "slug"})) for one in ours)


def check(data: Any) -> Check:  # noqa: ANN401 - JSON
    """Read a check run that we have just made."""
    return Check(**read(_Check, data).model_dump(exclude={"app", "slug"}))


def thread(data: Any) -> Thread | None:  # noqa: ANN401 - JSON
    """Read a review thread, None if its top comment is gone."""
    top = next(iter((data.get("comments") or {}).get("nodes") or ()), None)
    if top is None or top.get("databaseId") is None:
        return None
    said = read(_Thread, {**top, **data})
    hidden = (said.reason or "hidden").lower() if said.hidden else ""
    return Thread(said.comment, said.resolved, said.outdated, hidden, said.node_id)


def issue(data: Any, repository: str) -> LinkedIssue | None:  # noqa: ANN401 - JSON
    """Read an issue; None if it is another repository's."""
    said = read(_Issue, data)
    ours = said.home.lower() == repository.lower()
    return LinkedIssue(said.number, said.title[:ISSUE_TITLE], said.body[:ISSUE_BODY]) if ours else None


def run(data: Any) -> WorkflowRun:  # noqa: ANN401 - JSON
    """Read one run of a workflow. GitHub shows its path with the branch, sometimes with the repository."""
    said = read(_Run, data)
    path = said.path.partition("@")[0].removeprefix(f"{said.here}/")
    skipped = said.conclusion == "skipped"
    return WorkflowRun(said.id, said.event, path, said.origin != said.here, skipped, said.attempts)


def app(data: Any) -> Voice:  # noqa: ANN401 - JSON
    """Read the name that the App writes under."""
    said = read(_App, data)
    return Voice(f"{said.slug}[bot]", said.id)


def token(data: Any) -> SecretStr:  # noqa: ANN401 - JSON
    """Read a new token."""
    return read(_Token, data).token


def installed(data: Any) -> Installed:  # noqa: ANN401 - JSON
    """Read an account that has the App. An enterprise has a slug."""
    said = read(_Installation, data)
    return Installed(said.id, said.account, suspended=said.suspended_at is not None)


def sent(data: Any) -> Sent:  # noqa: ANN401 - JSON
    """Read one attempt of a delivery."""
    return Sent(**read(_Delivery, data).model_dump())


def repository(data: Any) -> tuple[int, str] | None:  # noqa: ANN401 - JSON
    """Read the number and full name of a repository, None if nobody can write in it any more."""
    said = read(_Repository, data)
    return None if said.archived else (said.id, said.full_name)


def waiting(data: Any, installation: int, home: tuple[int, str]) -> OpenPull:  # noqa: ANN401 - JSON
    """Read a pull request in a list."""
    said = read(_Waiting, data)
    owner, _, name = home[1].partition("/")
    return OpenPull(PullRef(installation, home[0], owner, name, said.number), said.head, said.draft, said.updated)
