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
    """The identity under which we write, to recognize our own comments.

    `app` is the App's ID, or 0 for a plain token. `scope` is the settings file that a workflow names, or ""
    for the usual one. Jobs with different settings share a name but are separate reviewers, each with its own
    comments and memory. `is_in_scope` decides whether a comment belongs to this scope.
    """

    login: str
    app: int = 0
    scope: str = ""
    is_in_scope: Callable[[str], bool] = field(default=lambda _: True, compare=False)

    def wrote(self, login: str, kind: str, app: int) -> bool:
        """Return whether we are the author.

        An App's user token writes under a person's name, which doesn't count.
        """
        if not self.app:
            return login == self.login
        return kind == "Bot" and (app == self.app or login == self.login)


@dataclass(frozen=True, slots=True)
class RepositoryFacts:
    """The repository that a pull request targets, in its current state."""

    name: str  # current "owner/name"; a renamed repository also answers under its old name
    pages: str = ""  # URL prefix of permalinks
    default_branch: str = ""  # whichever branch the pull request targets
    private: bool = False  # False if unknown


@dataclass(frozen=True, slots=True)
class PullFacts:
    """A pull request in its current state, which may have changed since it was requested."""

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
    head_repository: int = 0  # its ID; 0 if it no longer exists

    @property
    def source(self) -> str:
        """The repository and branch of the head, or "" if the repository no longer exists."""
        return f"{self.head_repository}:{self.head_ref}" if self.head_repository else ""


@dataclass(frozen=True, slots=True)
class Bases:
    """The base branch's tip, its merge base with the head, and the number of commits since on each side."""

    tip: str
    merge_base: str
    ahead: int
    behind: int


@dataclass(frozen=True, slots=True)
class PostedComment:
    """A comment on the pull request.

    `kind` is "issue" in the conversation, "review" on lines or a file, and "whole" for the text of a review.
    `ours` means that our own login wrote it. Only then are markers in it trusted.
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
    thread: int = 0  # the top comment of its thread; 0 if it is in none
    head: str = ""  # the commit that it refers to, if any
    state: str = ""  # of a review: "COMMENTED", "CHANGES_REQUESTED", "DISMISSED"
    dislikes: int = 0  # number of 👎 reactions


@dataclass(frozen=True, slots=True)
class Thread:
    """The state of a review thread, by its top comment: resolved, outdated, or minimized and why."""

    comment: int
    is_resolved: bool
    is_outdated: bool
    hidden_reason: str = ""  # "outdated", "resolved", "spam"; empty if it is shown
    node_id: str = ""  # its ID in GraphQL


@dataclass(frozen=True, slots=True)
class Annotation:
    """One line in a check run's list of annotations, as plain text."""

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
    head: str = ""  # the commit that it belongs to

    @property
    def is_over(self) -> bool:
        """Whether it is completed."""
        return self.status == "completed"
