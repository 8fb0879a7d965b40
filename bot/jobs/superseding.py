"""Which of several asks about one thing stays. Pure. Whatever head a review was asked for, it reads the newest."""

from collections.abc import Iterable
from dataclasses import replace

from bot.jobs.line import ASKED
from bot.values import Ask, Cancel, ChecksEnded, ReviewAsk

UNKNOWN = "unknown"  # the head or base of a command that was stored without one: no later one is the same


def merge(new: ReviewAsk, older: Iterable[ReviewAsk]) -> ReviewAsk:
    """The new ask, with what people asked for in those that it replaces: a push must not swallow a command.

    The command keeps the head and the base that it was given at: `policy.bound` decides what it is worth for others. It is handed on
    once: each review that replaces another may have to be paid. From then on its comment alone is kept, for an answer. A button is
    worth no more than a push until its presser's permission is known: it adds nothing to what another person asked for.
    """
    for old in older:
        events = (*new.also, new.trigger, *old.also, old.trigger)
        is_own = new.actor == old.actor or "rerun" not in (new.trigger, old.trigger)
        if new.trigger in ASKED and (new.trigger, old.trigger) != ("rerun", "command"):
            new = replace(new, full=new.full or (old.full and is_own))
        elif old.trigger in ASKED and not old.inherited:
            head, base, full = old.head or UNKNOWN, old.base or UNKNOWN, old.full or (new.full and is_own)
            new = replace(old, head=head, base=base, full=full, inherited=True)
        elif new.comment is None and old.comment is not None:
            new = replace(new, comment=old.comment, head=old.head, base=old.base)
        new = replace(new, also=tuple(dict.fromkeys(one for one in events if one not in {*ASKED, new.trigger})))
    return new


def covers(known: Ask | None, new: ReviewAsk | Cancel | ChecksEnded) -> bool:
    """Whether what waits, or the review that runs, does all that the new ask is for: each looks at the state of things itself.

    A button adds nothing to a command of somebody else, nor to what its presser has asked for: pressed again and again it would end it.
    """
    if isinstance(new, ReviewAsk):
        if new.trigger == "catch-up" or not isinstance(known, ReviewAsk):
            return new.trigger == "catch-up"
        is_more = new.full and not known.full
        asked = known.trigger in ASKED and not is_more if known.actor == new.actor else known.trigger == "command"
        return new.trigger == "rerun" and asked
    if isinstance(new, ChecksEnded):
        return isinstance(known, ChecksEnded) and (known.is_failure or not new.is_failure)
    return isinstance(known, Cancel) and not new.runs and known.reason in ("closed", new.reason)
