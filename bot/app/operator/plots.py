"""Compute plots as numbers between 0 and 100, for templates that draw them and write labels next to them."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bot.storage.listing import DAY, DaySum

STEPS = (1, 2, 2.5, 5, 10)
MINUTES = (60, 120, 180, 300, 600, 900, 1800, 3600)  # the same for lengths of time above half a minute
TICKS = 2  # above zero


@dataclass(frozen=True, slots=True)
class Bar:
    """The column of one day."""

    x: float
    width: float
    y: float
    height: float
    day: float  # its first second
    value: float | None


@dataclass(frozen=True, slots=True)
class Line:
    """One line: a path for each stretch of days that have a value. `values` has None for the others."""

    name: str
    paths: tuple[str, ...]
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot over days. It shows columns or lines."""

    days: tuple[float, ...]  # the first second of each
    ticks: tuple[tuple[float, float], ...]  # lines across: how far from the top, and the value
    bars: tuple[Bar, ...] = ()
    lines: tuple[Line, ...] = ()
    empty: bool = False


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a whole: its name, its count, its position and its width."""

    name: str
    count: int
    x: float
    width: float


def bars(sums: Mapping[int, DaySum], span: range, value: Callable[[DaySum], float], *, whole: bool = False) -> Plot:
    """Return a bar for each day of the span. `whole`: of things that are counted, so that no line is drawn at half of one."""
    values = [value(sums[day]) if day in sums else 0.0 for day in span]
    ticks, top = _ticks(max(values, default=0.0), whole=whole)
    wide = 100 / len(span)
    bar_shapes = tuple(
        Bar(number * wide + wide * 0.14, wide * 0.72, 100 - 100 * one / top, 100 * one / top, float(day * DAY), one)
        for number, (day, one) in enumerate(zip(span, values, strict=True))
    )
    return Plot(_days(span), ticks, bars=bar_shapes, empty=not any(values))


def lines(sums: Mapping[int, DaySum], span: range, values: Mapping[str, Callable[[DaySum], float | None]]) -> Plot:
    """Return a line for each of these values of a day."""
    points = {name: [value(sums[day]) if day in sums else None for day in span] for name, value in values.items()}
    ticks, top = _ticks(
        max((value for row in points.values() for value in row if value is not None), default=0.0), MINUTES
    )
    line_shapes = tuple(Line(name, _paths(row, top), tuple(row)) for name, row in points.items())
    return Plot(_days(span), ticks, lines=line_shapes, empty=not any(line.paths for line in line_shapes))


def parts(counts: Mapping[str, int]) -> tuple[Share, ...]:
    """Return the non-empty parts of a whole, side by side, in this order."""
    whole, x, shares = sum(counts.values()), 0.0, []
    for name, count in counts.items():
        if count:
            wide = 100 * count / whole
            shares.append(Share(name, count, x, wide))
            x += wide
    return tuple(shares)


def _days(span: range) -> tuple[float, ...]:
    return tuple(float(day * DAY) for day in span)


def _paths(values: Sequence[float | None], top: float) -> tuple[str, ...]:
    """Return a path through each stretch of values. A single value becomes a short stroke."""
    wide, stretches = 100 / len(values), [[]]  # type: tuple[float, list[list[tuple[float, float]]]]
    for number, value in enumerate(values):
        if value is None:
            stretches.append([])
        else:
            stretches[-1].append(((number + 0.5) * wide, 100 - 100 * value / top))
    return tuple(_path(stretch, wide) for stretch in stretches if stretch)


def _path(points: Sequence[tuple[float, float]], wide: float) -> str:
    if len(points) == 1:
        (x, y), half = points[0], wide * 0.35
        points = [(x - half, y), (x + half, y)]
    return "M" + " L".join(f"{x:.2f} {y:.2f}" for x, y in points)


def _ticks(
    most: float, large: Sequence[float] = (), *, whole: bool = False
) -> tuple[tuple[tuple[float, float], ...], float]:
    """Round values from zero to the top of the plot, which is the last of them; one of the `large` steps where one fits.

    Each is written as it is: where values are counted, every step is a whole number.
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
