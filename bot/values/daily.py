"""Apply the limits for 24 hours to one review. Pure functions."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

HOUR, DAY = 3_600.0, 86_400.0  # seconds
MIN_SHARE = 0.1  # share of a review's budget; with less, it would stop before it has read anything
UNASKED = 0.5  # share of each limit for automatic reviews of untrusted authors; the rest is for the team

Counted = Literal["all", "unasked"]
Which = Literal["forks", "repository", "installation", "server"]


@dataclass(frozen=True, slots=True)
class DailyCaps:
    """The limits for 24 hours; None means no limit. `forks` counts reviews, and the others are in dollars."""

    repository: float | None = None
    installation: float | None = None
    server: float | None = None
    forks: int | None = None  # None if this is not an automatic review of an untrusted author


@dataclass(frozen=True, slots=True)
class CapReached:
    """A daily limit is reached."""

    which: Which
    cap: float


def grant(usd: float, caps: DailyCaps, count_used: Callable[[Which, Counted], float]) -> float | CapReached:
    """Return how much of `usd` a review may spend: less if the daily limits leave less.

    `count_used` returns what counts against a limit so far, for all reviews or only for automatic ones.
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
