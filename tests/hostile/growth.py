"""Growth by doubling: CPU time of this process, as a part of the work may be done in other threads, for a text and for longer ones, compared with each other and with nothing else."""

import time
from collections.abc import Callable

SHARE = 9.0  # how many times longer four times the text may take: linear is 4, a square 16
LEAST = 0.02  # seconds below which a clock tells nothing
LARGEST = 64  # times the first size


def seconds(act: Callable[[], object], repeats: int = 2) -> float:
    """The shortest time of a few."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        act()
        best = min(best, time.process_time() - start)
    return best


def slow(made: Callable[[int], Callable[[], object]]) -> str:
    """What grows with the square of the size, "" when nothing does. `made`: a factor of the size -> the act.

    A square shows at every size above the least; what shows once only was the machine.
    """
    factor, seen = 1, []
    short = seconds(made(1))
    while factor * 4 <= LARGEST:
        long = seconds(made(factor * 4))
        if long >= LEAST:
            if long > short * SHARE:  # it may have been the machine
                short, long = seconds(made(factor), 5), seconds(made(factor * 4), 3)
            if long <= short * SHARE:
                return ""
            seen.append(f"{short:.3f} s, {long:.3f} s for four times as much")
            if len(seen) > 1:
                return "; ".join(seen)
        factor, short = factor * 4, long
    return "; ".join(seen)
