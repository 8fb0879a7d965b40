"""The settings of a review, each with its type and what it is if nobody sets it: no flag, no file, no variable."""

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal

from bot.levels import Strategy
from bot.values import CheckSeverity, Effort, ReviewEffort, Severity, Tone
from bot.values.consumer import Disclosure

if TYPE_CHECKING:
    from bot.config.sections import RunSection


IN_WORDS = {"in_words": True}  # mark of a setting that holds sentences of its owner


@dataclass(frozen=True, slots=True)
class ReviewSettings:
    """What a review goes by. The schema of the repository's file describes each setting and bounds it."""

    root: str | None = None
    worker: str | None = None
    thinking: Effort | None = None
    timeout: float = 300.0
    concurrency: int | None = None
    context: int | None = None
    effort: ReviewEffort = "medium"
    strategy: Strategy = "auto"
    usd: float = 1.0
    tokens: int = 2_000_000
    calls: int = 1_000
    seconds: float = 900.0
    ignore: tuple[str, ...] = ()
    quota: int = 4
    minimum_severity: Severity = "low"
    tone: Tone = "normal"
    fail_on: Severity | None = None
    strict: bool = False
    request_changes: Severity | Literal["off"] = "off"
    pause_after: int | None = None
    linked_issues: bool = True
    verify: bool = True
    consumers: tuple[str, ...] = ()
    as_consumer: Disclosure = "name"
    analyzers: tuple[str, ...] = (
        "contracts", "references", "ruff", "secrets", "settings", "oxlint", "shellcheck", "zizmor", "hadolint", "schemas", "declarations",
    )  # fmt: skip
    lenses: tuple[str, ...] = (
        "correctness", "contracts", "security", "data", "concurrency", "errors", "api", "tests",
    )  # fmt: skip
    language: str = "en"
    instructions: tuple[tuple[str, str], ...] = field(default=(), metadata=IN_WORDS)  # path and text
    rules: tuple[tuple[str, str, str], ...] = field(default=(), metadata=IN_WORDS)  # path, kind and text
    learnings: tuple[tuple[str, str, str], ...] = field(default=(), metadata=IN_WORDS)  # path, symbol and text
    # Name, question, paths and severity of each.
    checks: tuple[tuple[str, str, tuple[str, ...], CheckSeverity], ...] = field(default=(), metadata=IN_WORDS)
    guidelines: bool = True
    walkthrough: bool = True
    ci: bool = True
    run: "RunSection | None" = None


DEFAULTS: dict[str, Any] = {setting.name: setting.default for setting in fields(ReviewSettings)}
SENTENCES = tuple(setting.name for setting in fields(ReviewSettings) if "in_words" in setting.metadata)  # settings
