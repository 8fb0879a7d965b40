"""Review without a model: the analyzers judge the whole change."""

from bot.review import judging
from bot.review.session import Session, admit
from bot.values import Transcript


async def run(session: Session) -> Transcript:
    """Run every static check once."""
    await run_static_checks(session)
    return Transcript(findings=tuple(session.results.findings), partial=bool(session.tracker.unread()))


async def run_static_checks(session: Session) -> None:
    """Run the analyzers and admit their findings.

    This happens before any model's findings, which can then agree with them.
    """
    answer = await session.analyzers.review(session.units)
    for finding in answer.findings:
        await admit(session, finding)
    judging.report_findings_so_far(session)
