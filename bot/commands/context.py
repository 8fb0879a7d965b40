"""What a command is given to work with, and what it hands back."""

import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Literal

from bot.config import Config
from bot.render import Phrases, comment, load, phrase
from bot.review.session import Session
from bot.values import Finding, LearnedRule, OwnerRule, RuleState

Reaction = Literal["", "+1", "-1", "confused"]


@dataclass(frozen=True, slots=True)
class CommandReply:
    """What the person gets: a reply, a reaction on the comment, or both. An empty body is not a reply."""

    body: str = ""
    reaction: Reaction = ""
    rule: int = 0  # the number of the rule that it proposes; reactions on it decide


async def _nothing() -> str:
    return ""


@dataclass(frozen=True, slots=True)
class RuleBook:
    """The rules that the repository's people have taught."""

    all: Callable[[], Awaitable[tuple[LearnedRule, ...]]]
    # With another path, and another sentence of a learning, if they are not empty.
    decide: Callable[[int, RuleState, str, str], Awaitable[LearnedRule | None]]
    propose: Callable[[Finding, str], Awaitable[tuple[LearnedRule, ...]]]  # for the reason that is given
    remember: Callable[[OwnerRule], Awaitable[LearnedRule | None]]  # a sentence; None: there are too many


@dataclass(frozen=True, slots=True)
class CommandContext:
    """The parts of one command. Each function does one thing to this pull request, and may be called again after a restart."""

    settings: Config  # of the tip of the base branch
    actor: str  # who gave the command
    branch: str  # the base branch
    last: Callable[[], Awaitable[bytes | None]]  # the JSON output of the last finished review, where there is one
    submit: Callable[[bool], Awaitable[None]]  # a review; True: read everything again
    suppress: Callable[[str, str], Awaitable[None]]  # what `suppress.mark_of` makes of a finding, and the reason
    pause: Callable[[], Awaitable[bool]]  # False: it was so already
    resume: Callable[[], Awaitable[bool]]
    cancel: Callable[[], Awaitable[bool]]  # False: nothing was under way
    top: Callable[[], Awaitable[str]] = _nothing  # the top comment of the thread, where we wrote it
    open_session: Callable[[], AbstractAsyncContextManager[Session]] | None = (
        None  # the change, opened; None: there is no model
    )
    clock: Callable[[], float] = time.monotonic
    rules: RuleBook | None = None  # None: nobody keeps any here

    @property
    def words(self) -> Phrases:
        """Our own words, in the repository's language."""
        return load(self.settings.language)

    def reply(self, name: str, **values: object) -> CommandReply:
        """A reply from its template."""
        return CommandReply(comment(f"replies/{name}.md.j2", self.words, **values))

    def say(self, key: str, number: int | None = None, **values: object) -> CommandReply:
        """A reply of one phrase."""
        return CommandReply(phrase(self.words, key, number, **values))
