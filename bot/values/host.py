"""The data from GitHub that deeprepo uses: pull requests, comments, threads and check runs."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from bot.values.job import CommentKind

Access = Literal["admin", "write", "read", "none"]
CheckConclusion = Literal["success", "neutral", "failure", "skipped", "cancelled"]
AnnotationLevel = Literal["notice", "warning", "failure"]
Hidden = Literal["OUTDATED", "RESOLVED", "DUPLICATE"]


@dataclass(frozen=True, slots=True)
class BotIdentity:
    """The account under which the bot writes, by which it recognizes its own comments.

    `app` is the App's ID, or 0 for a plain token. `scope` is the settings file that a workflow sets, or ""
    for the default file. Workflow jobs with different settings files share an account but act as separate
    reviewers, each with its own comments. `is_in_scope` returns whether a comment's text has this scope.
    """

    login: str
    app: int = 0
    scope: str = ""
    is_in_scope: Callable[[str], bool] = field(default=lambda _: True, compare=False)

    def wrote(self, login: str, kind: str, app: int) -> bool:
        """Return whether the author with this login, account type ("User" or "Bot") and App ID is the bot.

        What an App writes with a user's token appears under the user's name and doesn't count.
        """
        if not self.app:
            return login == self.login
        return kind == "Bot" and (app == self.app or login == self.login)


@dataclass(frozen=True, slots=True)
class RepositoryFacts:
    """The repository that a pull request targets, as GitHub reports it now."""

    name: str  # the current "owner/name"; GitHub also accepts the old name of a renamed repository
    pages: str = ""  # the URL prefix of permalinks
    default_branch: str = ""  # not necessarily the branch that the pull request targets
    private: bool = False  # False if unknown


@dataclass(frozen=True, slots=True)
class PullFacts:
    """A pull request as GitHub reports it now. It may have changed since the webhook delivery."""

    title: str
    body: str
    author: str
    author_type: str  # "User", "Bot", "Mannequin"
    draft: bool
    state: Literal["open", "closed"]
    merged: bool
    base_ref: str
    base_sha: str
    head_ref: str
    head_sha: str
    fork: bool
    labels: tuple[str, ...]
    url: str  # the address of its page
    changed_files: int
    additions: int
    deletions: int
    repository: RepositoryFacts
    head_repository: int = 0  # the ID of the head's repository; 0 if it no longer exists

    @property
    def source(self) -> str:
        """The head's repository ID and branch, or "" if the repository no longer exists."""
        return f"{self.head_repository}:{self.head_ref}" if self.head_repository else ""


@dataclass(frozen=True, slots=True)
class Bases:
    """How the head compares with the base branch."""

    tip: str  # the base branch's last commit
    merge_base: str
    ahead: int  # commits on the head since the merge base
    behind: int  # commits on the base branch since the merge base


@dataclass(frozen=True, slots=True)
class PostedComment:
    """A comment on the pull request.

    `kind` is "issue" in the conversation, "review" on lines or a file, and "whole" for the text of a review.
    `ours` says whether this bot wrote it. Only then are the markers in it trusted.
    """

    id: int
    node_id: str
    kind: CommentKind
    body: str
    author: str
    bot: bool
    ours: bool
    url: str
    created_at: str
    path: str = ""
    line: int | None = None
    is_outdated: bool = False  # whether its lines no longer exist
    thread: int = 0  # the ID of the first comment in its thread; 0 if it is in none
    head: str = ""  # the commit that it refers to, if any
    state: str = ""  # the state of a review, such as "COMMENTED", "CHANGES_REQUESTED" or "DISMISSED"


@dataclass(frozen=True, slots=True)
class Thread:
    """The state of a review thread."""

    comment: int  # the ID of the first comment
    is_resolved: bool
    is_outdated: bool
    hidden_reason: str = ""  # why it is minimized: "outdated", "resolved" or "spam"; empty if it isn't
    node_id: str = ""  # its ID in GraphQL


@dataclass(frozen=True, slots=True)
class Annotation:
    """An annotation of a check run, as plain text."""

    path: str
    start: int
    end: int
    level: AnnotationLevel
    title: str
    message: str


@dataclass(frozen=True, slots=True)
class CheckRun:
    """One of the bot's own check runs. `summary` begins with the bot's marker."""

    id: int
    external_id: str
    status: str
    conclusion: str
    summary: str
    title: str = ""
    text: str = ""
    head: str = ""  # the commit that it belongs to

    @property
    def is_over(self) -> bool:
        """Whether it is completed."""
        return self.status == "completed"
