"""The hooks that add the team's own checks to model passes, and determine their results."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from bot.features.own_checks.section import OWN_CHECKS_SECTION
from bot.review.hooks import ReviewHooks
from bot.review.session import Session
from bot.review.survey import Survey
from bot.values import Coverage, Finding, Unit

if TYPE_CHECKING:
    from bot.features.own_checks.asking import CheckQuestions


class OwnChecks(ReviewHooks):
    """Adds the checks to prompts, and combines the answers."""

    def asks(self, survey: Survey, units: Sequence[Unit]) -> "CheckQuestions | None":
        """Return the checks that apply to these code regions."""
        if not survey.brief.settings.requirements:
            return None
        from bot.features.own_checks import asking  # imported here because few repositories have own checks
        from bot.features.own_checks.values import from_settings

        checks = asking.applicable(from_settings(survey.brief.settings), units)
        return asking.CheckQuestions(checks) if checks else None

    def files_to_read(self, survey: Survey) -> frozenset[str]:
        """Return the files for which a check is new or was reworded since the earlier reviews."""
        if not survey.brief.settings.requirements:
            return frozenset()
        from bot.features.own_checks import verdicts

        return verdicts.files_to_read(survey)

    async def conclude(self, session: Session, coverage: Coverage, findings: Sequence[Finding]) -> Mapping[str, object]:
        """Return the result of each check."""
        del coverage, findings
        if not session.survey.brief.settings.requirements:
            return {OWN_CHECKS_SECTION.key: OWN_CHECKS_SECTION.empty}
        from bot.features.own_checks import verdicts

        return {OWN_CHECKS_SECTION.key: await verdicts.reports(session)}


OWN_CHECKS = OwnChecks()
