"""Read the whole change and the unchanged code around it in one call.

For small changes, and as a baseline.
"""

from dataclasses import replace

from bot.errors import public
from bot.review import judging, readings
from bot.review.context.packing import SMALL_SCALE, scale
from bot.review.session import Session
from bot.review.strategies import fanout
from bot.review.workers import ModelWorker
from bot.values import Transcript
from deeprepo.rlm.errors import PromptTooLong


async def run(session: Session) -> Transcript:
    """Ask the root, or the worker if there is no root, for one structured answer."""
    model = session.root or session.reader
    if model is None or not isinstance(session.worker, ModelWorker):
        return Transcript(partial=True, notes=("no model is configured",), fault="provider")
    await fanout.compare(session)
    session.say(f"waiting for the model {model.name}")
    reader = replace(session.worker, model=model, role="root", whole=True)
    try:
        async with fanout.checks_in_parallel(session):
            answer = await readings.read(session, reader, session.tracker.unread())
    except PromptTooLong as error:
        session.results.notes.append(
            f"The change does not fit into one prompt ({public(error)}), so it was reviewed in parts."
        )
        return await fanout.run(session, is_checked=True, with_pairs=False)
    await fanout.take(session, answer)
    judging.report_findings_so_far(session)
    if answer.error:
        return Transcript(tuple(session.results.findings), partial=True, notes=(answer.error,))
    # The root reads the few that a small change leaves, and a worker those of a larger one.
    await fanout.read_uses(session, reader if scale(session.units) == SMALL_SCALE else session.worker)
    return Transcript(
        tuple(session.results.findings),
        answer.text,
        partial=bool(session.tracker.unread()),
        issues=answer.issues,
    )
