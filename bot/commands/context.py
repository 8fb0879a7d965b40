"""A command's context and reply, and whether and how often a person may give commands.

Commands are limited because each may cost money, and each answer notifies people.
"""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Literal

from bot.config import Config
from bot.render import Phrases, Safe, comment, load, phrase
from bot.review.session import Session
from bot.values.daily import HOUR

Reaction = Literal["", "+1", "-1", "confused"]


@dataclass(frozen=True, slots=True)
class CommandReply:
    """The answer to a command: a comment, a reaction, or both. An empty body means no comment."""

    body: str = ""
    reaction: Reaction = ""
    rule: int = 0  # number of the proposed rule; reactions to the comment decide on it
    silences: bool = False  # whether silenced findings change, so that summary and check must be updated
    # In a GitHub Actions step: what the answer's marker records, such as the mark of an ignored finding.
    facts: Mapping[str, str] = field(default_factory=dict)
    commit: str = ""  # made by the command in a GitHub Actions step, and still to be reviewed there


@dataclass(frozen=True, slots=True)
class CommandContext:
    """What a command knows."""

    settings: Config  # at the base branch's tip
    actor: str  # who gave the command
    branch: str  # the base branch
    last: bytes | None = None  # JSON output of the last finished review, if any
    top: str = ""  # the thread's top comment, if we wrote it
    # Opens the change; None if there is no model.
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


STRANGER = 3  # commands per hour of a person without write access
STRANGERS = 60  # commands and mentions per hour of all people without write access, per installation
WRITERS = frozenset({"admin", "maintain", "write"})


@dataclass(frozen=True, slots=True)
class Permission:
    """A person's permission, and when they gave earlier commands (seconds on the clock of `now`)."""

    permission: str  # as GitHub reports it
    now: float
    earlier: Sequence[float] = ()
    outsiders: Sequence[float] = ()  # when other people without write access gave theirs

    @property
    def writes(self) -> bool:
        """Whether the person has write access, which is required for spending money."""
        return self.permission in WRITERS


@dataclass(frozen=True, slots=True)
class Wait:
    """A limit that a person has reached: minutes until it ends, and whether they were informed."""

    minutes: int
    until: str  # when it ends
    is_known: bool
    by_others: bool = False  # whether other people without write access used it up

    def reply(self, key: str, most: int) -> CommandReply:
        """Return a reply with the phrase `key`, only once."""
        key = "reply_too_many_others" if self.by_others else key
        text = "" if self.is_known else phrase(load(), key, self.minutes, most=most, until=Safe(self.until))
        return CommandReply(text, "-1")


def wait(permission: Permission, most: int) -> Wait | None:
    """Return how long a person must wait who may give `most` commands an hour; None if not at all.

    A refused command does not count, so the limit ends when the answer says it does.
    """
    full = _check_hourly_limit(permission.earlier, permission.now, most)
    if full is not None:
        return _wait(full[0], permission.now, is_known=full[1])
    if permission.writes:
        return None
    others = _check_hourly_limit(permission.outsiders, permission.now, STRANGERS)
    return _wait(others[0], permission.now, is_known=bool(permission.earlier), by_others=True) if others else None


def _wait(until: float, now: float, *, is_known: bool, by_others: bool = False) -> Wait:
    minutes = max(1, math.ceil((until - now) / 60))
    return Wait(minutes, time.strftime("%H:%M UTC", time.gmtime(until)), is_known, by_others)


def _check_hourly_limit(given: Sequence[float], now: float, most: int) -> tuple[float, bool] | None:
    """Return when the next command is possible, and whether one was refused; None if it is possible now."""
    accepted, was_refused = list[float](), False
    for at in sorted(at for at in given if at <= now):
        accepted = [one for one in accepted if one > at - HOUR]
        was_refused = len(accepted) >= most
        if not was_refused:
            accepted.append(at)
    accepted = [one for one in accepted if one > now - HOUR]
    return (accepted[0] + HOUR, was_refused) if len(accepted) >= most else None
