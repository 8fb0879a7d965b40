"""The team's own checks: which files are to be read for them, and what they come to in this round."""

from bot.checkout.views import ShownTree
from bot.review.session import Session
from bot.review.survey import Survey
from bot.values import CheckReport


def files_to_ask_about(subject: Survey) -> frozenset[str]:
    """The files that a check is about which no round before has asked."""
    from bot.findings import custom_checks

    earlier = subject.past.earlier
    return custom_checks.files_to_read(subject.checks, earlier.checks if earlier else (), subject.units)


async def reports(session: Session) -> tuple[CheckReport, ...]:
    """What the team's own checks come to: the answers of this round, and those before about what was not read again."""
    subject = session.survey
    if not subject.checks:
        return ()
    from bot.findings import custom_checks

    scene = custom_checks.CheckScene(
        ShownTree(subject.tree, subject.masks),
        subject.files,
        subject.units,
        subject.tracker.fresh(),
        subject.past.earlier.checks if subject.past.earlier else (),
        session.reader is not None,
    )
    return await custom_checks.reports(subject.checks, session.check_answers, scene)
