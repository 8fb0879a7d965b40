"""One call with the whole change and the unchanged code around it: for small changes, and as the baseline."""

from dataclasses import replace

from bot.errors import PromptTooLong
from bot.review.session import Session, admit
from bot.review.workers import ModelWorker
from bot.strategies import fanout
from bot.values import Transcript


async def run(work: Session) -> Transcript:
    """One structured answer of the root, or of the worker where there is no root."""
    model = work.root or work.reader
    if model is None or not isinstance(work.worker, ModelWorker):
        return Transcript(partial=True, notes=("no model is configured",), fault="provider")
    await fanout.check_by_code(work)
    work.say(f"asking {model.name}")
    reader = replace(work.worker, model=model, role="root", whole=True)
    try:
        answer = await reader.review(work.ledger.unread())
    except PromptTooLong as error:
        work.notes.append(f"The change does not fit one prompt ({error}): it was read in parts.")
        return await fanout.run(work, checked=True)
    work.refused += answer.dropped
    for finding in answer.findings:
        await admit(work, finding)
    if answer.error:
        return Transcript(tuple(work.findings), partial=True, notes=(answer.error,))
    await fanout.read_uses(work, reader)
    return Transcript(tuple(work.findings), answer.text, partial=bool(work.ledger.unread()))
