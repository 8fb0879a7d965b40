"""The form of the paper: the root alone decides what is read. For evaluation and training; nothing is guaranteed."""

from bot import seed
from bot.agent import loop
from bot.review.session import Session
from bot.values import Transcript


async def run(work: Session) -> Transcript:
    """The root's turns and nothing else: no pass of the workers before, no gate after."""
    start = seed.gather(work.pull, work.files, work.units, work.dependents)
    return await loop.run(work, start.text, gate=False)
