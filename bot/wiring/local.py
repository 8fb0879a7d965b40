"""A review on the machine of the person who waits for it, in this process: Ctrl-C, profilers and coverage work as in any program."""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from bot import config, pipeline
from bot.machine.limits import ProcessLimits
from bot.pipeline import Tools
from bot.review import coverage
from bot.review.session import Session
from bot.review.survey import Survey
from bot.strategies import affords, choose
from bot.values import Review, ReviewRequest
from bot.wiring import child, review
from bot.wiring.child import ChildPipe

LOCAL = ProcessLimits(memory=4 << 30, cpu=60, nice=0)  # of a machine that has one thing to do


TREES = 512  # MB of both sides of a change, as tests are given them
GRACE = 120.0  # seconds beyond the review's own budget: for its end, and for what it renders


async def reviewed_aside(request: ReviewRequest, flags: Mapping[str, Any], scratch: str) -> Review:
    """The review for a process that answers others meanwhile: in a child, so that no file can hold it up."""

    async def attempt(left_out: Mapping[str, str]) -> Review:
        return await child.run(_run_review, request, flags, scratch, left_out, caps=LOCAL)

    return await child.leaving_out(attempt)


async def _run_review(
    line: ChildPipe, request: ReviewRequest, flags: Mapping[str, Any], scratch: str, left_out: Mapping[str, str]
) -> Review:
    """In the child."""
    default = config.environment().journal
    brief = await review.brief(request, flags, scratch, left_out, records=review.records(flags, default))
    tools = review.tools(brief, scratch, line.say, partial(review.journal, flags, default, brief.pull))
    return await pipeline.review(brief, with_time_limit(line, tools))


async def weigh(
    request: ReviewRequest, flags: Mapping[str, Any], scratch: str, say: Callable[[str], None]
) -> dict[str, Any]:
    """Every strategy rehearsed over the change, each with a coverage record of its own. A root's turns are only where its REPL is installed."""
    from bot.machine import extras
    from bot.strategies.choice import WITH_ROOT
    from bot.strategies.estimate import ASSUMED, NAMES, estimate

    brief, tools = await review.brief(request, flags, scratch), review.rehearsal(say, scratch)
    async with pipeline.survey(brief, tools) as subject:
        rows, settings = [], subject.brief.settings
        proofs = settings.run.findings if brief.run and settings.run is not None else 0
        for name in NAMES:
            fresh = replace(subject, tracker=coverage.CoverageTracker(subject.units, subject.files, subject.dependents))
            fresh.past.carry(fresh.tracker, fresh.dependents, by_model=True)
            left = fresh.tracker.unread()
            async with tools.open_session(fresh) as session:
                root, worker = session.root, session.reader
                affordable = affords(session)
                if name not in WITH_ROOT or (root is not None and extras.is_installed("models")):
                    rows.append(await estimate(name, session, verify=settings.verify, proofs=proofs))
        strategy, reason = choose(
            settings.strategy,
            left,
            subject.dependents,
            root=root is not None,
            worker=True,
            affordable=affordable,
            effort=settings.effort,
        )
        return {
            "units": len(subject.units),
            "files": sum(not file.skip for file in subject.files),
            "left_out": dict(brief.left_out),
            "root": root.name if root else None,
            "worker": worker.name if worker else None,
            "strategy": {"name": strategy, "reason": reason},
            "cap_usd": settings.usd,
            "cap_from": settings.origins["usd"],
            "assumed": ASSUMED,
            "strategies": [asdict(row) for row in rows],
        }


def with_time_limit(line: ChildPipe, tools: Tools) -> Tools:
    """The tools of a review whose time is up a while after its own budget's."""

    def open_session(subject: Survey) -> AbstractAsyncContextManager[Session]:
        settings = subject.brief.settings
        seconds, run = settings.seconds, settings.run if tools.running is not None else None
        memory = (
            0 if run is None else (2 * run.memory + TREES) << 20
        )  # tests in a sandbox have limits of their own below it
        line.allow(None if seconds is None else seconds + GRACE, memory)
        return tools.open_session(subject)

    return replace(tools, open_session=open_session)
