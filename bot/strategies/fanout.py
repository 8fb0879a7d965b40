"""The harness maps every unit to a worker and reduces: no model-written code runs."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import replace
from functools import partial

from bot.review import judging
from bot.review.analyzer_worker import AnalyzerWorker
from bot.review.session import Session, Worker, WorkerReply, admit
from bot.values import Transcript

PAIRS = 1  # prompts of pairs where no root takes over


async def run(
    session: Session,
    *,
    is_checked: bool = False,
    diff_only: bool = False,
    is_merged: bool = False,
    with_pairs: bool = True,
) -> Transcript:
    """Read every unread unit in some prompt, all prompts at once.

    `is_checked`: the analysers have run before. `diff_only`: one more reader sees the diff alone. `is_merged`: others read too. Then second
    opinions wait until what all of them report is merged, and what is left of the uses is read when all have answered. `with_pairs`: if
    there is a root's model and the effort is not low, it reads the most telling pairs beside.
    """
    with_pairs = with_pairs and session.root is not None and session.effort != "low"
    beside = not is_checked and session.analyzers is not session.worker
    if beside:
        await compare(session)
    left = session.tracker.unread()
    session.say(f"reading {len(left)} units")
    reader = hearing(session, session.worker, diff_only=diff_only, is_merged=is_merged or with_pairs)
    async with _pairs(session) if with_pairs else nullcontext() as pairs_taken:
        async with checks_beside(session) if beside else nullcontext():
            answer = await reader.review(left)
        await take(session, answer)
        session.notes += [answer.error] if answer.error else []
        if pairs_taken is not None:
            await pairs_taken()
    if not is_merged:
        await read_uses(session, session.worker if with_pairs else hearing(session, session.worker))
    if with_pairs:
        judging.ask_ahead(session, session.findings)
    return Transcript(findings=tuple(session.findings), partial=bool(session.tracker.unread()))


async def take(session: Session, answer: WorkerReply) -> None:
    """Take over what a reader has found and said."""
    session.reader_notes += [answer.reader_notes] if answer.reader_notes else []
    session.check_answers += answer.checks
    session.refused_count += answer.dropped_count
    session.notes += answer.notes
    for finding in answer.findings:
        await admit(session, finding)


def _pairs(session: Session) -> AbstractAsyncContextManager[Callable[[], Awaitable[object]]]:
    """The reading of pairs. It brings the search for what belongs together, which a review without a model does not need."""
    from bot.review import pairs

    return pairs.beside(session, PAIRS)


async def read_uses(session: Session, worker: Worker) -> None:
    """Have a model read the uses of changed contracts that no comparison could decide and no prompt has shown."""
    from bot.review.workers import ModelWorker

    if not isinstance(worker, ModelWorker) or not session.tracker.open_uses():
        return
    session.say(f"reading {len(session.tracker.open_uses())} uses of what changed")
    answer = await worker.uses()
    await take(session, answer)
    session.notes += [answer.error] if answer.error else []


def hearing(session: Session, worker: Worker, *, diff_only: bool = False, is_merged: bool = False) -> Worker:
    """The worker whose findings get their second opinions while it still reads, unless they are `is_merged` with those of pairs first."""
    from bot.review.workers import ModelWorker

    if not isinstance(worker, ModelWorker):
        return worker
    diff_worker = replace(worker, diff_only=diff_only, is_backed=is_merged)
    return diff_worker if is_merged else replace(diff_worker, on_findings=partial(judging.ask_ahead, session))


async def compare(session: Session) -> None:
    """Compare uses with changed contracts: prompts show first what that could not decide."""
    if isinstance(session.analyzers, AnalyzerWorker):
        await session.analyzers.compare(session.units)


@asynccontextmanager
async def checks_beside(session: Session) -> AsyncIterator[None]:
    """Run the analysers beside a reading: they begin when its first request is out. At the end what they prove is admitted.

    So it is if the reading fails or a person breaks it off: what code finds costs nothing, and is shown.
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
    """Check by code when a request is out, or when the reading has ended without one."""
    either = [asyncio.create_task(event.wait()) for event in (session.calls.sent, read)]
    try:
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in either:
            task.cancel()
    await check_by_code(session)


async def check_by_code(session: Session) -> None:
    """What the analysers prove stands before any model speaks: it costs nothing, and a model's finding can agree with it."""
    await take(session, await session.analyzers.review(session.units))
    judging.code_has_checked(session)
