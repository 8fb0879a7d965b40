"""Define what GitHub, or a person on GitHub, asks of the bot.

An ask is read from one delivery and stored until it is done. Repository IDs survive a rename; `owner` and
`name` are those at the time of the delivery. Each kind of ask is a class here, a part of `Ask`, and a
function in `bot/workflow`. The class also determines how its jobs are named and queued.
"""

from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

CommentKind = Literal["issue", "review", "whole"]  # in the conversation, on the diff, or the text of a review
Trigger = Literal["opened", "reopened", "ready", "push", "command", "rerun", "catch-up"]
Reason = Literal["closed", "draft", "command"]
ASKED: frozenset[Trigger] = frozenset({"command", "rerun"})  # a person is waiting for it


@dataclass(frozen=True, slots=True)
class PullRef:
    """One pull request in one installation of the App."""

    installation: int
    repository: int
    owner: str
    name: str
    number: int
    # The owner's ID, which survives a rename of the account; 0 if unknown
    account: int = field(default=0, compare=False)

    @property
    def key(self) -> str:
        """The pull request's key, "repository id#number", which all of its jobs share."""
        return f"{self.repository}#{self.number}"


@dataclass(frozen=True, slots=True)
class CommentRef:
    """A person's comment that asked for something.

    `thread` is the ID of its review thread's top comment, or 0.
    """

    id: int
    kind: CommentKind
    thread: int = 0
    part: int = 0  # of the commands in the comment, which one after the first


@dataclass(frozen=True, slots=True)
class PullAsk:
    """An ask about one pull request. Its jobs run one after another."""

    job: ClassVar[str] = "command"  # prefix of its jobs' names
    is_awaited: ClassVar[bool] = True  # whether a person or a merge queue waits for it

    pull: PullRef

    @property
    def installation(self) -> int:
        """The installation whose turn its jobs take."""
        return self.pull.installation

    @property
    def subject(self) -> str:
        """The subject in the names of its jobs."""
        return self.pull.key

    @property
    def serial(self) -> str | None:
        """The key shared by jobs that must not run in parallel."""
        return self.pull.key


@dataclass(frozen=True, slots=True)
class CommitAsk:
    """An ask about one commit. Its jobs run one after another."""

    job: ClassVar[str] = "small"
    is_awaited: ClassVar[bool] = True

    installation: int
    repository: int
    owner: str
    name: str
    head: str

    @property
    def subject(self) -> str:
        """The subject in the names of its jobs."""
        return f"{self.repository}#{self.head}"

    @property
    def serial(self) -> str | None:
        """The key shared by jobs that must not run in parallel."""
        return f"{self.repository}@{self.head}"


@dataclass(frozen=True, slots=True)
class InstallationAsk:
    """An ask about an installation of the App. Its jobs run in parallel."""

    job: ClassVar[str] = "small"
    is_awaited: ClassVar[bool] = True
    serial: ClassVar[None] = None

    installation: int

    @property
    def subject(self) -> str:
        """The subject in the names of its jobs."""
        return "all"


@dataclass(frozen=True, slots=True)
class ReviewAsk(PullAsk):
    """Reviews a pull request in its state when the work begins.

    `head` is the commit in the delivery. It is only logged, never trusted. `comment` is where a person asked.
    A server turns a command into this ask only after checking the person's permission, because it replaces
    every other review of the pull request.
    """

    job: ClassVar[str] = "review"
    serial: ClassVar[None] = None  # the newest replaces the others

    trigger: Trigger
    full: bool = False  # read everything again and report everything
    actor: str = ""  # the login of the person who asked
    comment: CommentRef | None = None
    head: str = ""
    # Whether the delivery doesn't show that its author belongs to the repository. This only affects the
    # order.
    stranger: bool = False
    base: str = ""  # the base branch that a person saw when they asked; empty if unknown
    inherited: bool = False  # it took over what a person asked of another review
    # Triggers of the reviews that it replaces, because an event that starts no review must not end one
    # either.
    also: tuple[Trigger, ...] = ()


