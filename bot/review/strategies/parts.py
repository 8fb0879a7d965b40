"""Read the change in one prompt if it fits, else in parts. No code written by a model runs."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

from bot.review import judging, readings
from bot.review.analyzer_worker import AnalyzerWorker
from bot.review.context.packing import ONE_PROMPT
from bot.review.session import Session, WorkerReply, admit
from bot.review.strategies.offline import run_static_checks
from bot.review.workers import ModelWorker
from bot.values import Transcript, Unit


async def run(session: Session, *, by_workers: bool = False, never_asked: bool = False) -> Transcript:
    """Read every unread code region in some prompt, all in parallel to the static checks.

    - `by_workers`: the root's model reads nothing. Otherwise it does if one prompt shows all of them.
    - `never_asked`: leave out those about which a model has answered.
    """
    await compare(session)
    units = session.tracker.unread(never_asked=never_asked)
    session.say(f"reviewing {len(units)} code regions")
    async with checks_in_parallel(session):
        answer = await _read(session, units, by_workers=by_workers)
    await take(session, answer)
    judging.report_findings_so_far(session)
    session.results.notes += [answer.error] if answer.error else []
    return Transcript(
        findings=tuple(session.results.findings),
        summary=answer.text if len(units) == len(session.units) else "",
        partial=bool(session.tracker.unread()),
        issues=answer.issues,
    )


async def _read(session: Session, units: Sequence[Unit], *, by_workers: bool) -> WorkerReply:
    reader = session.worker
    is_short = sum(unit.tokens for unit in units) <= ONE_PROMPT
    if is_short and not by_workers and session.root is not None and isinstance(reader, ModelWorker):
        reader = replace(reader, model=session.root, role="root")
    return await readings.read(session, reader, units)


async def take(session: Session, answer: WorkerReply) -> None:
    """Take over the findings and notes of an answer."""
    session.results.reader_notes += [answer.reader_notes] if answer.reader_notes else []
    session.results.answers += answer.answers
    session.results.notes += answer.notes
    for finding in answer.findings:
        await admit(session, finding)


async def compare(session: Session) -> None:
    """Compare uses with changed contracts, so that prompts show first what stays undecided."""
    if isinstance(session.analyzers, AnalyzerWorker):
        await session.analyzers.compare()


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
