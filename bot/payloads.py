"""The values that are sent to and from a child process. None of them contains a connection."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from bot.brief import Brief
from bot.commands import CommandContext, CommandReply
from bot.commands.conversation import RemarkThread
from bot.outputs.posts import Comments
from bot.values import Review
from bot.values.fixing import Fix, FixCheck


@dataclass(frozen=True, slots=True)
class Rendered:
    """A review with all its rendered texts, so that the process that posts it has nothing left to compute."""

    review: Review
    comments: Comments
    page: str = ""  # as Markdown, for the check run; empty if nobody has rendered it yet
    json_text: str = ""  # as JSON, if it is stored
    memory: bytes | None = field(default=None, repr=False)  # what the next round builds upon, if that is stored apart


@dataclass(frozen=True, slots=True)
class Question:
    """A command that reads the change and may ask a model about it."""

    # That of the argument; a function of a module, so that it can be sent
    answer: Callable[[str, CommandContext], Awaitable[CommandReply]]
    argument: str
    context: CommandContext
    journal: str
    brief: Brief | None = None  # None: there is no model to ask


@dataclass(frozen=True, slots=True)
class FixRequest:
    """Findings of a stored review that are to be fixed: those with these numbers or identities, all if none is named.

    What people have silenced since (`brief`) is not fixed.
    """

    brief: Brief
    last: bytes  # the JSON output of the last finished review
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MadeFix:
    """The fixed files, the result of reviewing them without a model, and each file's mode in git.

    `others`: the numbers of open findings that were not asked for.
    """

    fix: Fix
    check: FixCheck
    modes: Mapping[str, str]
    others: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Remark:
    """A remark that a model is to answer, with the change as it is now."""

    remark_thread: RemarkThread
    last: bytes | None  # the JSON output of the last finished review
    brief: Brief
