"""A command's context and reply, and the limits on how often people can give commands.

Commands are limited because they can cost money, and because each reply notifies people.
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
    """The reply to a command: a comment, a reaction, or both. An empty body means no comment."""

    body: str = ""
    reaction: Reaction = ""
    # Whether the command changes silenced findings, so summary and check must be updated
    silences: bool = False
    # In a GitHub Actions step: facts to record in the reply's marker, such as the mark of an ignored finding.
    facts: Mapping[str, str] = field(default_factory=dict)
    commit: str = ""  # in a GitHub Actions step: the commit that the command made, which has to be reviewed


@dataclass(frozen=True, slots=True)
class CommandContext:
    """What a command needs to know about the pull request and the comment."""

    settings: Config  # the settings at the base branch's tip
    actor: str  # the login of the person who gave the command
    branch: str  # the base branch
    last: bytes | None = None  # the JSON output of the last finished review, or None
    top: str = ""  # the thread's first comment, if we wrote it
    # Opens a session for asking a model about the change, or None if no model is configured.
    open_session: Callable[[], AbstractAsyncContextManager[Session]] | None = None

    @property
    def words(self) -> Phrases:
        """The phrases for replies."""
        return load()

    def reply(self, name: str, **values: object) -> CommandReply:
        """Return a reply rendered from the template with this name."""
        return CommandReply(comment(f"{name}.md.j2", self.words, **values))

    def say(self, key: str, number: int | None = None, **values: object) -> CommandReply:
        """Return a reply that consists of one phrase."""
        return CommandReply(phrase(self.words, key, number, **values))


MEMBER_COMMANDS = 20  # commands per hour by one person with write access
OUTSIDER_COMMANDS = 3  # commands per hour by one person without write access
# Commands and mentions per hour by all people without write access, per installation
ALL_OUTSIDERS_COMMANDS = 60
WRITERS = frozenset({"admin", "maintain", "write"})


@dataclass(frozen=True, slots=True)
class Permission:
    """A person's permission, and the times of earlier commands, in seconds since 1970."""

    permission: str  # as GitHub reports it
    now: float
    earlier: Sequence[float] = ()  # commands by this person
    outsiders: Sequence[float] = ()  # commands by other people without write access

    @property
    def writes(self) -> bool:
        """Whether the person has write access, which commands that cost money require."""
        return self.permission in WRITERS


@dataclass(frozen=True, slots=True)
class Wait:
    """How long a person who reached a limit must wait."""

    minutes: int
    until: str  # when the limit ends, for people
    is_known: bool  # whether the person was already told about the limit
    by_others: bool = False  # whether other people without write access have used up a shared limit

    def reply(self, key: str, most: int) -> CommandReply:
        """Return a reply with the phrase `key`, or without text if the person already knows.

        `most`: the limit.
        """
        key = "reply_too_many_others" if self.by_others else key
        text = "" if self.is_known else phrase(load(), key, self.minutes, most=most, until=Safe(self.until))
        return CommandReply(text, "-1")


def wait(permission: Permission, most: int) -> Wait | None:
    """Return how long a person who may give `most` commands per hour must wait, or None if they needn't wait.

    Refused commands don't count. So the limit really ends at the time that the reply says.
    """
    reached = _check_hourly_limit(permission.earlier, permission.now, most)
    if reached is not None:
        return _wait(reached[0], permission.now, is_known=reached[1])
    if permission.writes:
        return None
    others = _check_hourly_limit(permission.outsiders, permission.now, ALL_OUTSIDERS_COMMANDS)
    return _wait(others[0], permission.now, is_known=bool(permission.earlier), by_others=True) if others else None


def _wait(until: float, now: float, *, is_known: bool, by_others: bool = False) -> Wait:
    minutes = max(1, math.ceil((until - now) / 60))
    return Wait(minutes, time.strftime("%H:%M UTC", time.gmtime(until)), is_known, by_others)


def _check_hourly_limit(given: Sequence[float], now: float, most: int) -> tuple[float, bool] | None:
    """Return when the next command is possible and whether the last was refused; None if it is now."""
    accepted, was_refused = list[float](), False
    for at in sorted(at for at in given if at <= now):
        accepted = [one for one in accepted if one > at - HOUR]
        was_refused = len(accepted) >= most
        if not was_refused:
            accepted.append(at)
    accepted = [one for one in accepted if one > now - HOUR]
    return (accepted[0] + HOUR, was_refused) if len(accepted) >= most else None
