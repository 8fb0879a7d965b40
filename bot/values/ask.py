"""What GitHub, or a person on GitHub, asks of the bot: read from one delivery, stored until it is done.

Ids survive a rename of the repository; `owner` and `name` are what its address said at the time of the delivery.

A kind of ask is a class here, a part of `Ask`, and what is done for it in `bot/workflow`. How its jobs are named and queued follows from it.
"""

from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

CommentKind = Literal["issue", "review", "whole"]  # in the conversation, on the diff, or the text of a review
Trigger = Literal["opened", "reopened", "ready", "push", "command", "rerun", "catch-up"]
Reason = Literal["closed", "draft", "command"]
ASKED: frozenset[Trigger] = frozenset({"command", "rerun"})  # a person wants it now


@dataclass(frozen=True, slots=True)
class PullRef:
    """One pull request of one installation of the App."""

    installation: int
    repository: int
    owner: str
    name: str
    number: int
    # The owner's id, which survives a rename of the account; 0: not known
    account: int = field(default=0, compare=False)

    @property
    def key(self) -> str:
        """The pull request's key, "repository id#number", which all of its jobs share."""
        return f"{self.repository}#{self.number}"


@dataclass(frozen=True, slots=True)
class CommentRef:
    """A comment of a person that asked for something. `thread` is the top comment of a review thread it is in, 0: none."""

    id: int
    kind: CommentKind
    thread: int = 0
    part: int = 0  # of the commands in the comment, which one after the first


@dataclass(frozen=True, slots=True)
class PullAsk:
    """What is asked about one pull request. Its jobs run one after the other."""

    job: ClassVar[str] = "command"  # how the names of its jobs begin
    is_awaited: ClassVar[bool] = True  # whether a person or a merge queue waits for it

    pull: PullRef

    @property
    def installation(self) -> int:
        """Whose turn its jobs take."""
        return self.pull.installation

    @property
    def subject(self) -> str:
        """What the names of its jobs name."""
        return self.pull.key

    @property
    def serial(self) -> str | None:
        """What its jobs have in common with those that they do not run beside."""
        return self.pull.key


@dataclass(frozen=True, slots=True)
class CommitAsk:
    """What is asked about one commit. Its jobs run one after the other."""

    job: ClassVar[str] = "small"
    is_awaited: ClassVar[bool] = True

    installation: int
    repository: int
    owner: str
    name: str
    head: str

    @property
    def subject(self) -> str:
        """What the names of its jobs name."""
        return f"{self.repository}#{self.head}"

    @property
    def serial(self) -> str | None:
        """What its jobs have in common with those that they do not run beside."""
        return f"{self.repository}@{self.head}"


@dataclass(frozen=True, slots=True)
class InstallationAsk:
    """What is asked about an installation of the App. Its jobs run side by side."""

    job: ClassVar[str] = "small"
    is_awaited: ClassVar[bool] = True
    serial: ClassVar[None] = None

    installation: int

    @property
    def subject(self) -> str:
        """What the names of its jobs name."""
        return "all"


@dataclass(frozen=True, slots=True)
class ReviewAsk(PullAsk):
    """Review a pull request as it is when the work begins. `head` is what the delivery said: a hint for the log, never trusted.

    `comment` is where a person asked. A server makes this of a command only once it knows that the person may give it, for it
    takes the place of every other review of the pull request.
    """

    job: ClassVar[str] = "review"
    serial: ClassVar[None] = None  # the newest takes the place of the others

    trigger: Trigger
    full: bool = False  # read everything again, say everything
    actor: str = ""  # the login of who asked
    comment: CommentRef | None = None
    head: str = ""
    stranger: bool = (
        False  # the delivery does not name its author as somebody of the repository: a hint for the order, no more
    )
    base: str = ""  # the base branch that a person saw when they asked; "": not known
    inherited: bool = False  # it took over what a person had asked of another review
    also: tuple[
        Trigger, ...
    ] = ()  # why the reviews were due whose place it takes: an event that starts none ends none either


@dataclass(frozen=True, slots=True)
class CommandAsk(PullAsk):
    """A command in a comment that needs an answer and no new review. `word` is a key of COMMANDS, or what was typed instead."""

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
    """A remark: a comment without a command that mentions us, or answers another one in a review thread.

    Its text is not kept: the comment is read again when the answer is made, as it is then.
    """

    actor: str
    comment: CommentRef
    mentioned: bool  # whether it names us


@dataclass(frozen=True, slots=True)
class Cancel(PullAsk):
    """Cancels all work for this pull request. `runs` are the reviews that it stopped."""

    job: ClassVar[str] = "cancel"
    is_awaited: ClassVar[bool] = False

    reason: Reason
    runs: tuple[str, ...] = ()
    actor: str = ""  # the login of who did it
    stranger: bool = False  # the delivery does not name the author of the pull request as somebody of the repository


@dataclass(frozen=True, slots=True)
class Follow(PullAsk):
    """Updates this pull request's page after a change that concerns the whole repository."""

    is_awaited: ClassVar[bool] = False

    head: str = ""  # if checks on this commit have ended: what became of them is looked up first


@dataclass(frozen=True, slots=True)
class ChecksEnded(CommitAsk):
    """All checks of an App on a commit have ended: a feature may have something to add to the pages of the pull requests that were reviewed at it."""

    job: ClassVar[str] = "ci"
    is_awaited: ClassVar[bool] = False

    is_failure: bool = True  # whether one has failed


@dataclass(frozen=True, slots=True)
class ChecksWanted(CommitAsk):
    """Requests all our checks of a commit again.

    GitHub names no pull requests of forks, so they are found by the commit.
    """

    actor: str = ""
    account: int = 0  # the owner's id


@dataclass(frozen=True, slots=True)
class CatchUp:
    """What happened meanwhile is to be looked for now, not only in the next hour: nothing was delivered of it. It is not stored."""


@dataclass(frozen=True, slots=True)
class Forget(InstallationAsk):
    """The App was removed: from these repositories, or with no id from the whole installation."""

    repositories: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class PackageSurvey(InstallationAsk):
    """Look which packages a repository offers and takes; with the id 0, each repository of the installation."""

    job: ClassVar[str] = "packages"
    is_awaited: ClassVar[bool] = False

    repository: int = 0

    @property
    def subject(self) -> str:
        """What the names of its jobs name."""
        return str(self.repository)


@dataclass(frozen=True, slots=True)
class MergeGroup(CommitAsk):
    """A merge queue waits for our check run on a commit of its own. `number`: the pull request at this place of the queue, 0: unknown.

    `base`: the commit that the queue puts it on.
    """

    number: int = 0
    base: str = ""


@dataclass(frozen=True, slots=True)
class NothingAsked:
    """A delivery that asks for nothing, and why, as words for the log."""

    reason: str


Ask = (
    ReviewAsk
    | CommandAsk
    | RemarkAsk
    | Cancel
    | Follow
    | ChecksEnded
    | ChecksWanted
    | Forget
    | MergeGroup
    | PackageSurvey
)
