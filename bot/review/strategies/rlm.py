"""Let the workers read everything.

Then the root continues in the REPL with their findings, up to the gate.
"""

from collections.abc import Sequence
from dataclasses import replace

from bot.errors import public
from bot.review.agent import loop, seed
from bot.review.session import Session
from bot.review.strategies import parts
from bot.values import Transcript, Unit
from deeprepo.rlm.errors import ReplUnavailable
from deeprepo.rlm.loop.conversation import MAX_TOKENS
from deeprepo.rlm.values import Usage, tokens

INSTRUCTIONS = 4_000  # tokens of the root's system prompt, and of the findings in its first message


async def run(session: Session) -> Transcript:
    """Run the workers, then the root's turns, then read whatever is still unread.

    Confirmations come at the end, one for each remaining finding.
    """
    reserve(session)
    await parts.run(session, by_workers=True)
    transcript = await look_around(session, *seed.gather(session))
    if session.tracker.unread(never_asked=True):
        await parts.run(session, by_workers=True, never_asked=True)
    return replace(transcript, partial=transcript.partial or bool(session.tracker.unread()))


async def look_around(session: Session, start: str, shown: Sequence[Unit], *, alone: bool = False) -> Transcript:
    """Run the root's turns, which begin with this message. It shows these code regions.

    `alone`: no workers have read the change in parts.
    """
    try:
        transcript = await loop.run(session, start, shown, gate=not alone, alone=alone)
    except ReplUnavailable as error:
        session.calls.budget.keep(None)
        session.results.notes.append(f"the REPL did not start ({public(error)}), so the root model did not look around")
        return Transcript(findings=tuple(session.results.findings))
    return replace(transcript, issues=session.results.issues)


def reserve(session: Session) -> None:
    """Reserve the budget for a first reply of the root, so that the workers cannot use it up."""
    if session.root is None:
        return
    usage = Usage(tokens(seed.gather(session)[0]) + INSTRUCTIONS, MAX_TOKENS)
    session.calls.budget.keep(usage, session.root.price)