@dataclass(frozen=True, slots=True)
class CommandAsk(PullAsk):
    """A command in a comment that needs an answer, but no new review.

    `word` is a key of COMMANDS, or the typed word.
    """

    word: str
    argument: str
    actor: str
    comment: CommentRef
    also: tuple[tuple[str, str], ...] = ()  # word and argument of each further command in the comment

    @property
    def each(self) -> "tuple[CommandAsk, ...]":
        """The commands of the comment, each as an ask of its own."""
        rows = ((self.word, self.argument), *self.also)
        return tuple(
            replace(self, word=word, argument=argument, comment=replace(self.comment, part=part), also=())
            for part, (word, argument) in enumerate(rows)
        )


@dataclass(frozen=True, slots=True)
class RemarkAsk(PullAsk):
    """A comment without a command that mentions us, or replies in a review thread.

    Its text isn't stored. The comment is read again when it is answered.
    """

    actor: str
    comment: CommentRef
    mentioned: bool  # whether it mentions us


@dataclass(frozen=True, slots=True)
class Cancel(PullAsk):
    """Cancels all work for this pull request. `runs` are the reviews that it stopped."""

    job: ClassVar[str] = "cancel"
    is_awaited: ClassVar[bool] = False

    reason: Reason
    runs: tuple[str, ...] = ()
    actor: str = ""  # the login of the person who did it
    # Whether the delivery doesn't show that the pull request's author belongs to the repository
    stranger: bool = False


@dataclass(frozen=True, slots=True)
class Retitled(PullAsk):
    """Reviews a pull request again if its new title changes whether the settings skip it."""

    is_awaited: ClassVar[bool] = False

    before: str  # the earlier title
    actor: str = ""
    stranger: bool = False  # as in ReviewAsk

    @property
    def review(self) -> ReviewAsk:
        """The review that the skipped events, the opening or a push, asked for."""
        return ReviewAsk(self.pull, "opened", actor=self.actor, stranger=self.stranger, also=("push",))


@dataclass(frozen=True, slots=True)
class Follow(PullAsk):
    """Updates this pull request's page after a change that concerns the whole repository."""

    is_awaited: ClassVar[bool] = False

    head: str = ""  # if checks on this commit have ended, their results are fetched first


@dataclass(frozen=True, slots=True)
class ChecksEnded(CommitAsk):
    """All checks of an App on a commit have ended.

    A feature may update the pages of the pull requests reviewed at that commit.
    """

    job: ClassVar[str] = "ci"
    is_awaited: ClassVar[bool] = False

    is_failure: bool = True  # whether a check failed


@dataclass(frozen=True, slots=True)
class ChecksWanted(CommitAsk):
    """Requests all our checks of a commit again.

    GitHub names no pull requests of forks, so they are found by the commit.
    """

    actor: str = ""
    account: int = 0  # the owner's ID


@dataclass(frozen=True, slots=True)
class CatchUp:
    """Looks now for events that were not delivered, instead of within the next hour. It isn't stored."""


@dataclass(frozen=True, slots=True)
class Forget(InstallationAsk):
    """The App was removed from these repositories, or from the whole installation if there are none."""

    repositories: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class PackageSurvey(InstallationAsk):
    """Looks up which packages a repository offers and uses; ID 0 is the whole installation."""

    job: ClassVar[str] = "packages"
    is_awaited: ClassVar[bool] = False

    repository: int = 0

    @property
    def subject(self) -> str:
        """The subject in the names of its jobs."""
        return str(self.repository)


@dataclass(frozen=True, slots=True)
class MergeGroup(CommitAsk):
    """A merge queue waits for our check run on its own commit.

    `number`: the pull request at this position in the queue, or 0 if unknown. `base`: the commit that the
    queue puts it on.
    """

    number: int = 0
    base: str = ""


@dataclass(frozen=True, slots=True)
class NothingAsked:
    """A delivery that asks for nothing, with the reason for the log."""

    reason: str


Ask = (
    ReviewAsk
    | CommandAsk
    | RemarkAsk
    | Retitled
    | Cancel
    | Follow
    | ChecksEnded
    | ChecksWanted
    | Forget
    | MergeGroup
    | PackageSurvey
)
