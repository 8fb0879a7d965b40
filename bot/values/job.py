"""The jobs that GitHub's events and people on GitHub ask for.

A job is read from one webhook delivery, and stored until it is done. Each kind of job is a class in this module,
a member of the union `Job`, and a function in `bot/workflow`. The class determines how its jobs are named and
queued. Field names are part of the stored format. Repository IDs survive a rename of the repository; `owner` and
`name` are those at the time of the delivery.
"""

from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

CommentKind = Literal["issue", "review", "whole"]  # in the conversation, on the diff, or a review's own text
Trigger = Literal["opened", "reopened", "ready", "labeled", "unlabeled", "push", "command", "rerun", "catch-up"]
Reason = Literal["closed", "draft", "command"]
ASKED: frozenset[Trigger] = frozenset({"command", "rerun"})  # triggers by a person, who waits for the result


@dataclass(frozen=True, slots=True)
class PullRef:
    """One pull request in one installation of the App."""

    installation: int
    repository: int
    owner: str
    name: str
    number: int
    # The ID of the owner's account, which survives a rename; 0 if unknown.
    account: int = field(default=0, compare=False)

    @property
    def key(self) -> str:
        """The key that all jobs for this pull request share: the repository's ID, "#" and the number."""
        return f"{self.repository}#{self.number}"


@dataclass(frozen=True, slots=True)
class CommentRef:
    """A comment in which a person asked for something.

    `thread` is the ID of the first comment in its review thread, or 0 if it is in none.
    """

    id: int
    kind: CommentKind
    thread: int = 0
    part: int = 0  # the command's index, from 0, if the comment contains several


@dataclass(frozen=True, slots=True)
class PullJob:
    """The base of jobs about one pull request. Those of a pull request run one after another."""

    prefix: ClassVar[str] = "command"  # the first part of its name
    is_awaited: ClassVar[bool] = True  # whether a person or a merge queue waits for it

    pull: PullRef

    @property
    def installation(self) -> int:
        """The installation in whose share of the queue it runs."""
        return self.pull.installation

    @property
    def subject(self) -> str:
        """The subject in its name."""
        return self.pull.key

    @property
    def serial(self) -> str | None:
        """The key shared by jobs that must not run in parallel."""
        return self.pull.key


@dataclass(frozen=True, slots=True)
class CommitJob:
    """The base of jobs about one commit. Those of a commit run one after another."""

    prefix: ClassVar[str] = "small"
    is_awaited: ClassVar[bool] = True

    installation: int
    repository: int
    owner: str
    name: str
    head: str

    @property
    def subject(self) -> str:
        """The subject in its name."""
        return f"{self.repository}#{self.head}"

    @property
    def serial(self) -> str | None:
        """The key shared by jobs that must not run in parallel."""
        return f"{self.repository}@{self.head}"


@dataclass(frozen=True, slots=True)
class InstallationJob:
    """The base of jobs about an installation of the App. They run in parallel."""

    prefix: ClassVar[str] = "small"
    is_awaited: ClassVar[bool] = True
    serial: ClassVar[None] = None

    installation: int

    @property
    def subject(self) -> str:
        """The subject in its name."""
        return "all"


@dataclass(frozen=True, slots=True)
class ReviewJob(PullJob):
    """Review a pull request as it is when the job starts.

    `head` is the commit in the delivery. `comment` is the comment in which a person asked for the review. A
    review replaces all other reviews of the pull request, so a server checks a person's permission before it
    turns a command into this job.
    """

    prefix: ClassVar[str] = "review"
    serial: ClassVar[None] = None  # jobs don't wait for each other, because the newest replaces the others

    trigger: Trigger
    full: bool = False  # read everything again and report everything
    actor: str = ""  # the login of the person who asked
    comment: CommentRef | None = None
    head: str = ""
    # Whether the delivery doesn't prove that the author belongs to the repository. Such jobs run later.
    stranger: bool = False
    base: str = ""  # the base branch that the person saw when they asked; empty if unknown
    inherited: bool = False  # whether it has replaced a review for which a person asked
    # The triggers of the reviews that it replaces, so that an event that starts no review cancels none
    # either.
    also: tuple[Trigger, ...] = ()


@dataclass(frozen=True, slots=True)
class CommandJob(PullJob):
    """Answer a command in a comment. Commands that start a review become a `ReviewJob` instead.

    `word` is a key of COMMANDS, or the typed word if there is no such command.
    """

    word: str
    argument: str
    actor: str
    comment: CommentRef
    also: tuple[tuple[str, str], ...] = ()  # word and argument of each further command in the comment

    @property
    def each(self) -> "tuple[CommandJob, ...]":
        """All commands in the comment, each as a separate job."""
        rows = ((self.word, self.argument), *self.also)
        return tuple(
            replace(self, word=word, argument=argument, comment=replace(self.comment, part=part), also=())
            for part, (word, argument) in enumerate(rows)
        )


@dataclass(frozen=True, slots=True)
class RemarkJob(PullJob):
    """Answer a comment that has no command but mentions the bot, or replies in a review thread.

    The text isn't stored. The job fetches the comment before it answers.
    """

    actor: str
    comment: CommentRef
    mentioned: bool  # whether the comment mentions the bot


@dataclass(frozen=True, slots=True)
class Cancel(PullJob):
    """Cancel all work for this pull request. `runs` are the jobs of the reviews that it stopped."""

    prefix: ClassVar[str] = "cancel"
    is_awaited: ClassVar[bool] = False

    reason: Reason
    runs: tuple[str, ...] = ()
    actor: str = ""  # the login of the person who canceled the work or closed the pull request
    # Whether the delivery doesn't prove that the pull request's author belongs to the repository.
    stranger: bool = False


@dataclass(frozen=True, slots=True)
class Follow(PullJob):
    """Update this pull request's comments and check run after a change elsewhere, such as a new rule."""

    is_awaited: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class Relabeled(PullJob):
    """Review this head if it has no review, because a label was added or removed. Running reviews end first."""

    is_awaited: ClassVar[bool] = False

    head: str
    stranger: bool = False  # as in a ReviewJob
    trigger: Trigger = "labeled"
    actor: str = ""  # the login of the person who changed the label; empty for a bot


@dataclass(frozen=True, slots=True)
class ChecksWanted(CommitJob):
    """Run all our checks on a commit again.

    GitHub's event does not list pull requests from forks, so the job finds them by the commit.
    """

    actor: str = ""
    account: int = 0  # the owner's ID


@dataclass(frozen=True, slots=True)
class CatchUp:
    """Look for missed events immediately, instead of within the next hour. This job isn't stored."""


@dataclass(frozen=True, slots=True)
class Forget(InstallationJob):
    """Delete stored data, because the App was removed from these repositories or from the whole account."""

    repositories: tuple[int, ...] = ()  # IDs; empty for the whole installation


@dataclass(frozen=True, slots=True)
class MergeGroup(CommitJob):
    """Complete our check run on a merge queue's commit, for which the queue waits.

    `number` is the pull request's number, or 0 if unknown. `base` is the commit onto which the queue merges
    it.
    """

    number: int = 0
    base: str = ""


@dataclass(frozen=True, slots=True)
class IgnoredDelivery:
    """A webhook delivery that needs no action. `reason` is for the log."""

    reason: str


Job = ReviewJob | CommandJob | RemarkJob | Cancel | Follow | Relabeled | ChecksWanted | Forget | MergeGroup
