"""A command that people can give in comments, and one given command with what carrying it out needs."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bot.commands import CommandContext, CommandReply
from bot.values import CommandAsk
from bot.workflow import replies
from bot.workflow.pull_state import PullState

if TYPE_CHECKING:  # the GitHub Actions step reads commands, but has neither jobs nor storage
    from bot.github import Host
    from bot.storage import Store
    from bot.workflow.jobs import Job
    from bot.workflow.server import Server


@dataclass(frozen=True, slots=True)
class BareCommand:
    """One command given on one pull request, on a server or in a GitHub Actions step."""

    ask: CommandAsk
    context: CommandContext
    state: PullState
    host: "Host"

    @property
    def link(self) -> str:
        """The address of the comment."""
        return replies.address(self.state.facts.url, self.ask.comment)


@dataclass(frozen=True, slots=True)
class GivenCommand(BareCommand):
    """One command given to a server."""

    job: "Job"
    server: "Server"

    @property
    def store(self) -> "Store":
        """The server's stored data."""
        return self.server.store


@dataclass(frozen=True, slots=True)
class CommentCommand:
    """A command: its function, how it is typed, and who may give it.

    The phrase `help_<word>` describes it. `in_step` carries it out in a GitHub Actions step. Without it, the command
    needs the App, unless it is one of the `QUESTIONS`.
    """

    run: Callable[[GivenCommand], Awaitable[CommandReply]]
    usage: str
    needs: Literal["read", "write"] = "write"
    is_long: bool = False  # whether the lines below it belong to its argument
    in_step: Callable[[BareCommand], Awaitable[CommandReply]] | None = None

    @property
    def name(self) -> str:
        """The command without its arguments."""
        return re.match(r"[a-z ]*", self.usage)[0].rstrip()  # type: ignore[index]  # it matches empty text too
