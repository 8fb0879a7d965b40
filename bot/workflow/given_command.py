"""A command of comments, and one that its person may give, with what it takes to carry it out."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from bot.commands import CommandContext, CommandReply
from bot.values import CommandAsk
from bot.workflow import replies
from bot.workflow.pull_state import PullState

if TYPE_CHECKING:  # a step of a workflow reads commands, and has neither jobs nor storage
    from bot.github import Host
    from bot.storage import Store
    from bot.values import LearnedRule, RuleState
    from bot.workflow.jobs import Job
    from bot.workflow.server import Server


class RuleDecisions(Protocol):
    """What decides on the rules of a repository. `workflow.learning.Lessons` satisfies it."""

    host: "Host"

    async def decide(
        self, number: int, state: "RuleState", who: str, path: str = "", text: str = ""
    ) -> "LearnedRule | None":
        """Set the state of the rule with this number, and return it. None if there is no such rule."""


@dataclass(frozen=True, slots=True)
class GivenCommand:
    """One command of one pull request."""

    ask: CommandAsk
    context: CommandContext
    state: PullState
    lessons: RuleDecisions
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
class Word:
    """A command: what carries it out, how it is typed, and who may give it. The list of commands says what it does: the phrase `help_<word>`."""

    run: Callable[[GivenCommand], Awaitable[CommandReply]]
    use: str
    needs: Literal["read", "write"] = "write"
    is_long: bool = False  # whether the lines below belong to its argument
