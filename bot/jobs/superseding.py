"""Which of several reviews of one pull request stays. Pure. Whatever head a review was asked for, it reads the newest."""

from collections.abc import Iterable
from dataclasses import replace

from bot.jobs.ids import ASKED
from bot.values import ReviewAsk

UNKNOWN = "unknown"  # the head of a command that was stored without one: no later head is the same


def merged(new: ReviewAsk, older: Iterable[ReviewAsk]) -> ReviewAsk:
    """The new ask, with what people asked for in those that it replaces: a push must not swallow a command.

    The command keeps the head that it was given at: `policy.bound` decides what it is worth for another one.
    """
    for old in older:
        new = replace(new, full=new.full or old.full)
        if old.trigger in ASKED and new.trigger not in ASKED:
            head = old.head or UNKNOWN
            new = replace(new, trigger=old.trigger, actor=old.actor, comment=old.comment, head=head)
    return new


def strength(ask: ReviewAsk, created_at: float, name: str) -> tuple[bool, bool, float, str]:
    """The order in which one of several waiting reviews is kept: those that a person asked for, then the newest."""
    return ask.trigger in ASKED, ask.full, created_at, name
