"""What comes out: findings with their evidence, the coverage, the cost, the review."""

from dataclasses import dataclass, field
from typing import Literal

from bot.values.change import ChangedFile, PullRequest, Side
from bot.values.model import Turn, Usage

Severity = Literal["critical", "high", "medium", "low"]
SEVERITIES: tuple[Severity, ...] = ("critical", "high", "medium", "low")  # worst first
Verdict = Literal["proven", "confirmed", "unproven", "refuted"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A verbatim quote from the tree. `line` is filled in by code, which found the quote there; 0 until then."""

    path: str
    quote: str
    line: int = 0
    side: Side = "head"
    note: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem that the change brings. The model (or an analyser) quotes; code finds the lines.

    `verdict` is "proven" where code decided it (a contract check), "confirmed" where a second call found the trigger.
    """

    path: str
    quote: str
    title: str
    why: str
    consequence: str
    severity: Severity
    category: str
    source: str  # "contracts", "ruff", "secrets", "worker provider/model", "root provider/model"
    rule: str = ""  # the check's own code: "F821", "removed-symbol"
    start: int = 0
    end: int = 0
    side: Side = "head"
    evidence: tuple[Evidence, ...] = ()
    suggestion: str | None = None
    trigger: str = ""
    verdict: Verdict = "unproven"
    fingerprint: str = ""  # path, normalised quote and category; survives moves


@dataclass(frozen=True, slots=True)
class Placed:
    """A finding with the place where it is shown."""

    finding: Finding
    place: Literal["inline", "file", "outside", "folded"]


@dataclass(frozen=True, slots=True)
class Reading:
    """One row of the ledger: a unit or a dependent, and what became of it."""

    kind: Literal["unit", "dependent"]
    path: str
    name: str
    state: Literal["reviewed", "reused", "skipped", "unread"]
    by: str = ""  # who read it: "ruff, secrets, contracts", "worker openai/gpt-5-mini"
    reason: str = ""  # why it was skipped or left unread


@dataclass(frozen=True, slots=True)
class Coverage:
    """What was read and what was not, over the whole change."""

    readings: tuple[Reading, ...] = ()
    skipped_files: tuple[tuple[str, str], ...] = ()  # (path, reason)
    cut: tuple[str, ...] = ()  # sentences: what budgets cut off

    def count(self, kind: str, *states: str) -> int:
        """How many readings of this kind are in one of these states (in any, where none is given)."""
        return sum(1 for row in self.readings if row.kind == kind and (not states or row.state in states))

    @property
    def complete(self) -> bool:
        """Whether nothing that should have been read is unread."""
        return not any(row.state == "unread" for row in self.readings)


@dataclass(frozen=True, slots=True)
class Cost:
    """What the review cost. `usd` is None where a price is unknown; it is never guessed."""

    calls: int = 0
    usage: Usage = field(default_factory=Usage)
    usd: float | None = 0.0
    root_usd: float | None = 0.0
    failed_calls: int = 0
    models: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Transcript:
    """What a strategy hands back: raw findings, what was said, and how it ended."""

    findings: tuple[Finding, ...] = ()
    summary: str = ""
    turns: tuple[Turn, ...] = ()
    notes: tuple[str, ...] = ()  # sentences for the reader: a cap was reached, the provider went down
    partial: bool = False
    fault: Literal["", "provider", "interrupted"] = ""  # what cut it short, where it was not a cap


@dataclass(frozen=True, slots=True)
class Review:
    """The whole result, as every output reads it."""

    pull: PullRequest
    files: tuple[ChangedFile, ...]
    strategy: str
    reason: str  # why this strategy
    findings: tuple[Placed, ...]
    coverage: Coverage
    cost: Cost
    seconds: float
    summary: str = ""
    notes: tuple[str, ...] = ()
    partial: bool = False
    fault: Literal["", "provider", "interrupted"] = ""
    fail_on: Severity | None = None  # the bar of the exit code and of the conclusion
    dropped: int = 0  # findings that did not survive the checks
    turns: tuple[Turn, ...] = ()
    version: str = ""
