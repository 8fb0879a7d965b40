"""The workers read everything first; then the root continues in the REPL with their findings, across units, up to the gate."""

from bot import seed
from bot.agent import loop, messages
from bot.errors import ReplUnavailable
from bot.llm.budget import Hold, dearest
from bot.review.session import Session
from bot.strategies import fanout
from bot.values import Transcript, Usage, tokens

INSTRUCTIONS = 4_000  # tokens of the root's system prompt and of the findings in its first message


async def run(work: Session) -> Transcript:
    """Fan out, then the root's turns, then whatever is still unread."""
    reserve(work)
    await fanout.run(work)
    start = seed.gather(work.pull, work.files, work.units, work.dependents, work.findings)
    try:
        transcript = await loop.run(work, start.text, gate=True)
    except ReplUnavailable as error:
        work.calls.budget.keep(None)
        work.notes.append(f"the REPL did not start ({error}): the workers' findings are kept")
        return Transcript(findings=tuple(work.findings), partial=bool(work.ledger.unread()))
    if work.ledger.unread():
        await fanout.run(work)
    return transcript


def reserve(work: Session) -> None:
    """Keep a first reply of the root back, so that the workers cannot read the whole budget away before it has a turn."""
    if work.root is None:
        return
    start = seed.gather(work.pull, work.files, work.units, work.dependents)
    usage = Usage(tokens(start.text) + INSTRUCTIONS, messages.MAX_TOKENS)
    work.calls.budget.keep(Hold(usage.input + usage.output, dearest(work.root.price, usage) or 0.0))
