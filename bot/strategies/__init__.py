"""How the units of a change get read: one file per strategy, each with `async def run(work) -> Transcript`.

`choose` is pure and gives its reason; its thresholds are data (choice.py).
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from bot.errors import ProviderError
from bot.rlm.work import Work
from bot.strategies import direct, fanout, offline, rlm, rlm_only
from bot.strategies.choice import choose
from bot.values import Transcript

__all__ = ["STRATEGIES", "choose", "run"]
STRATEGIES: Mapping[str, Callable[[Work], Awaitable[Transcript]]] = {
    "direct": direct.run,
    "fanout": fanout.run,
    "rlm": rlm.run,
    "rlm-only": rlm_only.run,
    "offline": offline.run,
}


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
