"""95 % intervals: Wilson's for a share of yes and no, Student's for a few runs, the bootstrap for everything else. Pure and seeded."""

import math
import random
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

Z = 1.959964  # of the normal distribution, both sides together 5 %
# The same of Student's t, for 2 to 10 values.
STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)
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


def share(hits: float, of: float) -> Interval:
    """A share of yes and no. Wilson's interval: it stays honest at 0 of n and n of n, where a bootstrap has no width."""
    if not of:
        return Interval(math.nan, 0.0, 1.0)
    part, weight = hits / of, Z * Z / of
    middle = (part + weight / 2) / (1 + weight)
    half = Z / (1 + weight) * math.sqrt(part * (1 - part) / of + weight / (4 * of))
    low = 0.0 if not hits else middle - half
    return Interval(part, low, 1.0 if hits == of else middle + half)


def bootstrap(units: Sequence[T], statistic: Callable[[Sequence[T]], float]) -> Interval:
    """Any figure over units that were drawn independently: pull requests, tasks. A unit is drawn with all that belongs to it."""
    if not units:
        return Interval(math.nan, math.nan, math.nan)
    chance = random.Random(SEED)  # noqa: S311 - statistics, not secrets
    drawn = (statistic(chance.choices(units, k=len(units))) for _ in range(RESAMPLES))
    found = sorted(value for value in drawn if not math.isnan(value))
    if not found:
        return Interval(statistic(units), math.nan, math.nan)
    return Interval(statistic(units), _at(found, 0.025), _at(found, 0.975))


def mean(values: Sequence[float]) -> Interval:
    """The mean of figures that were drawn independently."""
    return bootstrap(values, lambda sample: math.fsum(sample) / len(sample))


def student(values: Sequence[float]) -> Interval:
    """The mean of 2 to 10 independent figures: so few are too few for a bootstrap. Raises ValueError for another number."""
    free = len(values) - 1
    if not 0 < free <= len(STUDENT):
        raise ValueError(f"Student's interval is known here for 2 to {len(STUDENT) + 1} values, not for {len(values)}")
    middle = statistics.fmean(values)
    half = STUDENT[free - 1] * statistics.stdev(values) / math.sqrt(len(values))
    return Interval(middle, middle - half, middle + half)


def _at(sorted_values: Sequence[float], part: float) -> float:
    return sorted_values[round(part * (len(sorted_values) - 1))]
