"""Checks of a team's own: what it asks of its changes, and what they come to."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from bot.values.finding import Evidence
from rlm.values import Exact

CheckSeverity = Literal[
    "note", "warn", "fail"
]  # what a failed check comes to: a row, a neutral conclusion, a failed one
CheckResult = Literal["failed", "undecided", "unasked", "passed", "inapplicable"]  # the worst first
# Why code says so: nobody was asked, nobody answered, no file is meant, no quote stands, the quote is gone, a file was not read.
CheckCause = Literal["", "no-model", "no-reader", "no-file", "no-quote", "gone", "unread"]
CHECK_RESULTS: tuple[CheckResult, ...] = get_args(CheckResult)


def is_bar(fail_on: object | None, severities: Iterable[str]) -> bool:
    """Return whether an owner stops changes: for findings of a severity, or for a failed check of the team's own."""
    return fail_on is not None or "fail" in severities


@dataclass(frozen=True, slots=True)
class CustomCheck:
    """A question of the owner's, and the files that it is about."""

    name: str
    ask: str
    paths: Exact[tuple[str, ...]] = ()  # as in .gitignore; empty: every file
    severity: CheckSeverity = "warn"

    @property
    def digest(self) -> str:
        """What was asked: an answer to other words does not count."""
        text = "\0".join((self.name, self.ask, *self.paths))
        return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:20]


@dataclass(frozen=True, slots=True)
class CheckAnswer:
    """What one reader says of a check, for the changed files that it has read. Its quotes are not verified yet."""

    check: str  # its digest
    result: CheckResult
    paths: Exact[tuple[str, ...]]
    reason: str = ""
    quotes: tuple[Evidence, ...] = ()
    tokens: int = 0  # that question and answer added to the reader's dialogue, estimated


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """What a check comes to in one changed file."""

    path: Exact[str]
    result: CheckResult
    reason: str = ""
    quotes: tuple[Evidence, ...] = ()  # each is in the tree
    cause: CheckCause = ""


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What a check comes to for the whole change: the worst of its files."""

    name: str
    severity: CheckSeverity
    result: CheckResult
    reason: str = ""
    quotes: tuple[Evidence, ...] = ()
    cause: CheckCause = ""
    files: tuple[CheckedFile, ...] = ()
    digest: Exact[str] = ""  # of the question
    tokens: int = 0  # that it cost in this review, estimated

    @property
    def blocks(self) -> bool:
        """Whether the owner wants the change to be stopped for it."""
        return self.result == "failed" and self.severity == "fail"

    @property
    def warns(self) -> bool:
        """Whether a review is not clean for it: it failed, or nobody knows of a check that would stop the change."""
        if self.result == "failed":
            return self.severity != "note"
        return self.severity == "fail" and self.lacks_result

    @property
    def lacks_result(self) -> bool:
        """Whether it applies, and neither passed nor failed."""
        return self.result in ("undecided", "unasked")
