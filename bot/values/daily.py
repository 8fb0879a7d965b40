"""The caps of 24 hours, and what they leave to one review. Pure."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

HOUR, DAY = 3_600.0, 86_400.0  # seconds
MIN_SHARE = 0.1  # of what a review wants: with less it would break off before it has read anything
UNASKED = 0.5  # of each cap, for the reviews of strangers that nobody has asked for: the rest is the team's

Counted = Literal["all", "unasked"]
Which = Literal["forks", "repository", "installation", "server"]


@dataclass(frozen=True, slots=True)
class DailyCaps:
    """The caps of 24 hours; None means no cap. `forks` counts reviews, the others dollars."""

    repository: float | None = None
    installation: float | None = None
    server: float | None = None
    forks: int | None = None  # None: this review is not one of those that nobody has asked for


@dataclass(frozen=True, slots=True)
class CapReached:
    """A cap of the day is reached."""

    which: Which
    cap: float


def grant(usd: float, caps: DailyCaps, count_used: Callable[[Which, Counted], float]) -> float | CapReached:
    """Return how much a review may spend that wants `usd`: less if the daily cap leaves less.

    `count_used` returns what counts against a cap so far, for all reviews or only for automatic ones.
    """
    if caps.forks is not None and count_used("forks", "unasked") >= caps.forks:
        return CapReached("forks", caps.forks)
    rest = usd
    limits: tuple[tuple[Which, float | None], ...] = (
        ("repository", caps.repository),
        ("installation", caps.installation),
        ("server", caps.server),
    )
    for which, cap in limits:
        if cap is None:
            continue
        rest = min(rest, cap - count_used(which, "all"))
        if caps.forks is not None:
            rest = min(rest, cap * UNASKED - count_used(which, "unasked"))
        if not rest > 0 or not rest >= usd * MIN_SHARE:
            return CapReached(which, cap)
    return rest
