"""What a command is given to work with, and what it hands back; whether a person may give it, and how often.

Each may cost money, and each answer is a comment that notifies others.
"""

import math
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Literal

from bot.config import Config
from bot.render import Phrases, comment, load, phrase
from bot.review.session import Session
from bot.values.daily import HOUR

Reaction = Literal["", "+1", "-1", "confused"]


@dataclass(frozen=True, slots=True)
class CommandReply:
    """What the person gets: a reply, a reaction on the comment, or both. An empty body is not a reply."""

    body: str = ""
    reaction: Reaction = ""
    rule: int = 0  # the number of the rule that it proposes; reactions on it decide
    silences: bool = False  # the command changes which findings are silenced: page and check are made again


@dataclass(frozen=True, slots=True)
class CommandContext:
    """What one command knows."""

    settings: Config  # of the tip of the base branch
    actor: str  # who gave the command
    branch: str  # the base branch
    last: bytes | None = None  # the JSON output of the last finished review, where there is one
    top: str = ""  # the top comment of the thread, where we wrote it
    # The change, opened; None: there is no model.
    open_session: Callable[[], AbstractAsyncContextManager[Session]] | None = None

    @property
    def words(self) -> Phrases:
        """Our own words."""
        return load()

    def reply(self, name: str, **values: object) -> CommandReply:
        """Return a reply from its template."""
        return CommandReply(comment(f"{name}.md.j2", self.words, **values))

    def say(self, key: str, number: int | None = None, **values: object) -> CommandReply:
        """Return a reply of one phrase."""
        return CommandReply(phrase(self.words, key, number, **values))


STRANGER = 3  # commands in an hour of somebody who may not write here
WRITERS = frozenset({"admin", "maintain", "write"})


@dataclass(frozen=True, slots=True)
class Permission:
    """Who gives a command: what they may do here, and when they gave others (seconds on the clock of `now`)."""

    permission: str  # as GitHub says it
    now: float
    earlier: Sequence[float] = ()

    @property
    def writes(self) -> bool:
        """Whether they may change the repository: only then may they spend its money."""
        return self.permission in WRITERS


def judge(earlier: Sequence[float], now: float, most: int) -> tuple[int, bool] | None:
    """Return whether a person with these earlier commands, refused ones too, as seconds on the clock of `now`, has to wait: None if not.

    Else in how many minutes the next one is carried out, and whether a reply has said so: who goes on while refused stays refused, and
    gets one reply.
    """
    recent = sorted(at for at in earlier if now - HOUR < at <= now)
    if len(recent) < most:
        return None
    free_at = recent[len(recent) - most] + HOUR
    return max(1, math.ceil((free_at - now) / 60)), len(recent) > most
