"""Review locally for a waiting person, in this process, so that Ctrl-C and profilers work as usual."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from bot import config, pipeline
from bot.brief import Brief
from bot.machine.limits import ProcessLimits
from bot.review import coverage
from bot.review.hooks import hooks
from bot.review.strategies import can_afford_root, choose
from bot.review.survey import Survey
from bot.values import EFFORTS, Review, ReviewRequest
from bot.wiring import child, review, tasks
from bot.wiring.access import named_models
from bot.wiring.child import ChildPipe

LOCAL = ProcessLimits(memory=4 << 30, cpu=60, nice=0)  # for a machine with nothing else to do


async def review_in_child(
    request: ReviewRequest, flags: Mapping[str, Any], scratch: str, say: Callable[[str], None] = lambda _: None
) -> Review:
    """Review in a child, so that no file can block a process that serves others."""

    async def attempt(left_out: Mapping[str, str], lost: str) -> Review:
        brief = await child.run(_brief, request, flags, scratch, left_out, caps=LOCAL)
        brief = tasks.by_code(brief, lost) if lost else brief
        return await child.run(
            _review, brief, flags, scratch, caps=child.for_review(LOCAL, brief), say=review.lines(say)
        )

    return await child.run_with_fallbacks(attempt, by_model=True)


async def _brief(
    _: ChildPipe, request: ReviewRequest, flags: Mapping[str, Any], scratch: str, left_out: Mapping[str, str]
) -> Brief:
    """Make the brief, in a child."""
    records = review.records(flags, config.environment().journal)
    return await review.brief(request, flags, scratch, left_out, records=records)


async def _review(line: ChildPipe, brief: Brief, flags: Mapping[str, Any], scratch: str) -> Review:
    """Review, in another child with limits for this brief."""
    opened = partial(review.journal, flags, config.environment().journal, brief.pull)
    return await pipeline.review(brief, review.tools(brief, scratch, line.say, opened))


async def weigh(
    request: ReviewRequest, flags: Mapping[str, Any], scratch: str, say: Callable[[str], None]
) -> dict[str, Any]:
    """Return an estimate per effort, each with its own coverage record.

    Estimates with a root's turns need the REPL to be installed.
    """
    from bot.machine import extras
    from bot.review.strategies.choice import WITHOUT_ROOT
    from bot.review.strategies.estimate import ASSUMED, Estimate, estimate

    brief, tools = await review.brief(request, flags, scratch), review.rehearsal(say, scratch)
    review.check_models(brief.settings)
    async with pipeline.survey(brief, tools) as subject:
        settings = subject.brief.settings
        proofs = sum(hook.tries(subject.brief) for hook in hooks())
        async with tools.open_session(_unread(subject)) as session:
            root, worker, left = session.root, session.reader, session.tracker.unread()
            strategy_at = partial(
                choose,
                settings.strategy,
                left,
                subject.dependents,
                root=root is not None,
                worker=True,
                affordable=can_afford_root(session),
            )
        rows: list[Estimate] = []
        for effort in EFFORTS[1:] if settings.strategy == "auto" else (settings.effort,):
            name, _ = strategy_at(effort=effort)
            is_runnable = name in WITHOUT_ROOT or (root is not None and extras.is_installed("models"))
            if name == "offline" or not is_runnable:
                continue
            # Larger changes get the same passes at `medium` and `high`, with only more turns of a root.
            alike = [row for row in rows if row.strategy == name != "cascade" and row.effort == "medium"]
            if not alike:
                async with tools.open_session(_unread(subject)) as session:
                    alike = [await estimate(name, effort, session, verify=settings.verify, proofs=proofs)]
            rows.append(replace(alike[0], effort=effort))
        strategy, reason = strategy_at(effort=settings.effort)
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
    """Return the change with a coverage record that only contains earlier reviews."""
    fresh = replace(subject, tracker=coverage.CoverageTracker(subject.units, subject.files, subject.dependents))
    fresh.past.carry(fresh.tracker, fresh.dependents, by_model=True)
    return fresh
