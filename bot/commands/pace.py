"""How often one person may give commands: each may cost money, and each answer is a comment that notifies others."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

HOUR = 3_600.0
STRANGER = 3  # commands in an hour of somebody who may not write here


@dataclass(frozen=True, slots=True)
class CommandAllowance:
    """Whether a command is carried out; if not, in how many minutes the next one is, and whether a reply reported that already."""

    free: bool
    minutes: int = 0
    was_told: bool = False


def judge(earlier: Sequence[float], now: float, most: int) -> CommandAllowance:
    """The pace of a person with these earlier commands, refused ones too, as seconds on the clock of `now`.

    Who goes on while refused stays refused, and gets one reply.
    """
    recent = sorted(at for at in earlier if now - HOUR < at <= now)
    if len(recent) < most:
        return CommandAllowance(free=True)
    free_at = recent[len(recent) - most] + HOUR
    return CommandAllowance(free=False, minutes=max(1, math.ceil((free_at - now) / 60)), was_told=len(recent) > most)
