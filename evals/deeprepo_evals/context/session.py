"""A run from its plan to its rows: what is left is done, one problem after the other, and kept as it is finished."""

from collections.abc import Callable
from pathlib import Path

from deeprepo_evals import results
from deeprepo_evals.context import cast, run
from deeprepo_evals.context.run import EXPERIMENT, Plan, Purse


async def carry_out(
    plan: Plan,
    *,
    out: Path | None = None,
    trace: Path | None = None,
    usd: float | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> results.Ended:
    """Do what is left of a plan. Raises UsageError for what cannot be done at all."""
    items, purse = run.items(plan), Purse(usd)
    with results.Run(out, EXPERIMENT) as kept:
        if not kept.left(items):  # then no model has to be reached
            return results.Ended(tuple(kept.rows(items)), 0)
        async with cast.open_cast(plan.root, plan.worker) as pair:

            async def do(item: results.Item) -> results.Result:
                say(f"{item['task']} of {item['size']:,} characters, {item['method']}")
                return await run.do(item, pair(), purse, trace=trace)

            return await results.finish(kept, items, do)
