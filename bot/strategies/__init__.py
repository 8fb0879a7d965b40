"""How the units of a change get read: one file per strategy, each with `async def run(work) -> Transcript`.

`choose` is pure and gives its reason; its thresholds are the data below.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace

from bot.errors import ProviderError
from bot.rlm.work import Work
from bot.strategies import direct, fanout, offline, rlm, rlm_only
from bot.values import Transcript, Unit

STRATEGIES: Mapping[str, Callable[[Work], Awaitable[Transcript]]] = {
    "direct": direct.run,
    "fanout": fanout.run,
    "rlm": rlm.run,
    "rlm-only": rlm_only.run,
    "offline": offline.run,
}
DIRECT_TOKENS = 6_000  # one prompt's worth: the root sees all of it in one call
FANOUT_UNITS = 400  # above this the root's turns cost more than they find; the workers still read everything


def choose(wanted: str, units: Sequence[Unit], *, root: bool, worker: bool) -> tuple[str, str]:
    """The strategy and the reason for it, as the review prints it."""
    if not worker:
        return "offline", "no model is configured" if wanted == "auto" else "asked for"
    if wanted != "auto":
        return wanted, "asked for"
    size = sum(unit.tokens for unit in units)
    if size <= DIRECT_TOKENS:
        return "direct", f"the change is small (about {size:,} tokens)"
    if not root:
        return "fanout", "a worker but no root model is configured"
    if len(units) > FANOUT_UNITS:
        return "fanout", f"{len(units)} units are too many for a root to orchestrate"
    return (
        "rlm",
        f"{len(units)} units, about {size:,} tokens: the workers read all of it, then the root asks across units",
    )


async def run(name: str, work: Work) -> Transcript:
    """Run a strategy to its end. Interrupted or left by its provider, it still hands over what was found so far."""
    try:
        transcript = await STRATEGIES[name](work)
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or not work.keep_on_cancel:
            raise
        task.uncancel()
        note = "interrupted: these are the findings so far"
        return Transcript(tuple(work.findings), notes=(note,), partial=True, fault="interrupted")
    except ProviderError as error:
        return Transcript(tuple(work.findings), notes=(str(error),), partial=True, fault="provider")
    left = work.ledger.unread()
    partial = transcript.partial or bool(left)
    fault = transcript.fault or ("provider" if partial and work.calls.budget.cost().failed_calls else "")
    return replace(transcript, findings=tuple(work.findings), partial=partial, fault=fault)
