"""No model: the analysers judge the whole change."""

from bot.review.session import Session
from bot.review.strategies import fanout
from bot.values import Transcript


async def run(session: Session) -> Transcript:
    """Run every check by code, once."""
    await fanout.check_by_code(session)
    return Transcript(findings=tuple(session.results.findings), partial=bool(session.tracker.unread()))
