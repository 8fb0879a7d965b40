"""GitHub's facts about a pull request, reduced to those that deeprepo uses."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from bot.values.ask import CommentKind

Access = Literal["admin", "write", "read", "none"]
CheckConclusion = Literal["success", "neutral", "failure", "skipped", "cancelled"]
AnnotationLevel = Literal["notice", "warning", "failure"]
Hidden = Literal["OUTDATED", "RESOLVED", "DUPLICATE"]


@dataclass(frozen=True, slots=True)
class Voice:
    """Under which name we write, so that our own comments are known again. `app`: the App's number, 0 for a plain token.

    `scope`: the settings file that a workflow names, "" for the usual one. Jobs with different settings write under one name and are different
    reviewers, each with its own comments and memory. `is_in_scope` tells whether a comment is of this scope.
    """

    login: str
    app: int = 0
    scope: str = ""
    is_in_scope: Callable[[str], bool] = field(default=lambda _: True, compare=False)

    def wrote(self, login: str, kind: str, app: int) -> bool:
        """Return whether we are the author. An App's user tokens write under a person's name: that is not us."""
        if not self.app:
            return login == self.login
        return kind == "Bot" and (app == self.app or login == self.login)


@dataclass(frozen=True, slots=True)
class RepositoryFacts:
    """The repository that a pull request is against, as it is now."""

    name: str  # "owner/name" as it is called today: a renamed one answers under its old name too
    pages: str = ""  # what permalinks begin with
    default_branch: str = ""  # whichever branch the pull request is against
    private: bool = False  # where nobody knows, everybody may read it


@dataclass(frozen=True, slots=True)
class PullFacts:
    """A pull request as it is now, which need not be as it was when it was asked for."""

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
    url: str  # of its page
    changed_files: int
    additions: int
    deletions: int
    repository: RepositoryFacts
    head_repository: int = 0  # its id; 0: it is gone

    @property
    def source(self) -> str:
        """The repository and branch of the head, or "" if the repository no longer exists."""
        return f"{self.head_repository}:{self.head_ref}" if self.head_repository else ""


@dataclass(frozen=True, slots=True)
class Bases:
    """Where a head left its base branch: the branch's tip, their common ancestor, and how many commits lie after it."""

    tip: str
    merge_base: str
    ahead: int
    behind: int


@dataclass(frozen=True, slots=True)
class PostedComment:
    """A comment that is on the pull request.

    `kind`: "issue" in the conversation, "review" on lines or a file, "whole" the text of a review. `ours`: written by our own
    login; nothing else may be believed a marker.
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
    is_outdated: bool = False  # the lines that it stood on are gone
    thread: int = 0  # the top comment of the thread it stands in, itself included; 0: in none
    head: str = ""  # the commit that it speaks of, where it names one
    state: str = ""  # of a review: "COMMENTED", "CHANGES_REQUESTED", "DISMISSED"
    dislikes: int = 0  # how many reactions of 👎 it has


@dataclass(frozen=True, slots=True)
class Thread:
    """A review thread by its top comment: what a person resolved, what a push has outdated, what is minimised and why."""

    comment: int
    is_resolved: bool
    is_outdated: bool
    hidden_reason: str = ""  # "outdated", "resolved", "spam"; empty: it is shown
    node_id: str = ""  # by which GraphQL knows it


@dataclass(frozen=True, slots=True)
class Annotation:
    """One line of a check run's own list, as plain words."""

    path: str
    start: int
    end: int
    level: AnnotationLevel
    title: str
    message: str


@dataclass(frozen=True, slots=True)
class CheckRun:
    """One of the App's check runs. `summary` begins with our marker."""

    id: int
    external_id: str
    status: str
    conclusion: str
    summary: str
    title: str = ""
    text: str = ""
    head: str = ""  # the commit that it is on

    @property
    def is_over(self) -> bool:
        """Whether it has its conclusion."""
        return self.status == "completed"
