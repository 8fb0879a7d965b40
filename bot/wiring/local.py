"""Review local changes in child processes, for the MCP server, and estimate the cost of reviews."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from bot import config, pipeline
from bot.brief import Brief
from bot.machine.processes import ProcessLimits
from bot.review import coverage, reproduction
from bot.review.strategies import choose_at
from bot.review.survey import Survey
from bot.values import EFFORTS, Review, TypedChange
from bot.wiring import child, review
from bot.wiring.access import named_models
from bot.wiring.child import ChildPipe

LOCAL = ProcessLimits(memory=4 << 30, cpu=60, nice=0)  # generous limits, for a user's own machine


async def review_in_child(
    request: TypedChange, flags: Mapping[str, Any], scratch: str, say: Callable[[str], None] = lambda _: None
) -> Review:
    """Review in a child process, so that no file can block this process, which serves other requests too."""

    async def attempt(left_out: Mapping[str, str], lost: str) -> Review:
        brief = await child.run(_brief, request, flags, scratch, left_out, caps=LOCAL)
        brief = child.by_code(brief, lost) if lost else brief
        return await child.run(
            _review, brief, flags, scratch, caps=child.for_review(LOCAL, brief), say=review.lines(say)
        )

    return await child.run_with_fallbacks(attempt, by_model=True)


async def _brief(
    _: ChildPipe, request: TypedChange, flags: Mapping[str, Any], scratch: str, left_out: Mapping[str, str]
) -> Brief:
    """Create the review's brief. This runs in a child process."""
    records = review.records(flags, config.environment().journal)
    return await review.brief(request, flags, scratch, left_out, records=records)


async def _review(line: ChildPipe, brief: Brief, flags: Mapping[str, Any], scratch: str) -> Review:
    """Review a change. This runs in a second child process, whose limits depend on the brief."""
    opened = partial(review.journal, flags, config.environment().journal, brief.pull)
    return await pipeline.review(brief, review.tools(brief, scratch, line.say, opened))


async def estimate_costs(
    request: TypedChange, flags: Mapping[str, Any], scratch: str, say: Callable[[str], None]
) -> dict[str, Any]:
    """Return the estimates for each effort as JSON values, with facts about the change and the settings.

    Efforts that use a root model are skipped if model support is not installed.
    """
    from bot.machine import extras
    from bot.review.strategies import WITHOUT_ROOT
    from bot.review.strategies.estimate import ASSUMED, Estimate, estimate

    brief, tools = await review.brief(request, flags, scratch), review.estimate_tools(say, scratch)
    review.check_models(brief.settings)
    async with pipeline.survey(brief, tools) as subject:
        settings = subject.brief.settings
        proofs = reproduction.tries(subject.brief)
        async with tools.open_session(_unread(subject)) as session:
            root, worker = session.root, session.reader
            strategy_at = {effort: choose_at(session, effort) for effort in EFFORTS}
        rows = list[Estimate]()
        for effort in EFFORTS[1:] if settings.strategy == "auto" else (settings.effort,):
            name, _ = strategy_at[effort]
            is_runnable = name in WITHOUT_ROOT or (root is not None and extras.is_installed("models"))
            if name == "offline" or not is_runnable:
                continue
            async with tools.open_session(_unread(subject)) as session:
                rows.append(await estimate(name, effort, session, verify=settings.verify, proofs=proofs))
        strategy, reason = strategy_at[settings.effort]
        return {
            "units": len(subject.units),
            "files": sum(not file.skip for file in subject.files),
            "left_out": dict(brief.left_out),
            "is_configured": any(named_models(settings)),
            "root": root.name if root else None,
            "worker": worker.name if worker else None,
            "strategy": {"name": strategy, "reason": reason},
            "cap_usd": settings.usd,
            "cap_from": settings.origins["usd"],
            "assumed": ASSUMED,
            "effort": settings.effort,
            "efforts": [asdict(row) for row in rows],
        }


def _unread(subject: Survey) -> Survey:
    """Return the survey with a new coverage tracker that only contains what earlier reviews have read."""
    fresh = replace(subject, tracker=coverage.CoverageTracker(subject.units, subject.files, subject.dependents))
    fresh.past.carry(fresh.tracker, fresh.dependents, by_model=True)
    return fresh
