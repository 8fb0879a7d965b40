"""Compute plots for the templates that draw them. Positions and sizes are between 0 and 100."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bot.storage.listing import DAY, DaySum

STEPS = (1, 2, 2.5, 5, 10)  # tick distances, as multiples of a power of ten
# Tick distances of durations from a minute on, in seconds
DURATION_STEPS = (60, 120, 180, 300, 600, 900, 1800, 3600)
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
class Line:
    """One line of a plot. It has an SVG path for each run of days with a value.

    `values` has one entry per day.
    """

    name: str
    paths: tuple[str, ...]
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot over days, with either bars or lines."""

    days: tuple[float, ...]  # the first second of each day
    ticks: tuple[tuple[float, float], ...]  # horizontal lines: the distance from the top, and the value
    bars: tuple[Bar, ...] = ()
    lines: tuple[Line, ...] = ()
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
    return Plot(_days(span), ticks, bars=bar_shapes, empty=not any(values))


def lines(sums: Mapping[int, DaySum], span: range, values: Mapping[str, Callable[[DaySum], float | None]]) -> Plot:
    """Return a plot with a line for each function in `values`, which gets a duration from a day's sums."""
    points = {name: [value(sums[day]) if day in sums else None for day in span] for name, value in values.items()}
    ticks, top = _ticks(
        max((value for row in points.values() for value in row if value is not None), default=0.0), DURATION_STEPS
    )
    line_shapes = tuple(Line(name, _paths(row, top), tuple(row)) for name, row in points.items())
    return Plot(_days(span), ticks, lines=line_shapes, empty=not any(line.paths for line in line_shapes))


def parts(counts: Mapping[str, int]) -> tuple[Share, ...]:
    """Return the segments of a stacked bar for these counts, in this order. Counts of zero are skipped."""
    whole, x, shares = sum(counts.values()), 0.0, []
    for name, count in counts.items():
        if count:
            width = 100 * count / whole
            shares.append(Share(name, count, x, width))
            x += width
    return tuple(shares)


def _days(span: range) -> tuple[float, ...]:
    return tuple(float(day * DAY) for day in span)


def _paths(values: Sequence[float | None], top: float) -> tuple[str, ...]:
    """Return an SVG path for each run of values without a gap.

    A single value becomes a short horizontal line.
    """
    width, runs = 100 / len(values), [[]]  # type: tuple[float, list[list[tuple[float, float]]]]
    for number, value in enumerate(values):
        if value is None:
            runs.append([])
        else:
            runs[-1].append(((number + 0.5) * width, 100 - 100 * value / top))
    return tuple(_path(run, width) for run in runs if run)


def _path(points: Sequence[tuple[float, float]], width: float) -> str:
    if len(points) == 1:
        (x, y), half = points[0], width * 0.35
        points = [(x - half, y), (x + half, y)]
    return "M" + " L".join(f"{x:.2f} {y:.2f}" for x, y in points)


def _ticks(
    most: float, large: Sequence[float] = (), *, whole: bool = False
) -> tuple[tuple[tuple[float, float], ...], float]:
    """Return the ticks of a plot, as (distance from the top, value), and the value at the top of the plot.

    `most` is the largest value to show. The ticks are simple numbers from zero to the top. Their distance is
    one of the `large` steps if the values are large enough. With `whole`, ticks are whole numbers.
    """
    if most <= 0:
        return ((100.0, 0.0),), 1.0
    least = most / TICKS
    size = 10 ** math.floor(math.log10(least))
    steps = [factor * size for factor in STEPS if not whole or float(factor * size).is_integer()]
    step = next((one for one in steps if one >= least * 0.999999), 1.0)
    if large and step > large[0] / 2:
        step = next((one for one in large if one >= least), step)
    top = step * TICKS
    return tuple((100 - 100 * number / TICKS, number * step) for number in range(TICKS + 1)), top
