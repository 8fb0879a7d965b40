"""GitHub's JSON as our values. Slim: a field that nobody reads cannot break anything."""

from collections.abc import Iterable
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bot.errors import HostError
from bot.github.identity import Voice
from bot.values import Bases, Check, LinkedIssue, Posted, PullFacts, Reacted, Thread, WorkflowRun

ISSUE_TITLE, ISSUE_BODY = 200, 1_500  # characters of an issue that a model is shown

Shape = TypeVar("Shape", bound=BaseModel)


class Slim(BaseModel):
    """What every shape has in common: what is not named is ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class _User(Slim):
    login: str = ""
    type: str = ""


class _App(Slim):
    id: int = 0
    slug: str = ""


class _Repository(Slim):
    id: int
    full_name: str
    html_url: str = ""
    default_branch: str = ""


class _End(Slim):
    ref: str
    sha: str
    repo: _Repository | None = None


class _Label(Slim):
    name: str = ""


class _Pull(Slim):
    title: str
    body: str | None = None
    user: _User | None = None
    draft: bool = False
    state: Literal["open", "closed"]
    merged: bool = False
    base: _End
    head: _End
    labels: tuple[_Label, ...] = ()
    html_url: str
    changed_files: int = 0
    additions: int = 0
    deletions: int = 0


class _Rollup(Slim):
    """How often each reaction was given."""

    down: int = Field(default=0, alias="-1")


class _Reaction(Slim):
    user: _User | None = None
    content: str = ""


class _Comment(Slim):
    """A comment of either kind, or a review: they differ in what is missing."""

    id: int
    node_id: str = ""
    body: str | None = None
    user: _User | None = None
    html_url: str = ""
    created_at: str = ""
    submitted_at: str | None = None
    updated_at: str = ""
    performed_via_github_app: _App | None = None
    path: str = ""
    line: int | None = None
    subject_type: str | None = None
    in_reply_to_id: int | None = None
    commit_id: str | None = None
    state: str = ""
    reactions: _Rollup | None = None


class _IssueHome(Slim):
    nameWithOwner: str  # noqa: N815 - GraphQL's spelling


class _Issue(Slim):
    number: int
    title: str
    body: str = ""
    repository: _IssueHome


class _Commit(Slim):
    sha: str


class _Compared(Slim):
    base_commit: _Commit
    merge_base_commit: _Commit
    ahead_by: int = 0
    behind_by: int = 0


class _Output(Slim):
    title: str | None = None
    summary: str | None = None
    text: str | None = None


class _Check(Slim):
    id: int
    head_sha: str = ""
    external_id: str | None = None
    status: str
    conclusion: str | None = None
    output: _Output = Field(default_factory=_Output)
    app: _App | None = None


class _Top(Slim):
    databaseId: int | None = None  # noqa: N815 - GraphQL's name
    isMinimized: bool = False  # noqa: N815
    minimizedReason: str | None = None  # noqa: N815


class _Tops(Slim):
    nodes: tuple[_Top, ...] = ()


class _Thread(Slim):
    id: str = ""
    isResolved: bool = False  # noqa: N815
    isOutdated: bool = False  # noqa: N815
    comments: _Tops = Field(default_factory=_Tops)


class _Named(Slim):
    full_name: str


class _Run(Slim):
    id: int
    event: str
    path: str
    conclusion: str | None
    repository: _Named
    head_repository: _Named | None
    run_attempt: int = 1


def read(shape: type[Shape], data: Any) -> Shape:  # noqa: ANN401 - JSON
    """The answer in our shape. Raises HostError where GitHub answers something else."""
    try:
        return shape.model_validate(data)
    except ValidationError as error:
        where = ".".join(map(str, error.errors()[0]["loc"]))
        raise HostError(f"GitHub's answer lacks what is needed: {shape.__name__.strip('_').lower()} {where}") from None


def pull(data: Any) -> PullFacts:  # noqa: ANN401 - JSON
    """A pull request. The base's repository is always there; the head's is gone with its fork."""
    said = read(_Pull, data)
    author, home, origin = said.user or _User(), said.base.repo, said.head.repo
    if home is None:
        raise HostError("GitHub's answer lacks what is needed: the pull request's repository")
    return PullFacts(
        title=said.title,
        body=said.body or "",
        author=author.login,
        author_type=author.type,
        draft=said.draft,
        state=said.state,
        merged=said.merged,
        base_ref=said.base.ref,
        base_sha=said.base.sha,
        head_ref=said.head.ref,
        head_sha=said.head.sha,
        fork=origin is None or origin.id != home.id,
        labels=tuple(label.name for label in said.labels),
        url=said.html_url,
        changed_files=said.changed_files,
        additions=said.additions,
        deletions=said.deletions,
        repository=home.full_name,
        pages=home.html_url,
        default_branch=home.default_branch,
    )


def posted(data: Any, kind: Literal["issue", "review", "whole"], voice: Voice) -> Posted:  # noqa: ANN401 - JSON
    """A comment; its author may be a deleted account, which is nobody."""
    said = read(_Comment, data)
    author, app = said.user or _User(), said.performed_via_github_app or _App()
    on_lines = kind == "review" and said.subject_type != "file"
    return Posted(
        id=said.id,
        node_id=said.node_id,
        kind=kind,
        body=said.body or "",
        author=author.login,
        bot=author.type == "Bot",
        ours=voice.wrote(author.login, author.type, app.id),
        url=said.html_url,
        created=said.created_at or said.submitted_at or "",
        updated=said.updated_at,
        path=said.path,
        line=said.line,
        outdated=on_lines and said.line is None,
        thread=(said.in_reply_to_id or said.id) if kind == "review" else 0,
        head=said.commit_id or "",
        state=said.state,
        disliked=said.reactions.down if said.reactions else 0,
    )


def reacted(data: Any) -> Reacted | None:  # noqa: ANN401 - JSON
    """A reaction, None unless a person gave it."""
    said = read(_Reaction, data)
    return Reacted(said.user.login, said.content) if said.user and said.user.type == "User" else None


def compared(data: Any) -> Bases:  # noqa: ANN401 - JSON
    """Where the head left the base branch."""
    said = read(_Compared, data)
    return Bases(said.base_commit.sha, said.merge_base_commit.sha, said.ahead_by, said.behind_by)


def checks(rows: Iterable[Any], voice: Voice) -> tuple[Check, ...]:
    """The check runs of a list that are ours; those of other Apps are nobody's business."""
    read_rows = [read(_Check, data) for data in rows]
    return tuple(_check(said) for said in read_rows if _ours(said.app or _App(), voice))


