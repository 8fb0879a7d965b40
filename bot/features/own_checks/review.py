"""Add the team's own checks to model passes, and determine their results."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from bot.features.own_checks.section import OWN_CHECKS_SECTION
from bot.values import Unit

if TYPE_CHECKING:
    from bot.features.own_checks.asking import CheckQuestions
    from bot.review.session import Session
    from bot.review.survey import Survey


def questions(survey: "Survey", units: Sequence[Unit]) -> "CheckQuestions | None":
    """Return the checks that apply to these code regions."""
    from bot.features.own_checks import asking  # imported here because few repositories have own checks
    from bot.features.own_checks.values import from_settings

    checks = asking.applicable(from_settings(survey.brief.settings), units)
    return asking.CheckQuestions(checks) if checks else None


def files_to_read(survey: "Survey") -> frozenset[str]:
    """Return the files for which a check is new or was reworded since the earlier reviews."""
    if not survey.brief.settings.requirements:
        return frozenset()
    from bot.features.own_checks import verdicts

    return verdicts.files_to_read(survey)


async def results(session: "Session") -> Mapping[str, object]:
    """Return the result of each check, by section key."""
    if not session.survey.brief.settings.requirements:
        return {OWN_CHECKS_SECTION.key: OWN_CHECKS_SECTION.empty}
    from bot.features.own_checks import verdicts

    return {OWN_CHECKS_SECTION.key: await verdicts.reports(session)}
