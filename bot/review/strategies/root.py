"""Read the diff in one call, then let the root model search the repository.

If no REPL starts, the change is read in parts instead.
"""

from dataclasses import replace

from bot.review import judging, readings
from bot.review.agent import seed
from bot.review.overlooked import overlooked
from bot.review.session import Session
from bot.review.strategies import parts, rlm
from bot.review.strategies.offline import run_static_checks
from bot.values import Transcript


async def run(session: Session) -> Transcript:
    """Run the pass over the diff, then the root's turns over its findings and the whole repository.

    If the root writes no code, the workers read everything. Confirmations come at the end.
    """
    units = session.tracker.unread()
    await parts.compare(session)
    await run_static_checks(session)
    reading, passes = await readings.before_root(session, units)
    await parts.take(session, reading)
    judging.report_findings_so_far(session)
    session.results.listed = await overlooked(session, session.results.findings)
    start, shown = seed.gather(session, alone=units)
    transcript = await rlm.look_around(session, start, shown, alone=True)
    if not any(turn.code for turn in transcript.turns):
        answer = await session.worker.review(units)
        await parts.take(session, answer)
        session.results.notes += [answer.error] if answer.error else []
        transcript = replace(transcript, summary=answer.text)
    rows = session.results.findings
    rows[:] = [replace(one, basis=replace(one.basis, readings=passes)) if one.basis.votes else one for one in rows]
    return replace(transcript, findings=tuple(rows), partial=transcript.partial or bool(session.tracker.unread()))
