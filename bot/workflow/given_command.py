"""A command that its person may give, and what it takes to carry it out."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.commands import CommandContext
from bot.values import CommandAsk
from bot.workflow import replies
from bot.workflow.pull_state import PullState

if TYPE_CHECKING:  # a step of a workflow reads commands, and has neither jobs nor storage
    from bot.jobs import Job
    from bot.storage import Store
    from bot.workflow.learning import Lessons
    from bot.workflow.server import Server


@dataclass(frozen=True, slots=True)
class GivenCommand:
    """One command of one pull request."""

    ask: CommandAsk
    context: CommandContext
    state: PullState
    lessons: "Lessons"
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
