"""The team's own checks: the questions, their results, and the table of results in a review."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from bot.render import Phrases, Safe, line, load
from bot.render.places import evidence
from bot.sections.section import Place, Section
from bot.values import Evidence, RequiredCheck, RequiredCheckResult, RequiredCheckSeverity, Review
from deeprepo.rlm.values import Exact

if TYPE_CHECKING:
    from rich.console import RenderableType

    from bot.config import Config


CHECK_MARKS: Mapping[RequiredCheckResult, str] = {
    "failed": "❌",
    "undecided": "❔",
    "unasked": "⚪",
    "passed": "✅",
    "inapplicable": "▫️",
}


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

    def explain(self, words: Phrases) -> str:
        """Return the reason for the result, as sentences."""
        by_code = words.say(f"check_{self.cause.replace('-', '_')}") if self.cause else ""
        return " ".join(filter(None, (by_code, self.reason)))


def _table(reports: Sequence[CheckReport]) -> "RenderableType":
    from rich.console import Group
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    from bot.render.terminal import WIDTH

    words = load()
    grid = Table.grid(padding=(0, 2), expand=True)
    grid.add_column(no_wrap=True, overflow="ellipsis", max_width=WIDTH // 3)
    grid.add_column(no_wrap=True)
    grid.add_column(ratio=1)
    for report in reports:
        style = {"failed": "bold red", "passed": "green"}.get(report.result, "yellow" if report.lacks_result else "dim")
        places = [f"{line(item.path)}:{item.line}" for item in report.quotes]
        row = Text.assemble(line(report.explain(words)), *((f"  {place}", "cyan") for place in places))
        row.append(f"  {report.tokens:,} tokens" if report.tokens else "", "dim")
        result = words.say(f"check_is_{report.result}") + (f", {words.say('check_stops')}" if report.blocks else "")
        grid.add_row(line(report.name), Text(result, style), row)
    return Padding(Group(Text(words.say("checks_head"), "bold"), grid), (1, 0, 0, 0))


Reports = tuple[CheckReport, ...]


class OwnChecksSection(Section[Reports]):
    """The result of each own check."""

    key = "checks"
    part_type = Reports
    empty = ()
    place: ClassVar[Place] = "below"
    template = "own_checks/section.md.j2"
    is_remembered = True

    def values(self, review: Review, words: Phrases, most: int) -> Mapping[str, Any]:
        """Return the rows of the table."""
        del most
        return {self.key: [_row(report, review, words) for report in self.of(review)]}

    def in_terminal(self, part: Reports, most: int | None) -> "Iterable[RenderableType]":
        """Return the table."""
        del most
        return [_table(part)] if part else []

    def recall(self, row: Any) -> Reports:  # noqa: ANN401 - any JSON value
        """Return the stored results."""
        from pydantic import TypeAdapter

        return TypeAdapter(self.part_type).validate_python(row)

    def with_settings(self, part: Reports, settings: "Config") -> Reports:
        """Return the reports with the severities from these settings.

        A check that is no longer in the settings gets the severity "note", so it cannot fail.
        """
        severities = {setting.digest: setting.severity for setting in from_settings(settings)}
        return tuple(replace(report, severity=severities.get(report.digest, "note")) for report in part)


OWN_CHECKS_SECTION = OwnChecksSection()


def _row(report: CheckReport, review: Review, words: Phrases) -> dict[str, Any]:
    return {
        "name": report.name,
        "mark": Safe(CHECK_MARKS[report.result]),
        "result": Safe(words.say(f"check_is_{report.result}")),
        "severity": report.severity,
        "stops": report.blocks,
        "reason": report.explain(words),
        "quotes": [evidence(item, review.pull) for item in report.quotes],
        "tokens": report.tokens,
    }
