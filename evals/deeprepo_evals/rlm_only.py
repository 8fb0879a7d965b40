"""The strategy `rlm-only`, the form of the paper: the root alone decides what is read. Nothing is guaranteed, so no review uses it."""

from bot.review.agent import loop, seed
from bot.review.session import Session
from bot.values import Transcript


async def run(session: Session) -> Transcript:
    """Run the root's turns and nothing else: no pass of the workers before, no gate after."""
    return await loop.run(session, *seed.gather(session), gate=False)
