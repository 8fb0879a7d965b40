"""Consumers: other repositories that use the one under review."""

from dataclasses import dataclass, field
from typing import Literal

from bot.values.change import PullRequest
from bot.values.exact import EXACT
from bot.values.manifest import Requirement

Visibility = Literal["public", "internal", "private"]
# "checked": its uses were compared with the change. "unread": it could not be, and what it uses is open. "unrelated": it takes nothing
# of what the reviewed repository offers, or it is a copy of it.
ConsumerState = Literal["checked", "unread", "unrelated"]


@dataclass(frozen=True, slots=True)
class NamedConsumer:
    """A clone that somebody named: where it lies, and who did."""

    place: str = field(metadata=EXACT)  # a path, or a path and a revision: "../billing@v2"
    settings: bool = False  # the repository's file named it, not the person who started the review


@dataclass(frozen=True, slots=True)
class Clone:
    """A repository on this disk, at one commit."""

    name: str = field(metadata=EXACT)  # "owner/name" of its origin, else the name of its folder
    pull: PullRequest  # base and head are the commit that is read
    day: str = field(default="", metadata=EXACT)  # of that commit: "2026-08-04"
    settings: bool = False  # the repository's file named it


@dataclass(frozen=True, slots=True)
class ConsumerReport:
    """What became of one consumer in a review."""

    name: str = field(metadata=EXACT)
    state: ConsumerState
    commit: str = field(default="", metadata=EXACT)  # that was read
    day: str = field(default="", metadata=EXACT)  # of that commit
    reason: str = ""  # of one that was not checked to its end
    takes: tuple[Requirement, ...] = ()  # of what the reviewed repository offers
    uses: int = 0  # lines that use something whose contract changed
    breaks: int = 0  # findings that code has proven
    hints: int = 0  # findings that it has not
    visibility: Visibility | None = None  # None: a clone on the reader's own disk


def label(name: str, path: str) -> str:
    """A file of a consumer, as people read it: "acme/billing:src/pay.py"."""
    return f"{name}:{path}"
