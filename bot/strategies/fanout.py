"""The harness maps every unit to a worker and reduces: no model-written code runs."""

from bot.review.session import Session, Worker, admit
from bot.review.workers import ModelWorker
from bot.values import Transcript


async def run(work: Session, *, checked: bool = False) -> Transcript:
    """Read every unread unit in some prompt, all prompts at once. `checked`: the analysers have run before."""
    if not checked and work.checks is not work.worker:
        await check_by_code(work)
    left = work.ledger.unread()
    work.say(f"reading {len(left)} units")
    answer = await work.worker.review(left)
    work.refused += answer.dropped
    if answer.error:
        work.notes.append(answer.error)
    for finding in answer.findings:
        await admit(work, finding)
    await read_uses(work, work.worker)
    return Transcript(findings=tuple(work.findings), partial=bool(work.ledger.unread()))


async def read_uses(work: Session, worker: Worker) -> None:
    """Have a model read the uses of changed contracts that no comparison could decide and no prompt has shown."""
    if not isinstance(worker, ModelWorker) or not work.ledger.open_uses():
        return
    work.say(f"reading {len(work.ledger.open_uses())} uses of what changed")
    answer = await worker.uses()
    work.refused += answer.dropped
    if answer.error:
        work.notes.append(answer.error)
    for finding in answer.findings:
        await admit(work, finding)


async def check_by_code(work: Session) -> None:
    """What the analysers prove stands before any model speaks: it costs nothing, and a model's finding can agree with it."""
    answer = await work.checks.review(work.units)
    if answer.error:
        work.notes.append(answer.error)
    for finding in answer.findings:
        await admit(work, finding)
