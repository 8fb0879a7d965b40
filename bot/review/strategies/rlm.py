"""The workers read everything first; then the root continues in the REPL with their findings, across units, up to the gate."""

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

MANY_PAIRS = 1  # prompt of pairs of a change that has more units than a root usually gets
MANY_MESSAGE = 10_000  # tokens of the root's first message then, which each of its turns sends again
INSTRUCTIONS = 4_000  # tokens of the root's system prompt and of the findings in its first message


async def run(session: Session) -> Transcript:
    """Fan out, then the root's turns. Second opinions come at the end: each thing that is left gets one."""
    reserve(session)
    most = MANY_PAIRS if _has_many_units(session) else pairs.MOST_CALLS
    async with pairs.beside(session, most) as pairs_taken:
        await fanout.run(session, is_backed=True)
        await pairs_taken()
    await fanout.read_uses(session, session.worker)
    return await go_on(session)


async def go_on(session: Session, question: str = "", issue_reports: tuple[IssueReport, ...] = ()) -> Transcript:
    """Run the root's turns over what was found so far, then whatever is still unread. `question`: what it should settle first.

    `issue_reports`: what a reader of the whole change has said of the issues that it closes; without it the root is asked.
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
    """Whether each turn of a root would repeat a small part of a very large change: then it has less to begin with, and fewer turns."""
    return len(session.units) > ROOT_UNITS


def reserve(session: Session) -> None:
    """Keep a first reply of the root back, so that the workers cannot read the whole budget away before it has a turn."""
    if session.root is None:
        return
    usage = Usage(tokens(seed.gather(session.survey)) + INSTRUCTIONS, MAX_TOKENS)
    session.calls.budget.keep(usage, session.root.price)
