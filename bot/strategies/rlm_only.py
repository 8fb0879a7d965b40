"""The form of the paper: the root alone decides what is read. For evaluation and training; nothing is guaranteed."""

from bot.agent import loop, seed
from bot.review.session import Session
from bot.values import Transcript


async def run(session: Session) -> Transcript:
    """The root's turns and nothing else: no pass of the workers before, no gate after."""
    start = seed.gather(session.pull, session.files, session.units, session.dependents)
    return await loop.run(session, start.text, gate=False)
