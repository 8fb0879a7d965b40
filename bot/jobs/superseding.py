"""Which of several reviews of one pull request stays. Pure. Whatever head a review was asked for, it reads the newest."""

from collections.abc import Iterable
from dataclasses import replace

from bot.jobs.line import ASKED
from bot.values import Ask, Cancel, ChecksEnded, ReviewAsk

MOST_PRESSERS = 3  # beside the first
MOST_RUNS = 200  # reviews whose check runs one job ends; a review that follows ends what is left
REASONS = ("closed", "draft", "command")  # the one that asks for most goes first
Tidying = Cancel | ChecksEnded
UNKNOWN = "unknown"  # the head or base of a command that was stored without one: no later one is the same


def merge(new: ReviewAsk, older: Iterable[ReviewAsk]) -> ReviewAsk:
    """The new ask, with what people asked for in those that it replaces: a push must not swallow a command.

    The command keeps the head and the base that it was given at: `policy.bound` decides what it is worth for others. It is handed on
    once: each review that replaces another may have to be paid. From then on its comment alone is kept, for an answer. Whether
    somebody who pressed a button may is looked at when the review begins: until then it adds nothing to what another person asked for.
    """
    for old in older:
        events = (*new.also, new.trigger, *old.also, old.trigger)
        is_trusted = new.actor == old.actor or "rerun" not in (new.trigger, old.trigger)
        if new.trigger in ASKED and (new.trigger, old.trigger) != ("rerun", "command"):
            full = new.full or (old.full and is_trusted)
            are_buttons = old.trigger == new.trigger == "rerun"
            new = replace(new, full=full, pressers=_pressers(old, new) if are_buttons else new.pressers)
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
                pressers=old.pressers,
            )
        elif new.comment is None and old.comment is not None:
            new = replace(new, comment=old.comment, head=old.head, base=old.base)
        new = replace(new, also=tuple(dict.fromkeys(one for one in events if one not in {*ASKED, new.trigger})))
    return new


def join(new: Tidying, older: Iterable[Ask]) -> Tidying:
    """The new ask, with what is left to do of those of its kind that have waited."""
    if isinstance(new, ChecksEnded):
        return replace(new, is_failure=new.is_failure or any(getattr(old, "is_failure", False) for old in older))
    every = [*(old for old in older if isinstance(old, Cancel)), new]
    runs = tuple(dict.fromkeys(run for old in every for run in old.runs))[-MOST_RUNS:]
    return replace(new, reason=min((old.reason for old in every), key=REASONS.index), runs=runs)


def adds_nothing(new: ReviewAsk, older: Iterable[ReviewAsk]) -> bool:
    """Whether a button is pressed while somebody else's command waits or runs, or by a person who has pressed it already.

    A person who may not give commands could end a review by it again and again, and what was asked for with it.
    """
    if new.trigger != "rerun":
        return False
    for old in older:
        presses = {**dict(old.pressers), old.actor: old.full} if old.trigger == "rerun" else {}
        if (old.trigger == "command" and old.actor != new.actor) or len(presses) > MOST_PRESSERS:
            return True
        if new.actor in presses and (presses[new.actor] or not new.full):
            return True
    return False


def _pressers(old: ReviewAsk, new: ReviewAsk) -> tuple[tuple[str, bool], ...]:
    pressers = {**dict(old.pressers), **dict(new.pressers), old.actor: old.full}
    return tuple((login, full) for login, full in pressers.items() if login != new.actor)
