"""The workers read everything first; then the root continues in the REPL with their findings, across units, up to the gate."""

from bot import seed
from bot.errors import ReplUnavailable
from bot.rlm import loop
from bot.rlm.work import Work
from bot.strategies import fanout
from bot.values import Transcript


async def run(work: Work) -> Transcript:
    """Fan out, then the root's turns, then whatever is still unread."""
    await fanout.read_all(work)
    start = seed.gather(work.pull, work.files, work.units, work.dependents, work.findings)
    try:
        transcript = await loop.run(work, start.text, gate=True)
    except ReplUnavailable as error:
        work.notes.append(f"the REPL did not start ({error}): the workers' findings stand as they are")
        return Transcript(findings=tuple(work.findings), partial=bool(work.ledger.unread()))
    if work.ledger.unread():
        await fanout.read_all(work)
    return transcript
