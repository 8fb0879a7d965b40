"""Checks of a team's own: what it asks of its changes, and what they come to."""

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bot.values import Evidence, Ruling, RulingResult, RulingSeverity
from deeprepo.rlm.values import Exact

if TYPE_CHECKING:
    from bot.config import Config
    from bot.render import Phrases

# Why code says so: nobody was asked, nobody answered, no file is meant, no quote stands, the quote is gone, a file was not read.
CheckCause = Literal["", "no-model", "no-reader", "no-file", "no-quote", "gone", "unread"]


@dataclass(frozen=True, slots=True)
class CustomCheck:
    """A question of the owner's, and the files that it is about."""

    name: str
    ask: str
    paths: Exact[tuple[str, ...]] = ()  # as in .gitignore; empty: every file
    severity: RulingSeverity = "warn"

    @property
    def digest(self) -> str:
        """What was asked: an answer to other words does not count."""
        text = "\0".join((self.name, self.ask, *self.paths))
        return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:20]


def of_settings(settings: "Config") -> tuple[CustomCheck, ...]:
    """List the instructions that must hold as questions."""
    return tuple(
        CustomCheck(each.name, each.text, each.path, each.must) for each in settings.must_hold if each.must != "no"
    )


@dataclass(frozen=True, slots=True)
class CheckAnswer:
    """What one reader says of a check, for the changed files that it has read. Its quotes are not verified yet."""

    check: str  # its digest
    result: RulingResult
    paths: Exact[tuple[str, ...]]
    reason: str = ""
    quotes: tuple[Evidence, ...] = ()
    tokens: int = 0  # that question and answer added to the reader's dialogue, estimated


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """What a check comes to in one changed file."""

    path: Exact[str]
    result: RulingResult
    reason: str = ""
    quotes: tuple[Evidence, ...] = ()  # each is in the tree
    cause: CheckCause = ""


@dataclass(frozen=True, slots=True)
class CheckReport(Ruling):
    """What a check comes to for the whole change: the worst of its files."""

    cause: CheckCause = ""
    files: tuple[CheckedFile, ...] = ()
    tokens: int = 0  # that it cost in this review, estimated

    def explain(self, words: "Phrases") -> str:
        """Say why it came to its result."""
        by_code = words.say(f"check_{self.cause.replace('-', '_')}") if self.cause else ""
        return " ".join(filter(None, (by_code, self.reason)))
