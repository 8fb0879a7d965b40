"""Compute plots for the templates that draw them. Positions and sizes are between 0 and 100."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.storage.listing import DAY, DaySum

STEPS = (1, 2, 2.5, 5, 10)  # tick distances, as multiples of a power of ten
TICKS = 2  # the number of ticks above zero


@dataclass(frozen=True, slots=True)
class Bar:
    """One day's bar. `value` is its label."""

    x: float
    width: float
    y: float
    height: float
    day: float  # its first second
    value: float | None


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot with a bar for each day."""

    days: tuple[float, ...]  # the first second of each day
    ticks: tuple[tuple[float, float], ...]  # horizontal lines: the distance from the top, and the value
    bars: tuple[Bar, ...] = ()
    empty: bool = False


@dataclass(frozen=True, slots=True)
class Share:
    """A segment of a stacked bar: its name, its count, its position and its width."""

    name: str
    count: int
    x: float
    width: float


def bars(sums: Mapping[int, DaySum], span: range, value: Callable[[DaySum], float], *, whole: bool = False) -> Plot:
    """Return a plot with a bar for each day of the span.

    `whole`: the values are counts, so ticks are whole numbers.
    The span and the keys of `sums` are days since 1970.
    """
    values = [value(sums[day]) if day in sums else 0.0 for day in span]
    ticks, top = _ticks(max(values, default=0.0), whole=whole)
    width = 100 / len(span)
    bar_shapes = tuple(
        Bar(number * width + width * 0.14, width * 0.72, 100 - 100 * one / top, 100 * one / top, float(day * DAY), one)
        for number, (day, one) in enumerate(zip(span, values, strict=True))
    )
    days = tuple(float(day * DAY) for day in span)
    return Plot(days, ticks, bars=bar_shapes, empty=not any(values))


def parts(counts: Mapping[str, int]) -> tuple[Share, ...]:
    """Return the segments of a stacked bar for these counts, in this order. Counts of zero are skipped."""
    whole, x, shares = sum(counts.values()), 0.0, []
    for name, count in counts.items():
        if count:
            width = 100 * count / whole
            shares.append(Share(name, count, x, width))
            x += width
    return tuple(shares)


def _ticks(most: float, *, whole: bool) -> tuple[tuple[tuple[float, float], ...], float]:
    """Return the ticks of a plot, as (distance from the top, value), and the value at the top of the plot.

    `most` is the largest value to show. The ticks are simple numbers from zero to the top. With `whole`, they
    are whole numbers.
    """
    if most <= 0:
        return ((100.0, 0.0),), 1.0
    least = most / TICKS
    size = 10 ** math.floor(math.log10(least))
    steps = [factor * size for factor in STEPS if not whole or float(factor * size).is_integer()]
    step = next((one for one in steps if one >= least * 0.999999), 1.0)
    top = step * TICKS
    return tuple((100 - 100 * number / TICKS, number * step) for number in range(TICKS + 1)), top
