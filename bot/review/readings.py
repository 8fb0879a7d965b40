"""Several readings of one change: beside the reader with the code around it another sees the diff alone, from its end; or other models do.

No reader finds everything: of what one overlooks another sees a part, and how many have found a thing says what it is worth. What they
find is joined where it is one defect; second opinions come after that.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from bot.review import foresight
from bot.review.context.packing import pack
from bot.review.prompts import INSTRUCTIONS, PART_ANSWER
from bot.review.session import Session, Worker, WorkerReply
from bot.review.workers import ModelWorker, join
from bot.values import Unit

LEAST = 400  # tokens of a change that is read more than once: of fewer one reading sees all there is
MOST_TOKENS, PROMPT = 120_000, 24_000  # tokens of one that is read more than once at all, and of one prompt
BUDGET_PART = 4  # of what a review may spend, one in so many pays for these readings


async def read(session: Session, reader: Worker, units: Sequence[Unit]) -> WorkerReply:
    """Have these units read with the code around them, and if they are the whole change, the diff alone, too."""
    if not isinstance(reader, ModelWorker):
        return await reader.review(units)
    groups = pack(units, _room(session)) if len(units) == len(session.tracker.units) else []
    others = [
        asyncio.create_task(worker.read_alone(groups, backwards=not index % 2))
        for index, worker in enumerate(_others(session, groups))
    ]
    try:
        replies = [await reader.review(units), *await asyncio.gather(*others)]
    finally:
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
    # One that has failed in part counts if it has found something: its findings are votes.
    count = sum(bool(reply.findings) or not (reply.error or reply.notes) for reply in replies)
    together = join(replies)
    return replace(
        together,
        findings=tuple(replace(finding, basis=replace(finding.basis, readings=count)) for finding in together.findings),
    )


def _others(session: Session, groups: Sequence[Sequence[Unit]]) -> list[ModelWorker]:
    """Who reads the diff alone, fixed at the start: by the size of the change, and by what the budget holds then."""
    worker, size = session.worker, sum(unit.tokens for group in groups for unit in group)
    if session.effort == "low" or not LEAST <= size <= MOST_TOKENS or not isinstance(worker, ModelWorker):
        return []
    workers = [replace(worker, model=model) for model in session.others] or [worker]
    each, calls = size // len(groups) + INSTRUCTIONS, len(groups) * len(workers)
    held = min(foresight.room_for(session.calls, one.model, each, one.role, BUDGET_PART, calls) for one in workers)
    return workers[: held // len(groups)]


def _room(session: Session) -> int:
    """Tokens of a diff in one prompt; 0 where the model's window is not known to be small."""
    worker = session.worker
    window = session.calls.sizes.window(worker.model) if isinstance(worker, ModelWorker) else None
    return PROMPT if window is None else max(LEAST, min(PROMPT, window - INSTRUCTIONS - PART_ANSWER))
