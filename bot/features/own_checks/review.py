"""The checks while a change is reviewed: readers are asked them beside what they read anyway."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from bot.features.own_checks.section import OWN_CHECKS_SECTION
from bot.review.hooks import ReviewHooks
from bot.review.session import Session
from bot.review.survey import Survey
from bot.values import Coverage, Finding, Unit

if TYPE_CHECKING:
    from bot.features.own_checks.asking import AskedChecks


class OwnChecks(ReviewHooks):
    """Asks, and puts together what was answered."""

    def asks(self, survey: Survey, units: Sequence[Unit]) -> "AskedChecks | None":
        """Ask what is about the files of these units."""
        if not survey.brief.settings.must_hold:
            return None
        from bot.features.own_checks import asking  # here: few repositories have checks of their own
        from bot.features.own_checks.values import of_settings

        checks = asking.about(of_settings(survey.brief.settings), units)
        return asking.AskedChecks(checks) if checks else None

    def files_to_read(self, survey: Survey) -> frozenset[str]:
        """Name the files of which a check was not asked in the rounds before, or in other words."""
        if not survey.brief.settings.must_hold:
            return frozenset()
        from bot.features.own_checks import verdicts

        return verdicts.files_to_read(survey)

    async def conclude(self, session: Session, coverage: Coverage, findings: Sequence[Finding]) -> Mapping[str, object]:
        """Say what each check comes to."""
        del coverage, findings
        if not session.survey.brief.settings.must_hold:
            return {OWN_CHECKS_SECTION.key: OWN_CHECKS_SECTION.nothing}
        from bot.features.own_checks import verdicts

        return {OWN_CHECKS_SECTION.key: await verdicts.reports(session)}


OWN_CHECKS = OwnChecks()
