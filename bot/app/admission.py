"""How much of one person is taken on in an hour, decided from the delivery and the database before GitHub is asked anything.

An answer to a comment costs up to eight requests and a review up to sixty, of the 5,000 that GitHub grants an installation in an
hour. Without a bound, one stranger could use them all up. A comment above the bound is ignored. A change is reviewed later: the pushes of
the meantime are one review. What closing leaves to do at GitHub is done later too; while a review runs GitHub is asked at once. That a review
is due is shown without a delay; above the bound of changes, once in half a minute.
"""

import time
from dataclasses import dataclass

from bot.storage import Store
from bot.storage.arrivals import Bounds, Traffic
from bot.values import Ask, Cancel, CommandAsk, RemarkAsk, ReviewAsk

COMMENTS = Bounds(person=60, stranger=6, strangers=60)
CHANGES = Bounds(person=120, stranger=60, strangers=300)  # that are counted
FREE, STEP, LONGEST = 12, 30.0, 900.0  # changes of a stranger without delay, seconds for each further one, and at most
TOO_MANY = "its writer has sent too many comments in this hour"
ALL_STRANGERS = "people who are not known to may write here have sent too many comments in this hour"


@dataclass(frozen=True, slots=True)
class Admission:
    """Whether a delivery is taken on, and after which delay. `reason`: why not."""

    reason: str = ""
    delay: float | None = None  # None: the usual one


async def admit(ask: Ask, delivery: str, store: Store) -> Admission:
    """Count what a person has sent. Raises StorageError."""
    now = time.time()
    if isinstance(ask, CommandAsk | RemarkAsk):
        traffic = await store.arrivals.count(
            delivery, ask.pull, ask.actor, "comment", COMMENTS, now, stranger=ask.stranger
        )
        if traffic.is_known or not COMMENTS.full(traffic):
            return Admission()
        alone = traffic.own >= (COMMENTS.stranger if traffic.stranger else COMMENTS.person)
        return Admission(TOO_MANY if alone else ALL_STRANGERS)
    if isinstance(ask, ReviewAsk | Cancel) and ask.actor:
        traffic = await store.arrivals.count(
            delivery, ask.pull, ask.actor, "change", CHANGES, now, stranger=ask.stranger
        )
        return Admission(delay=_delay(traffic))
    return Admission()


def _delay(traffic: Traffic) -> float | None:
    if not traffic.stranger:
        return STEP if CHANGES.full(traffic) else None
    above = max(traffic.own, traffic.strangers // 4) - FREE
    return min(LONGEST, STEP * above) if above > 0 else None
