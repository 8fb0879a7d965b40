"""What a command is given to work with, and what it hands back; whether a person may give it, and how often.

Each may cost money, and each answer is a comment that notifies others.
"""

import math
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Literal

from bot.config import Config
from bot.render import Phrases, Safe, comment, load, phrase
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
STRANGERS = 60  # commands and mentions in an hour of all people who may not write, in one installation
WRITERS = frozenset({"admin", "maintain", "write"})


@dataclass(frozen=True, slots=True)
class Permission:
    """Who gives a command: what they may do here, and when they gave others (seconds on the clock of `now`)."""

    permission: str  # as GitHub says it
    now: float
    earlier: Sequence[float] = ()
    outsiders: Sequence[float] = ()  # when other people without write permission gave theirs

    @property
    def writes(self) -> bool:
        """Whether they may change the repository: only then may they spend its money."""
        return self.permission in WRITERS


@dataclass(frozen=True, slots=True)
class Wait:
    """A limit that a person has reached: in how many minutes it ends, and whether an answer has said so."""

    minutes: int
    until: str  # the time at which it ends
    is_known: bool
    by_others: bool = False  # other people without write permission have used it up

    def reply(self, key: str, most: int) -> CommandReply:
        """Tell the person once, with the phrase `key`."""
        key = "reply_too_many_others" if self.by_others else key
        text = "" if self.is_known else phrase(load(), key, self.minutes, most=most, until=Safe(self.until))
        return CommandReply(text, "-1")


def wait(permission: Permission, most: int) -> Wait | None:
    """Return how long a person has to wait who may give this many commands an hour; None if this one is carried out.

    A refused command doesn't count, so the limit ends when the answer says it does.
    """
    full = _full(permission.earlier, permission.now, most)
    if full is not None:
        return _wait(full[0], permission.now, is_known=full[1])
    if permission.writes:
        return None
    others = _full(permission.outsiders, permission.now, STRANGERS)
    return _wait(others[0], permission.now, is_known=bool(permission.earlier), by_others=True) if others else None


def _wait(until: float, now: float, *, is_known: bool, by_others: bool = False) -> Wait:
    minutes = max(1, math.ceil((until - now) / 60))
    return Wait(minutes, time.strftime("%H:%M UTC", time.gmtime(until)), is_known, by_others)


def _full(given: Sequence[float], now: float, most: int) -> tuple[float, bool] | None:
    """Return when the next command is carried out after these, and whether one was refused meanwhile; None if it is carried out now."""
    accepted, was_refused = list[float](), False
    for at in sorted(at for at in given if at <= now):
        accepted = [one for one in accepted if one > at - HOUR]
        was_refused = len(accepted) >= most
        if not was_refused:
            accepted.append(at)
    accepted = [one for one in accepted if one > now - HOUR]
    return (accepted[0] + HOUR, was_refused) if len(accepted) >= most else None
