"""Whose turn it is: the place of a job in its queue, which it keeps.

A job stands one behind the last of its installation's jobs, and of those that run. So places go to installations in turns: of those that
wait the first of each, then the second of each; and one that comes later begins where the others are.
"""

from bot.jobs import engine, ids
from bot.values import Ask, ReviewAsk

ASKED = frozenset({"command", "rerun"})  # triggers that a person pulled
TIER = 500_000_000  # places: what nobody waits for stands so far behind what people ask, and behind that what strangers ask
RECENT = 20  # jobs of an installation among which the last is looked for, and of all that run


async def place(ask: Ask, name: str) -> int:
    """The place of a job that is to be stored, lower goes first. Raises StorageError."""
    own = await engine.find(prefixes=ids.line(name), newest=True, most=RECENT)
    running = await engine.find(queue=ids.queue(name), states=[engine.RUNNING], newest=True, most=RECENT)
    is_asked = ask.trigger in ASKED if isinstance(ask, ReviewAsk) else ask.is_awaited
    tier = TIER * (2 if getattr(ask, "stranger", False) else 0 if is_asked else 1)
    places = [row.priority - tier for row in (*own, *running) if tier <= row.priority < tier + TIER]
    return tier + min(max(places, default=0) + 1, TIER - 1)
