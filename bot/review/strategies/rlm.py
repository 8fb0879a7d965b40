"""Let the workers read everything.

Then the root continues in the REPL with their findings, up to the gate.
"""

from dataclasses import replace

from bot.errors import public
from bot.review import pairs
from bot.review.agent import loop, seed
from bot.review.session import Session
from bot.review.strategies import fanout
from bot.review.strategies.choice import MANY_TURNS, ROOT_UNITS
from bot.values import IssueReport, Transcript
from deeprepo.rlm.errors import ReplUnavailable
from deeprepo.rlm.loop.conversation import MAX_TOKENS
from deeprepo.rlm.values import Usage, tokens

MANY_PAIRS = 1  # prompts of pairs in a change with more code regions than ROOT_UNITS
MANY_MESSAGE = 10_000  # tokens of the root's first message in such a change, which each turn sends again
INSTRUCTIONS = 4_000  # tokens of the root's system prompt, and of the findings in its first message


async def run(session: Session) -> Transcript:
    """Run the workers, then the root's turns.

    Confirmations come at the end, one for each remaining finding.
    """
    reserve(session)
    most = MANY_PAIRS if _has_many_units(session) else pairs.MOST_CALLS
    async with pairs.beside(session, most) as pairs_taken:
        await fanout.run(session, is_backed=True)
        await pairs_taken()
    await fanout.read_uses(session, session.worker)
    return await go_on(session)


async def go_on(session: Session, question: str = "", issue_reports: tuple[IssueReport, ...] = ()) -> Transcript:
    """Run the root's turns over the findings so far, then read whatever is still unread.

    `question`: what the root should settle first. `issue_reports`: answers about the linked issues from a
    pass over the whole change. If empty, the root is asked.
    """
    start = seed.gather(
        session.survey,
        session.results.findings,
        question,
        () if issue_reports else session.pull.issues,
        session.results.undecided_fingerprints,
        session.results.doubts,
        MANY_MESSAGE if _has_many_units(session) else seed.MESSAGE_TOKENS,
    )
    try:
        turns = min(session.calls.budget.limits.turns, MANY_TURNS) if _has_many_units(session) else None
        transcript = await loop.run(session, start, gate=True, turns=turns)
    except ReplUnavailable as error:
        session.calls.budget.keep(None)
        session.results.notes.append(
            f"the REPL did not start ({public(error)}), so only the workers' findings are shown"
        )
        return Transcript(findings=tuple(session.results.findings), partial=bool(session.tracker.unread()))
    if session.tracker.unread():
        await fanout.run(session, with_pairs=False)
    return replace(transcript, issues=issue_reports or session.results.issues)


def _has_many_units(session: Session) -> bool:
    """Return whether the change is so large that a root starts with less and gets fewer turns.

    Each turn would repeat only a small part of it.
    """
    return len(session.units) > ROOT_UNITS


def reserve(session: Session) -> None:
    """Reserve the budget for a first reply of the root, so that the workers cannot use it up."""
    if session.root is None:
        return
    usage = Usage(tokens(seed.gather(session.survey)) + INSTRUCTIONS, MAX_TOKENS)
    session.calls.budget.keep(usage, session.root.price)
