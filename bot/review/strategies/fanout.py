"""Send every code region to a worker and collect the answers. No code written by a model runs."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import replace

from bot.review import judging
from bot.review.analyzer_worker import AnalyzerWorker
from bot.review.session import Session, Worker, WorkerReply, admit
from bot.review.strategies.offline import run_static_checks
from bot.values import Transcript, Unit

PAIRS = 1  # prompts of pairs if no root continues afterwards


async def run(
    session: Session, *, is_checked: bool = False, is_backed: bool = False, with_pairs: bool = True
) -> Transcript:
    """Read every unread code region in some prompt, all in parallel.

    - `is_checked`: the analyzers have already run.
    - `is_backed`: pairs are compared elsewhere, and the caller has the remaining uses read at the end.
    - `with_pairs`: if there is a root model and the effort is not low, it compares the most informative
      pairs.
    """
    with_pairs = with_pairs and not is_backed and session.root is not None and session.effort != "low"
    beside = not is_checked and session.analyzers is not session.worker
    if beside:
        await compare(session)
    left = session.tracker.unread()
    session.say(f"reviewing {len(left)} code regions")
    async with _pairs(session) if with_pairs else nullcontext() as pairs_taken:
        async with checks_in_parallel(session) if beside else nullcontext():
            answer = await _read(session, left, is_backed=is_backed or with_pairs)
        await take(session, answer)
        judging.report_findings_so_far(session)
        session.results.notes += [answer.error] if answer.error else []
        if pairs_taken is not None:
            await pairs_taken()
    if not is_backed:
        await read_uses(session, session.worker)
    return Transcript(findings=tuple(session.results.findings), partial=bool(session.tracker.unread()))


async def _read(session: Session, left: tuple[Unit, ...], *, is_backed: bool) -> WorkerReply:
    """Return the joined answers of all passes. Without a model, no code for models is loaded."""
    if session.reader is None:
        return await session.worker.review(left)
    from bot.review import readings
    from bot.review.workers import ModelWorker

    worker = session.worker
    reader = replace(worker, is_backed=is_backed) if isinstance(worker, ModelWorker) else worker
    return await readings.read(session, reader, left)


async def take(session: Session, answer: WorkerReply) -> None:
    """Take over the findings and notes of an answer."""
    session.results.reader_notes += [answer.reader_notes] if answer.reader_notes else []
    session.results.answers += answer.answers
    session.results.refused_count += answer.dropped_count
    session.results.notes += answer.notes
    for finding in answer.findings:
        await admit(session, finding)


def _pairs(session: Session) -> AbstractAsyncContextManager[Callable[[], Awaitable[object]]]:
    """Compare pairs in parallel. Imported here, since a review without a model doesn't need it."""
    from bot.review import pairs

    return pairs.beside(session, PAIRS)


async def read_uses(session: Session, worker: Worker) -> None:
    """Have a model read the uses of changed contracts that neither a comparison nor a prompt has covered."""
    from bot.review.workers import ModelWorker

    if not isinstance(worker, ModelWorker) or not session.tracker.open_uses():
        return
    session.say(f"reading {len(session.tracker.open_uses())} references to changed code")
    answer = await worker.uses()
    await take(session, answer)
    session.results.notes += [answer.error] if answer.error else []


async def compare(session: Session) -> None:
    """Compare uses with changed contracts, so that prompts show first what stays undecided."""
    if isinstance(session.analyzers, AnalyzerWorker):
        await session.analyzers.compare(session.units)


@asynccontextmanager
async def checks_in_parallel(session: Session) -> AsyncIterator[None]:
    """Run the analyzers in parallel to a model pass, starting when its first request is sent.

    Their findings are admitted at the end, even if the pass fails or is interrupted, because they cost
    nothing.
    """
    read = asyncio.Event()
    checking = asyncio.create_task(_check_once_sent(session, read))
    try:
        try:
            yield
        finally:
            read.set()
            await checking
    finally:
        checking.cancel()
        await asyncio.gather(checking, return_exceptions=True)


async def _check_once_sent(session: Session, read: asyncio.Event) -> None:
    """Run the static checks once a request is sent, or once the pass ended without one."""
    either = [asyncio.create_task(event.wait()) for event in (session.calls.sent, read)]
    try:
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in either:
            task.cancel()
    await run_static_checks(session)
