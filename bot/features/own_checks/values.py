"""The values of a team's own checks: the questions and their results."""

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bot.values import Evidence, RequiredCheck, RequiredCheckResult, RequiredCheckSeverity
from deeprepo.rlm.values import Exact

if TYPE_CHECKING:
    from bot.config import Config
    from bot.render import Phrases

# Why static code set a result: no model, no answer, no matching file, no valid quote, a quote that no longer
# exists, or an unread file.
CheckCause = Literal["", "no-model", "no-reader", "no-file", "no-quote", "gone", "unread"]


@dataclass(frozen=True, slots=True)
class CustomCheck:
    """An owner's question and the files to which it applies."""

    name: str
    ask: str
    paths: Exact[tuple[str, ...]] = ()  # patterns as in .gitignore; empty for every file
    severity: RequiredCheckSeverity = "warn"

    @property
    def digest(self) -> str:
        """A digest of the question, so that an answer to other words does not count."""
        text = "\0".join((self.name, self.ask, *self.paths))
        return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:20]


def of_settings(settings: "Config") -> tuple[CustomCheck, ...]:
    """Return the instructions with a severity as checks."""
    return tuple(
        CustomCheck(each.name, each.text, each.path, each.must) for each in settings.must_hold if each.must != "no"
    )


@dataclass(frozen=True, slots=True)
class CheckAnswer:
    """One model's answer to a check for the changed files that it was shown. Quotes are not verified yet."""

    check: str  # digest of the check
    result: RequiredCheckResult
    paths: Exact[tuple[str, ...]]
    reason: str = ""
    quotes: tuple[Evidence, ...] = ()
    tokens: int = 0  # estimated tokens of question and answer


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """The result of a check for one changed file."""

    path: Exact[str]
    result: RequiredCheckResult
    reason: str = ""
    quotes: tuple[Evidence, ...] = ()  # verified to be in the tree
    cause: CheckCause = ""


@dataclass(frozen=True, slots=True)
class CheckReport(RequiredCheck):
    """The result of a check for the whole change, which is the worst of its files."""

    cause: CheckCause = ""
    files: tuple[CheckedFile, ...] = ()
    tokens: int = 0  # estimated tokens in this review

    def explain(self, words: "Phrases") -> str:
        """Return the reason for the result."""
        by_code = words.say(f"check_{self.cause.replace('-', '_')}") if self.cause else ""
        return " ".join(filter(None, (by_code, self.reason)))
