"""A run from its plan to its rows: what is left is done, one problem after the other, and kept as it is finished."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from bot.errors import BudgetSpent
from deeprepo_evals import results
from deeprepo_evals.context import cast, run
from deeprepo_evals.context.run import EXPERIMENT, Plan, Purse


@dataclass(frozen=True, slots=True)
class ContextResults:
    """What there is, and what there is not yet and why."""

    rows: tuple[results.Row, ...]
    left: int
    why: tuple[str, ...] = ()
    was_interrupted: bool = False


async def carry_out(
    plan: Plan,
    *,
    out: Path | None = None,
    trace: Path | None = None,
    usd: float | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> ContextResults:
    """Do what is left of a plan. Raises UsageError for what cannot be done at all; a person may break it off."""
    items, purse = run.items(plan), Purse(usd)
    with results.Run(out, EXPERIMENT) as kept:
        ended = ContextResults((), 0)
        if kept.left(items):
            try:
                ended = await _play(plan, items, kept, purse, trace, say)
            except asyncio.CancelledError:
                task = asyncio.current_task()
                if task is None or not task.uncancel() == 0:
                    raise
                ended = ContextResults((), 0, was_interrupted=True)
        return replace(ended, rows=tuple(kept.rows(items)), left=len(kept.left(items)))


async def _play(
    plan: Plan,
    items: list[dict[str, object]],
    results_kept: results.Run,
    purse: Purse,
    trace: Path | None,
    say: Callable[[str], None],
) -> ContextResults:
    async with cast.open_cast(plan.root, plan.worker) as pair:

        async def do(item: results.Item) -> results.Result:
            say(f"{item['task']} of {item['size']:,} characters, {item['method']}")
            return await run.do(item, pair(), purse, trace=trace)

        try:
            outcome = await results.carry_out(results_kept, items, do)
        except BudgetSpent as error:
            return ContextResults((), 0, (str(error),))
        return ContextResults((), 0, outcome.why)
