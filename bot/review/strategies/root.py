"""Let the root model read the change and search the repository.

Other models read only the diff meanwhile. If no REPL starts, the change is read in parts instead.
"""

from dataclasses import replace

from bot.diff.units import ShownLines
from bot.features.overlooked.section import overlooked
from bot.review import judging, readings
from bot.review.agent import seed
from bot.review.context import callers
from bot.review.session import Session, WorkerReply
from bot.review.strategies import parts, rlm
from bot.review.strategies.offline import run_static_checks
from bot.review.workers import join
from bot.values import Source, Transcript

USERS = 3_000  # tokens of code that uses what changed, in the first message


async def run(session: Session) -> Transcript:
    """Run the root's turns, and join its findings with those of the passes over the diff.

    What the root leaves unread is then read by the workers, and everything if it writes no code. Confirmations come at
    the end.
    """
    units = session.tracker.unread()
    await parts.compare(session)
    await run_static_checks(session)
    judging.report_findings_so_far(session)
    first = [use.reference for use in session.tracker.open_uses()]
    users = await callers.show(session.tree, callers.call_sites(units, first), ShownLines(session.units), USERS)
    places = await overlooked(session, session.results.findings)
    start = seed.gather(session, alone=True, users=users, places=places)
    async with readings.beside(session, None, units) as passes:
        transcript = await rlm.look_around(session, start, alone=True)
        # A root that wrote no code was shown the change, but has not judged it
        left = units
        if session.root is not None and any(turn.code for turn in transcript.turns):
            session.tracker.mark((unit.id for unit in units), str(Source("model", session.root.name, "root")))
            left = ()
        rows = session.results.findings
        replies = [WorkerReply("", tuple(finding for finding in rows if finding.basis.has_root))]
        replies += [await session.worker.review(left)] if left else []
        answer = await passes(join(replies))
    rows[:] = [finding for finding in rows if not finding.basis.has_root]
    await parts.take(session, answer)
    session.results.notes += [answer.error] if answer.error else []
    summary = answer.text if left else transcript.summary
    return replace(
        transcript, summary=summary, findings=tuple(rows), partial=transcript.partial or bool(session.tracker.unread())
    )