def check(data: Any) -> Check:  # noqa: ANN401 - JSON
    """A check run that we have just made."""
    return _check(read(_Check, data))


def _check(said: _Check) -> Check:
    output = said.output
    return Check(
        id=said.id,
        external_id=said.external_id or "",
        status=said.status,
        conclusion=said.conclusion or "",
        summary=output.summary or "",
        title=output.title or "",
        text=output.text or "",
        head=said.head_sha,
    )


def _ours(app: _App, voice: Voice) -> bool:
    return app.id == voice.app if voice.app else f"{app.slug}[bot]" == voice.login


def thread(data: Any) -> Thread | None:  # noqa: ANN401 - JSON
    """A review thread, None where its top comment is gone."""
    said = read(_Thread, data)
    top = next(iter(said.comments.nodes), None)
    if top is None or top.databaseId is None:
        return None
    hidden = (top.minimizedReason or "hidden").lower() if top.isMinimized else ""
    return Thread(top.databaseId, said.isResolved, said.isOutdated, hidden, said.id)


def issue(data: Any, repository: str) -> LinkedIssue | None:  # noqa: ANN401 - JSON
    """An issue; None if it is another repository's."""
    said = read(_Issue, data)
    if said.repository.nameWithOwner.lower() != repository.lower():
        return None
    return LinkedIssue(said.number, said.title[:ISSUE_TITLE], said.body[:ISSUE_BODY])


def run(data: Any) -> WorkflowRun:  # noqa: ANN401 - JSON
    """One run of a workflow."""
    said = read(_Run, data)
    here = said.repository.full_name
    fork = said.head_repository is None or said.head_repository.full_name != here  # a fork that was deleted has none
    # GitHub shows it with the branch, sometimes with the repository.
    path = said.path.partition("@")[0].removeprefix(f"{here}/")
    return WorkflowRun(said.id, said.event, path, fork, said.conclusion == "skipped", said.run_attempt)
