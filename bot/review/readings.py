"""Read one change in several passes.

Before the root looks around, its model reads the whole diff in one call. If workers read the change in parts, it reads
the diff of the riskiest files beside them, as much as fits into one call. Models that the owner names read the diff
instead, and without a root, so does the worker's model. Each pass misses some defects, and the number of passes that
report a defect shows how reliable it is. Findings about the same defect are merged before they are confirmed.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from bot.review import foresight
from bot.review.context.packing import pack
from bot.review.prompts import INSTRUCTIONS, PART_ANSWER, WHOLE_ANSWER
from bot.review.session import Session, Worker, WorkerReply
from bot.review.workers import ModelWorker, join
from bot.values import Unit

LEAST = 400  # tokens of a change; a smaller one is read in a single pass
# tokens of the largest change that gets several passes, and of one prompt
MOST_TOKENS, PROMPT = 120_000, 24_000
BUDGET_PART = 4  # at most 1/BUDGET_PART of a review's budget pays for these passes
CAREFUL = 80_000  # tokens of the riskiest files that the root's model reads in one call
# Joins the answers of the passes over the diff with another one
Join = Callable[[WorkerReply], Awaitable[WorkerReply]]


@dataclass(frozen=True, slots=True)
class CarefulPass:
    """A pass of the root's model over the diff of the riskiest files."""

    worker: ModelWorker
    units: Sequence[Unit]

    @property
    def paths(self) -> frozenset[str]:
        """The files that it reads."""
        return frozenset(unit.path for unit in self.units)


async def read(session: Session, reader: Worker, units: Sequence[Unit]) -> WorkerReply:
    """Read these code regions, and if they are the whole change, also read only their diff."""
    if not isinstance(reader, ModelWorker):
        return await reader.review(units)
    # A second call costs a third of the first one. Other repositories can only be read with look-ups.
    if reader.role == "root" and session.effort == "low" and not session.survey.consumers.readable:
        reader = replace(reader, look_ups=None)
    async with beside(session, reader, units) as passes:
        own = await reader.review(units)
        return await passes(own)


async def before_root(session: Session, units: Sequence[Unit]) -> tuple[WorkerReply, int]:
    """Read only the diff of these code regions, before a root searches the repository.

    Returns the joined answer, and the number of passes over the change, the root's included.
    """
    groups = pack(units, _room(session)) if len(units) == len(session.tracker.units) else []
    careful = _careful_pass(session, None, units) if groups and not session.others else None
    if careful is None:
        replies = await asyncio.gather(*(one.read_alone(groups) for one in _others(session, groups)))
        return join(replies), 1 + sum(map(_counts, replies))
    reply = await careful.worker.read_alone([careful.units])
    is_whole = len(careful.units) == len(units)  # a pass over some files is no pass over the others
    return reply, 1 + (is_whole and _counts(reply))


@asynccontextmanager
async def beside(session: Session, reader: ModelWorker, units: Sequence[Unit]) -> AsyncIterator[Join]:
    """Start the passes over the diff. Yields a function that joins their answers with the one of this worker."""
    is_whole = len(units) == len(session.tracker.units)
    groups = pack(units, _room(session)) if is_whole and reader.role != "root" else []
    tasks = [asyncio.create_task(worker.read_alone(groups)) for worker in _others(session, groups)]
    careful = _careful_pass(session, reader, units) if groups else None
    reading = [asyncio.create_task(careful.worker.read_alone([careful.units]))] if careful is not None else []

    async def joined(own: WorkerReply) -> WorkerReply:
        replies, read_carefully = [own, *await asyncio.gather(*tasks)], await asyncio.gather(*reading)
        passes = sum(map(_counts, replies))
        # A pass over some of the files is no pass over the others.
        reread = careful.paths if careful is not None and all(map(_counts, read_carefully)) else frozenset[str]()
        together = join([*replies, *read_carefully])
        return replace(
            together,
            findings=tuple(
                replace(finding, basis=replace(finding.basis, readings=passes + (finding.path in reread)))
                for finding in together.findings
            ),
        )

    try:
        yield joined
    finally:
        for task in (*tasks, *reading):
            task.cancel()
        await asyncio.gather(*tasks, *reading, return_exceptions=True)


def _counts(reply: WorkerReply) -> bool:
    """A pass that failed partly counts if it reported something, since its findings count as votes."""
    return bool(reply.findings) or not (reply.error or reply.notes)


def _careful_pass(session: Session, reader: ModelWorker | None, units: Sequence[Unit]) -> CarefulPass | None:
    """Return the pass of the root's model over the riskiest files; None if it reads everything in parts itself.

    It is fixed at the start, like the other passes.
    """
    root, worker, size = session.root, reader or session.worker, sum(unit.tokens for unit in units)
    if root is None or session.effort == "low" or not isinstance(worker, ModelWorker):
        return None
    if size <= (LEAST if reader is None else PROMPT) or worker.role == "root":
        return None
    window = session.calls.sizes.window(root)
    room = CAREFUL if window is None else min(CAREFUL, window - INSTRUCTIONS - WHOLE_ANSWER)
    chosen = list(riskiest(units, room))
    size = sum(unit.tokens for unit in chosen) + INSTRUCTIONS
    if not chosen or not foresight.affordable_calls(session.calls, root, size, "root", BUDGET_PART, 1):
        return None
    return CarefulPass(replace(worker, model=root, role="root", look_ups=None), chosen)


def riskiest(units: Sequence[Unit], room: int) -> Iterator[Unit]:
    """Yield the code regions of whole files, those with the highest risk first, as many as fit."""
    of_file: dict[str, list[Unit]] = {}
    for unit in units:
        of_file.setdefault(unit.path, []).append(unit)
    for mine in sorted(of_file.values(), key=lambda mine: (-max(unit.risk for unit in mine), mine[0].path)):
        size = sum(unit.tokens for unit in mine)
        if size <= room:
            room -= size
            yield from mine


def _others(session: Session, groups: Sequence[Sequence[Unit]]) -> list[ModelWorker]:
    """Return the workers that read only the diff.

    They are fixed at the start, by the size of the change and the remaining budget.
    """
    worker, size = session.worker, sum(unit.tokens for group in groups for unit in group)
    if session.effort == "low" or not LEAST <= size <= MOST_TOKENS or not isinstance(worker, ModelWorker):
        return []
    workers = [replace(worker, model=model) for model in session.others] or [worker]
    each, calls = size // len(groups) + INSTRUCTIONS, len(groups) * len(workers)
    held = min(
        foresight.affordable_calls(session.calls, one.model, each, one.role, BUDGET_PART, calls) for one in workers
    )
    return workers[: held // len(groups)]


def _room(session: Session) -> int:
    worker = session.worker
    window = session.calls.sizes.window(worker.model) if isinstance(worker, ModelWorker) else None
    return PROMPT if window is None else max(LEAST, min(PROMPT, window - INSTRUCTIONS - PART_ANSWER))
