"""The values of a team's own checks: the questions and their results."""

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bot.values import Evidence, RequiredCheck, RequiredCheckResult, RequiredCheckSeverity
from deeprepo.rlm.values import Exact

if TYPE_CHECKING:
    from bot.config import Config
    from bot.render import Phrases

# Why a result is not a model's answer. "no-model": no model is configured. "no-reader": no model has
# answered. "no-file": no changed file matches. "no-quote": a failure had no valid quote. "gone": the quoted
# line no longer exists. "unread": the file was not reviewed.
CheckCause = Literal["", "no-model", "no-reader", "no-file", "no-quote", "gone", "unread"]


@dataclass(frozen=True, slots=True)
class CustomCheck:
    """A requirement in the owner's settings, and the files to which it applies."""

    name: str
    ask: str
    paths: Exact[tuple[str, ...]] = ()  # patterns as in .gitignore; empty for every file
    severity: RequiredCheckSeverity = "warn"

    @property
    def digest(self) -> str:
        """A digest that changes with the requirement, so that answers about its old text don't count."""
        text = "\0".join((self.name, self.ask, *self.paths))
        return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:20]


def from_settings(settings: "Config") -> tuple[CustomCheck, ...]:
    """Return the instructions that are requirements as checks."""
    return tuple(
        CustomCheck(each.name, each.text, each.path, each.must) for each in settings.requirements if each.must != "no"
    )


@dataclass(frozen=True, slots=True)
class CheckAnswer:
    """One model's answer about the changed files that it saw. The quotes are not verified yet."""

    check: str  # the check's digest
    result: RequiredCheckResult
    paths: Exact[tuple[str, ...]]
    reason: str = ""
    quotes: tuple[Evidence, ...] = ()
    tokens: int = 0  # estimated tokens of the question and the answer


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """The result of a check for one changed file."""

    path: Exact[str]
    result: RequiredCheckResult
    reason: str = ""
    quotes: tuple[Evidence, ...] = ()  # found in the tree
    cause: CheckCause = ""


@dataclass(frozen=True, slots=True)
class CheckReport(RequiredCheck):
    """The result of a check for the whole change, which is the worst result for any file."""

    cause: CheckCause = ""
    files: tuple[CheckedFile, ...] = ()
    tokens: int = 0  # estimated tokens that it cost in this review

    def explain(self, words: "Phrases") -> str:
        """Return the reason for the result, as sentences."""
        by_code = words.say(f"check_{self.cause.replace('-', '_')}") if self.cause else ""
        return " ".join(filter(None, (by_code, self.reason)))
