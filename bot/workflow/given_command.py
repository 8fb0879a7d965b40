"""A command that people can give in comments, and one given command with what carrying it out needs."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from bot.commands import CommandContext, CommandReply
from bot.stored.answered import RecordedDecisions
from bot.values import CommandJob
from bot.workflow import replies
from bot.workflow.pull_state import PullState

if TYPE_CHECKING:  # the GitHub Actions step reads commands, but has neither jobs nor storage
    from bot.github import Host
    from bot.payloads import MadeFix
    from bot.storage import Store
    from bot.workflow.jobs import Attempt
    from bot.workflow.server import Server


# Answers a command from its argument and its context, in a child process.
Answering = Callable[[str, CommandContext], Awaitable[CommandReply]]


@dataclass(frozen=True, slots=True)
class BareCommand:
    """One command given on one pull request, on a server or in a GitHub Actions step."""

    job: CommandJob
    context: CommandContext
    state: PullState
    host: "Host"

    @property
    def link(self) -> str:
        """The address of the comment."""
        return replies.address(self.state.facts.url, self.job.comment)


@dataclass(frozen=True, slots=True)
class GivenCommand(BareCommand):
    """One command given to a server."""

    attempt: "Attempt"
    server: "Server"

    @property
    def store(self) -> "Store":
        """The server's stored data."""
        return self.server.store


class StepWork(Protocol):
    """What a GitHub Actions step can do for a command."""

    async def ask(self, answer: Answering, argument: str) -> CommandReply:
        """Answer a command that reads the change."""

    async def fix(self, last: bytes, names: tuple[str, ...]) -> "MadeFix":
        """Fix findings of the last review in a copy of the head."""

    async def cancel(self) -> int:
        """Cancel the workflow's running reviews of this pull request, and return how many there were.

        Raises HostRefused.
        """

    @property
    def starts_workflows(self) -> bool:
        """Whether GitHub starts workflows for commits that the step's token makes."""


@dataclass(frozen=True, slots=True)
class StepCommand(BareCommand):
    """One command given in a GitHub Actions step, which only knows what earlier answers record."""

    answered: RecordedDecisions
    work: StepWork


@dataclass(frozen=True, slots=True)
class CommentCommand:
    """A command: its functions on a server and in a GitHub Actions step, how it is typed, and who may give it."""

    run: Callable[[GivenCommand], Awaitable[CommandReply]]
    in_step: Callable[[StepCommand], Awaitable[CommandReply]]
    usage: str
    needs: Literal["read", "write"] = "write"
    is_long: bool = False  # whether the lines below it belong to its argument

    @property
    def name(self) -> str:
        """The command without its arguments."""
        return re.match(r"[a-z ]*", self.usage)[0].rstrip()  # type: ignore[index]  # it matches empty text too

    @property
    def phrase(self) -> str:
        """The key of the phrase that says what it does."""
        return f"help_{self.name.replace(' ', '_')}"
