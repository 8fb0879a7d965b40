"""Decide how much a review may spend under the limits for 24 hours. Pure functions."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

HOUR, DAY = 3_600.0, 86_400.0  # seconds
MIN_SHARE = 0.1  # of a review's budget; a review with less would stop before it has read anything
UNASKED = 0.5  # the share of each limit that automatic reviews for untrusted authors may use

Counted = Literal["all", "unasked"]
Which = Literal["forks", "repository", "installation", "server"]


@dataclass(frozen=True, slots=True)
class DailyCaps:
    """The limits for 24 hours in dollars; `forks` is a number of reviews. None means no limit."""

    repository: float | None = None
    installation: float | None = None
    server: float | None = None
    forks: int | None = None  # only set for automatic reviews for untrusted authors


@dataclass(frozen=True, slots=True)
class CapReached:
    """A limit for 24 hours is reached, so no model is used."""

    which: Which
    cap: float


def grant(usd: float, caps: DailyCaps, count_used: Callable[[Which, Counted], float]) -> float | CapReached:
    """Return how many of the `usd` dollars a review may spend, or the limit that is reached.

    `count_used` returns what already counts against a limit: for all reviews ("all"), or only for automatic
    reviews for untrusted authors ("unasked").
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
