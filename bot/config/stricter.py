"""Which of two values of a setting is the stricter: each setting of the repository's file names its rule where it is declared.

Who opens a pull request chooses its base branch, and with it the settings that hold. If they may not write to the repository, the
settings of the default branch bound what they can choose: of each setting the stricter value holds.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bot.values import EFFORTS, SEVERITIES, severity_rank
from bot.values.consumer import DISCLOSURES

BARS = ("off", *SEVERITIES)  # of `request_changes`, the one that stops least first
Pick = Callable[[Any, Any], Any]  # the base branch's value and the default branch's -> the one that holds


@dataclass(frozen=True, slots=True)
class Stricter:
    """The rule of one setting. `about`: what holds, in words for the reference."""

    pick: Pick
    about: str


def _by_order(order: Callable[[Any], float]) -> Pick:
    """The value that comes first; where nothing is set, there is no limit."""
    return lambda own, default: min(own, default, key=lambda value: float("inf") if value is None else order(value))


def _both(own: Sequence[Any], default: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(item for item in own if item in default)


def _left_out(own: Sequence[str], default: Sequence[str]) -> tuple[str, ...]:
    """Patterns as in .gitignore that leave out no file which either list reads: those of both, then every exception of either."""
    patterns = [item for item in own if item in default and not item.startswith("!")]
    exceptions = [item for item in (*own, *default) if item.startswith("!")]
    return (*patterns, *dict.fromkeys(exceptions)) if patterns else ()


def _widest(own: Sequence[Any], default: Sequence[Any]) -> tuple[Any, ...]:
    """A list of those that are looked at, where an empty one means all."""
    return _either(own, default) if own and default else ()


def _either(own: Sequence[Any], default: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys((*own, *default)))


def _by_name(own: Sequence[Any], default: Sequence[Any]) -> tuple[Any, ...]:
    names = {row[0] for row in default}
    return (*default, *(row for row in own if row[0] not in names))


def _offline(own: str, default: str) -> str:
    return "offline" if "offline" in (own, default) else default


LOWER = Stricter(_by_order(float), "the lower of both")  # of switches: off
HIGHER = Stricter(max, "the higher of both")
LESS_EFFORT = Stricter(_by_order(EFFORTS.index), "the lower of both")
LESS_DISCLOSURE = Stricter(_by_order(DISCLOSURES.index), "the one that shows less")
MORE_SEVERITIES = Stricter(_by_order(lambda bar: -severity_rank(bar)), "the less severe of both")
HIGHER_BAR = Stricter(lambda own, default: max(own, default, key=BARS.index), "the one that stops more")
IN_BOTH = Stricter(_both, "what both name")
LEFT_OUT = Stricter(_left_out, "the files that both leave out")
WIDEST = Stricter(_widest, "what either names; all if one names none")
IN_EITHER = Stricter(_either, "what either names")
BY_NAME = Stricter(_by_name, "what either names; of one name the default branch's")
EACH = Stricter(lambda own, _: own, "each has to be met by itself")
NO_MODEL = Stricter(_offline, "`offline` if either has it, else the default branch's")
DEFAULT = Stricter(lambda _, default: default, "the default branch's")
BASE = Stricter(lambda own, _: own, "the base branch's")
