"""What a page is made of, as values: sections with tables and plots."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Point:
    """One value of a plot. `low` and `high` where it has an interval."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Series:
    """Values that belong together: one method, one reviewer."""

    name: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot: dots where each series is a trade-off; bars, or a grid with a row for each series, where x numbers the `labels`."""

    title: str
    form: Literal["dots", "bars", "grid"]
    series: tuple[Series, ...]
    x: str = ""  # what the axes say
    y: str = ""
    labels: tuple[str, ...] = ()  # of whole numbers on the x axis
    share: bool = True  # y runs from 0 to 1
    log: bool = False  # x in powers of ten


@dataclass(frozen=True, slots=True)
class Table:
    """A table of text. The first column names the rows."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """One experiment, or one kind of cases."""

    title: str
    words: tuple[str, ...] = ()  # sentences
    plots: tuple[Plot, ...] = ()
    tables: tuple[Table, ...] = ()
