"""No model: the analysers judge the whole change."""

from bot.review.session import Session
from bot.strategies import fanout
from bot.values import Transcript


async def run(work: Session) -> Transcript:
    """Every check by code, once."""
    await fanout.check_by_code(work)
    return Transcript(findings=tuple(work.findings), partial=bool(work.ledger.unread()))
