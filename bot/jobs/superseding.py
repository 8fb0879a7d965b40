"""Which of several reviews of one pull request stays. Pure. Whatever head a review was asked for, it reads the newest."""

from collections.abc import Iterable
from dataclasses import replace

from bot.jobs.ids import ASKED
from bot.values import ReviewAsk

UNKNOWN = "unknown"  # the head or base of a command that was stored without one: no later one is the same


def merge(new: ReviewAsk, older: Iterable[ReviewAsk]) -> ReviewAsk:
    """The new ask, with what people asked for in those that it replaces: a push must not swallow a command.

    The command keeps the head and the base that it was given at: `policy.bound` decides what it is worth for others. It is handed on
    once: each review that replaces another may have to be paid. From then on its comment alone is kept, for an answer. Whether
    somebody who pressed a button may is looked at when the review begins: until then it adds nothing to what another person asked for.
    """
    for old in older:
        is_trusted = new.actor == old.actor or "rerun" not in (new.trigger, old.trigger)
        if new.trigger in ASKED and (new.trigger, old.trigger) != ("rerun", "command"):
            new = replace(new, full=new.full or (old.full and is_trusted))
        elif old.trigger in ASKED and not old.inherited:
            new = replace(
                new,
                trigger=old.trigger,
                full=old.full or (new.full and is_trusted),
                actor=old.actor,
                comment=old.comment,
                head=old.head or UNKNOWN,
                base=old.base or UNKNOWN,
                inherited=True,
            )
        elif new.comment is None and old.comment is not None:
            new = replace(new, comment=old.comment, head=old.head, base=old.base)
    return new
