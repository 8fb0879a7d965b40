"""No model: the analysers judge the whole change."""

from bot.review.session import Session, admit
from bot.values import Transcript


async def run(session: Session) -> Transcript:
    """Run every check by code, once."""
    await check_by_code(session)
    return Transcript(findings=tuple(session.results.findings), partial=bool(session.tracker.unread()))


async def check_by_code(session: Session) -> None:
    """Have the analysers check: what they prove stands before any model speaks. It costs nothing, and a model's finding can agree with it."""
    answer = await session.analyzers.review(session.units)
    for finding in answer.findings:
        await admit(session, finding)
    session.say(session.survey.reading(session.results.findings, is_checked=True))
