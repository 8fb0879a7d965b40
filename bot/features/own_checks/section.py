"""The section of a review with a table of own checks and their results."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from bot.outputs import parts
from bot.render import Phrases, Safe
from bot.render.section import Place, Section
from bot.values import RequiredCheckResult, Review

if TYPE_CHECKING:
    from rich.console import RenderableType

    from bot.config import Config
    from bot.features.own_checks.values import CheckReport

    Reports = tuple[CheckReport, ...]

CHECK_MARKS: Mapping[RequiredCheckResult, str] = {
    "failed": "❌",
    "undecided": "❔",
    "unasked": "⚪",
    "passed": "✅",
    "inapplicable": "▫️",
}


class OwnChecksSection(Section["Reports"]):
    """The result of each own check."""

    key = "checks"
    empty = ()
    place: ClassVar[Place] = "below"
    template = "own_checks/section.md.j2"
    is_remembered = True

    @property
    def part_type(self) -> Any:  # noqa: ANN401 - a type
        """Return the type of the reports."""
        # Imported here because few repositories have own checks.
        from bot.features.own_checks.values import CheckReport

        return tuple[CheckReport, ...]

    def values(self, review: Review, words: Phrases, most: int) -> Mapping[str, Any]:
        """Return the rows of the table."""
        del most
        return {self.key: [_row(report, review, words) for report in self.of(review)]}

    def in_terminal(self, part: "Reports", most: int | None) -> "Iterable[RenderableType]":
        """Return the table."""
        del most
        if not part:
            return []
        from bot.features.own_checks import console  # imported here because comments need no terminal

        return [console.table(part)]

    def recall(self, row: Any) -> "Reports":  # noqa: ANN401 - any JSON value
        """Return the stored results."""
        from pydantic import TypeAdapter

        return TypeAdapter(self.part_type).validate_python(row)  # type: ignore[no-any-return]

    def with_settings(self, part: "Reports", settings: "Config") -> "Reports":
        """Return the reports with the severities from these settings.

        A check that is no longer in the settings gets the severity "note", so it cannot fail.
        """
        from bot.features.own_checks.values import from_settings

        severities = {setting.digest: setting.severity for setting in from_settings(settings)}
        return tuple(replace(report, severity=severities.get(report.digest, "note")) for report in part)


OWN_CHECKS_SECTION = OwnChecksSection()


def _row(report: "CheckReport", review: Review, words: Phrases) -> dict[str, Any]:
    return {
        "name": report.name,
        "mark": Safe(CHECK_MARKS[report.result]),
        "result": Safe(words.say(f"check_is_{report.result}")),
        "severity": report.severity,
        "stops": report.blocks,
        "reason": report.explain(words),
        "quotes": [parts.evidence(item, review.pull) for item in report.quotes],
        "tokens": report.tokens,
    }
