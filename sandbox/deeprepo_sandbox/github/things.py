"""What a GitHub keeps: people, repositories, pull requests and everything that is written on them.

These are the only values of the product that change: each stands for a row in somebody else's database.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

Json = dict[str, Any]
Permission = Literal["admin", "write", "read", "none"]
Side = Literal["RIGHT", "LEFT"]


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """What lies at a path if it is not a plain file: an executable, a link with its target, or a submodule with its commit."""

    content: str | bytes
    mode: Literal["100755", "120000", "160000"] = "100755"


Files = Mapping[str, str | bytes | TreeEntry | None]  # path and new content, None: deleted


@dataclass(slots=True, eq=False)
class User:
    """Somebody with a name: a person, an organisation, or an App's own login."""

    id: int
    login: str
    type: Literal["User", "Bot", "Organization"] = "User"


@dataclass(slots=True, eq=False)
class App:
    """A GitHub App: its key, where its webhooks go and what it may do."""

    id: int
    slug: str
    name: str
    owner: User
    bot: User
    public_key: str
    private_key: str = field(repr=False)
    secret: str = field(repr=False)
    webhook: str | None
    permissions: dict[str, str]
    events: tuple[str, ...]
    created_at: datetime
    callbacks: tuple[str, ...] = ()  # where people may be sent back to after they have agreed

    @property
    def client_id(self) -> str:
        """The name that the web flow knows it by."""
        return f"Iv23li{self.id:014d}"

    @property
    def client_secret(self) -> str:
        """What it proves itself with in the web flow."""
        return f"secret-of-{self.slug}"


@dataclass(slots=True, eq=False)
class Installation:
    """An App on an account: on all of its repositories, or on those with these ids."""

    id: int
    app: App
    account: User
    created_at: datetime
    chosen_repositories: set[int] | None = None
    suspended_at: datetime | None = None


@dataclass(slots=True, eq=False)
class Token:
    """What a token opens, until when. Its text is the key under which it is kept."""

    user: User
    app: App | None
    installation: Installation | None
    permissions: dict[str, str]
    repositories: frozenset[int] | None  # None: all that its owner can see
    expires: datetime


@dataclass(slots=True, eq=False)
class Reaction:
    """An emoji under a comment."""

    id: int
    user: User
    content: str
    created_at: datetime


@dataclass(slots=True, eq=False, kw_only=True)
class Comment:
    """A comment in the conversation of a pull request."""

    id: int
    user: User
    body: str
    created_at: datetime
    updated_at: datetime
    app: App | None = None  # the App that wrote it
    hide_reason: str = ""  # the classifier under which it was minimised, as GitHub shows it: "outdated"
    reactions: list[Reaction] = field(default_factory=list)


@dataclass(slots=True, eq=False, kw_only=True)
class ReviewComment(Comment):
    """A comment on lines of the diff, or on a file of it. `commit` and the lines are those of the day it was written."""

    review: int
    path: str
    commit: str
    hunk: str
    subject: Literal["line", "file"] = "line"
    line: int | None = None
    side: Side = "RIGHT"
    start_line: int | None = None
    start_side: Side | None = None
    reply_to: int | None = None
    is_resolved: bool = False  # of the thread that it begins


@dataclass(slots=True, eq=False, kw_only=True)
class Review(Comment):
    """A review: its text, its verdict, the commit it was written for."""

    state: str
    commit: str
    dismissal: str = ""  # why


@dataclass(slots=True, eq=False)
class Check:
    """A check run."""

    id: int
    app: App
    name: str
    head: str
    suite: int
    status: str = "queued"
    conclusion: str | None = None
    external_id: str = ""
    details_url: str = ""
    started_at: datetime | None = None
    completed_at: datetime | None = None
    title: str | None = None
    summary: str | None = None
    text: str | None = None
    annotations: list[Json] = field(default_factory=list)
    actions: list[Json] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Repository:
    """A repository: a bare git repository on disk, and who may do what with it."""

    id: int
    owner: User
    name: str
    git: Path
    created_at: datetime
    private: bool = False
    internal: bool = False  # of a private one: everybody in the enterprise may read it
    default_branch: str = "main"
    parent: "Repository | None" = None  # what it was forked from
    people: dict[str, Permission] = field(default_factory=dict)
    private_members: set[str] = field(default_factory=set)  # logins whose membership of the organization is private
    pulls: "dict[int, Pull]" = field(default_factory=dict)
    issues: dict[int, tuple[str, str]] = field(default_factory=dict)  # title and body, by number
    checks: dict[int, Check] = field(default_factory=dict)
    runs: list["WorkflowRun"] = field(default_factory=list)
    protected_branches: set[str] = field(default_factory=set)  # branches
    rules: dict[str, str] = field(default_factory=dict)  # branch and what a ruleset says to who points it elsewhere
    queued_suites: set[int] = field(default_factory=set)  # suites that were rerequested, and nobody has begun again
    is_deleted: bool = False

    @property
    def full_name(self) -> str:
        """Owner and name, as in its address."""
        return f"{self.owner.login}/{self.name}"


@dataclass(slots=True, eq=False, kw_only=True)
class Pull:
    """A pull request and its conversation."""

    id: int
    number: int
    repository: Repository
    title: str
    body: str | None
    author: User
    base: str  # a branch
    base_sha: str
    head: str  # a branch of `source`
    head_sha: str
    source: Repository  # where the branch lives: the repository itself, or a fork
    created_at: datetime
    updated_at: datetime
    draft: bool = False
    state: Literal["open", "closed"] = "open"
    is_merged: bool = False
    is_locked: bool = False
    closed_at: datetime | None = None
    labels: list[str] = field(default_factory=list)
    push_times: dict[str, datetime] = field(default_factory=dict)  # when each later head arrived
    comments: list[Comment] = field(default_factory=list)
    review_comments: list[ReviewComment] = field(default_factory=list)
    reviews: list[Review] = field(default_factory=list)

    @property
    def checks(self) -> list[Check]:
        """The check runs of its head."""
        return [check for check in self.repository.checks.values() if check.head == self.head_sha]


@dataclass(slots=True, eq=False)
class Delivery:
    """One attempt to hand a webhook over."""

    id: int
    guid: str
    event: str
    action: str | None
    payload: Json
    installation: int | None
    repository: int | None
    delivered_at: datetime
    redelivery: bool = False
    duration: float = 0.0
    status: str = "pending"
    status_code: int = 0


@dataclass(frozen=True, slots=True)
class SeenRequest:
    """A request that has arrived, and what was answered. `login` says whose token it carried."""

    method: str
    path: str  # with the query
    operation: str  # GitHub's name for it, "" where there is none
    status: int
    body: Any  # as parsed, or None
    login: str


@dataclass(slots=True)
class WorkflowRun:
    """One run of a workflow."""

    id: int
    created_at: datetime
    source: Repository | None  # of its head, None when the fork was deleted
    path: str = ".github/workflows/review.yml"
    event: str = "pull_request_target"
    attempt: int = 1
    status: str = "completed"
    conclusion: str | None = "cancelled"
    actor: User | None = None  # who has caused it; None: somebody of GitHub's example
    head: str = ""  # the commit; "": that of GitHub's example
