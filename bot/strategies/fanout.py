"""The harness maps every unit to a worker and reduces: no model-written code runs."""

from bot.review.session import Session, Worker, admit
from bot.values import Transcript


async def run(session: Session, *, checked: bool = False) -> Transcript:
    """Read every unread unit in some prompt, all prompts at once. `checked`: the analysers have run before."""
    if not checked and session.checks is not session.worker:
        await check_by_code(session)
    left = session.tracker.unread()
    session.say(f"reading {len(left)} units")
    answer = await session.worker.review(left)
    session.told += [answer.told] if answer.told else []
    session.refused += answer.dropped
    if answer.error:
        session.notes.append(answer.error)
    for finding in answer.findings:
        await admit(session, finding)
    await read_uses(session, session.worker)
    return Transcript(findings=tuple(session.findings), partial=bool(session.tracker.unread()))


async def read_uses(session: Session, worker: Worker) -> None:
    """Have a model read the uses of changed contracts that no comparison could decide and no prompt has shown."""
    from bot.review.workers import ModelWorker

    if not isinstance(worker, ModelWorker) or not session.tracker.open_uses():
        return
    session.say(f"reading {len(session.tracker.open_uses())} uses of what changed")
    answer = await worker.uses()
    session.refused += answer.dropped
    if answer.error:
        session.notes.append(answer.error)
    for finding in answer.findings:
        await admit(session, finding)


async def check_by_code(session: Session) -> None:
    """What the analysers prove stands before any model speaks: it costs nothing, and a model's finding can agree with it."""
    answer = await session.checks.review(session.units)
    if answer.error:
        session.notes.append(answer.error)
    for finding in answer.findings:
        await admit(session, finding)
