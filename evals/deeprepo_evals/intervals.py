"""95 % intervals: Wilson's for a share of yes and no, the bootstrap for everything else. Pure and seeded."""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

Z = 1.959964  # of the normal distribution, both sides together 5 %
RESAMPLES = 2_000
SEED = 7
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure and where it lies with 95 % confidence."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}]"


def share(hits: int, of: int) -> Interval:
    """A share of yes and no. Wilson's interval: it stays honest at 0 of n and n of n, where a bootstrap has no width."""
    if not of:
        return Interval(math.nan, 0.0, 1.0)
    part, weight = hits / of, Z * Z / of
    middle = (part + weight / 2) / (1 + weight)
    half = Z / (1 + weight) * math.sqrt(part * (1 - part) / of + weight / (4 * of))
    low = 0.0 if not hits else middle - half
    return Interval(part, low, 1.0 if hits == of else middle + half)


def bootstrap(
    units: Sequence[T],
    statistic: Callable[[Sequence[T]], float],
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Interval:
    """Any figure over units that were drawn independently: pull requests, tasks. A unit is drawn with all that belongs to it."""
    if not units:
        return Interval(math.nan, math.nan, math.nan)
    chance = random.Random(seed)  # noqa: S311 - statistics, not secrets
    drawn = (statistic(chance.choices(units, k=len(units))) for _ in range(resamples))
    found = sorted(value for value in drawn if not math.isnan(value))
    if not found:
        return Interval(statistic(units), math.nan, math.nan)
    return Interval(statistic(units), _at(found, 0.025), _at(found, 0.975))


def mean(values: Sequence[float], *, seed: int = SEED) -> Interval:
    """The mean of figures that were drawn independently."""
    return bootstrap(values, lambda drawn: math.fsum(drawn) / len(drawn), seed=seed)


def _at(ordered: Sequence[float], part: float) -> float:
    return ordered[round(part * (len(ordered) - 1))]
