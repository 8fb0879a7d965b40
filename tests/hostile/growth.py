"""Measure how CPU time grows with the size of a text, relative to the time for a shorter text."""

import time
from collections.abc import Callable

SHARE = 9.0  # maximum time ratio for four times the text: linear is 4, quadratic 16
LEAST = 0.02  # seconds; shorter times are too imprecise
LARGEST = 64  # times the first size


def seconds(act: Callable[[], object], repeats: int = 2) -> float:
    """Return the shortest of several run times."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        act()
        best = min(best, time.process_time() - start)
    return best


def slow(made: Callable[[int], Callable[[], object]]) -> str:
    """Return what grows quadratically, or "". `made` maps a size factor to the action.

    Quadratic growth shows at every larger size; a single slow run was caused by the machine.
    """
    factor, seen = 1, []
    short = seconds(made(1))
    while factor * 4 <= LARGEST:
        long = seconds(made(factor * 4))
        if long >= LEAST:
            if long > short * SHARE:  # may be a slow moment of the machine
                short, long = seconds(made(factor), 5), seconds(made(factor * 4), 3)
            if long <= short * SHARE:
                return ""
            seen.append(f"{short:.3f} s, {long:.3f} s for four times as much")
            if len(seen) > 1:
                return "; ".join(seen)
        factor, short = factor * 4, long
    return "; ".join(seen)
