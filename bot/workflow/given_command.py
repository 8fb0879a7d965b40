"""A command of comments, and one that its person may give, with what it takes to carry it out."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bot.commands import CommandContext, CommandReply
from bot.values import CommandAsk
from bot.workflow import replies
from bot.workflow.pull_state import PullState

if TYPE_CHECKING:  # a step of a workflow reads commands, and has neither jobs nor storage
    from bot.github import Host
    from bot.storage import Store
    from bot.workflow.jobs import Job
    from bot.workflow.server import Server


@dataclass(frozen=True, slots=True)
class GivenCommand:
    """One command of one pull request."""

    ask: CommandAsk
    context: CommandContext
    state: PullState
    host: "Host"
    job: "Job"
    server: "Server"

    @property
    def store(self) -> "Store":
        """What the server has stored."""
        return self.server.store

    @property
    def link(self) -> str:
        """The address of the comment."""
        return replies.address(self.state.facts.url, self.ask.comment)


@dataclass(frozen=True, slots=True)
class CommandSpec:
    """A command: what carries it out, how it is typed, and who may give it. The list of commands says what it does: the phrase `help_<word>`."""

    run: Callable[[GivenCommand], Awaitable[CommandReply]]
    usage: str
    needs: Literal["read", "write"] = "write"
    is_long: bool = False  # whether the lines below belong to its argument

    @property
    def name(self) -> str:
        """The word itself, before its arguments."""
        return re.match(r"[a-z ]*", self.usage)[0].rstrip()  # type: ignore[index]  # it fits the empty text
