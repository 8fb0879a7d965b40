"""The checks while a change is reviewed: readers are asked them beside what they read anyway."""

from collections.abc import Mapping, Sequence

from bot.features.own_checks import asking, verdicts
from bot.features.own_checks.values import of_settings
from bot.review.hooks import ReviewHooks
from bot.review.session import Session
from bot.review.survey import Survey
from bot.values import Coverage, Finding, Unit


class OwnChecks(ReviewHooks):
    """Asks, and puts together what was answered."""

    def asks(self, survey: Survey, units: Sequence[Unit]) -> asking.AskedChecks | None:
        """Ask what is about the files of these units."""
        checks = asking.about(of_settings(survey.brief.settings), units)
        return asking.AskedChecks(checks) if checks else None

    def files_to_read(self, survey: Survey) -> frozenset[str]:
        """Name the files of which a check was not asked in the rounds before, or in other words."""
        return verdicts.files_to_read(survey)

    async def conclude(self, session: Session, coverage: Coverage, findings: Sequence[Finding]) -> Mapping[str, object]:
        """Say what each check comes to."""
        del coverage, findings
        return {asking.AskedChecks.key: await verdicts.reports(session)}


OWN_CHECKS = OwnChecks()
