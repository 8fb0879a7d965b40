"""Plots as inline SVG: the only importer of matplotlib. Colours are left to the page, so that they suit light and dark."""

import re
from io import StringIO
from typing import TYPE_CHECKING, Any

from bot.errors import UsageError
from deeprepo_evals.report.parts import Plot, Point, Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = 8  # that the page has; further series begin anew, with another marker
MARKERS = "osD^vPX*"
# Stand-ins that no other part of a drawing has; the page's own names take their place.
INK, GRID, FIRST = "#aa00f0", "#aa00f1", 0xAA0001
SIZE = (5.4, 3.4)  # inches; the page scales it
BARS = 0.8  # of the room of one group
# What an element of a page must not bring: a style for every other element, names that stand in each drawing, fonts of its own.
_NOISE = (
    re.compile(r"<metadata>.*?</metadata>\s*", re.DOTALL),
    re.compile(r"<style.*?</style>\s*", re.DOTALL),
    re.compile(r' id="[\w.]+_\d+"'),
    re.compile(r"font-family: [^;\"]*;? ?"),
    re.compile(r' (?:width|height)="[\d.]+pt"'),
)


def svg(plot: Plot) -> str:
    """The plot as an element of a page. Raises UsageError where matplotlib is not installed."""
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise UsageError("the report's plots need matplotlib: install deeprepo-evals") from error
    form: Any = {
        "svg.fonttype": "none",
        "svg.hashsalt": plot.title,
        "font.size": 11,
        "axes.unicode_minus": False,
        "text.parse_math": False,
    }
    with mpl.rc_context(form):
        figure = Figure(figsize=SIZE, layout="constrained")
        axes = figure.add_subplot()
        _draw(axes, plot)
        _frame(axes, plot)
        out = StringIO()
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return _inline(out.getvalue())


def _draw(axes: "Axes", plot: Plot) -> None:
    drawn = {"dots": _dots, "bars": _bars, "grid": _row}[plot.form]
    for number, series in enumerate(plot.series):
        colour = f"#{FIRST + number % COLOURS:06x}"
        drawn(axes, series, number, len(plot.series), colour)


def _row(axes: "Axes", series: Series, number: int, _count: int, _colour: str) -> None:
    """A row of cells, the fuller the higher the value; what is 0 is crossed out. Lines would lie upon each other at 1."""
    from matplotlib.patches import Rectangle

    colour = f"#{FIRST:06x}"
    for point in series.points:
        corner = (point.x - 0.46, number - 0.42)
        axes.add_patch(Rectangle(corner, 0.92, 0.84, facecolor=colour, alpha=point.y, linewidth=0))
        axes.add_patch(Rectangle(corner, 0.92, 0.84, facecolor="none", edgecolor=GRID, linewidth=0.8))
        if point.y == 0:
            axes.plot([point.x], [number], marker="x", markersize=5, color=INK, linewidth=0)
        elif point.y < 1:
            axes.text(point.x, number, f"{point.y:.1f}".lstrip("0"), color=INK, ha="center", va="center", fontsize=8)


def _dots(axes: "Axes", series: Series, number: int, _count: int, colour: str) -> None:
    axes.errorbar(
        [point.x for point in series.points],
        [point.y for point in series.points],
        yerr=_spread(series.points),
        label=series.name,
        color=colour,
        marker=MARKERS[number % len(MARKERS)],
        linestyle="none",
        markersize=8,
        elinewidth=1.2,
        capsize=3,
        clip_on=False,
    )


def _bars(axes: "Axes", series: Series, number: int, count: int, colour: str) -> None:
    width = BARS / count
    axes.bar(
        [point.x + (number - (count - 1) / 2) * width for point in series.points],
        [point.y for point in series.points],
        width=width * 0.92,
        yerr=_spread(series.points),
        label=series.name,
        color=colour,
        error_kw={"ecolor": INK, "elinewidth": 1},
    )


def _spread(points: tuple[Point, ...]) -> list[list[float]] | None:
    """How far the intervals reach below and above; None where no point has one."""
    if all(point.low is None for point in points):
        return None
    below = [max(0.0, point.y - (point.y if point.low is None else point.low)) for point in points]
    above = [max(0.0, (point.y if point.high is None else point.high) - point.y) for point in points]
    return [below, above]


def _frame(axes: "Axes", plot: Plot) -> None:
    """Axes, grid and legend, in the page's ink."""
    axes.set_xlabel(plot.x, color=INK)
    axes.set_ylabel(plot.y, color=INK)
    axes.tick_params(colors=INK, which="both", length=3)
    if plot.labels:
        axes.set_xticks(range(len(plot.labels)), plot.labels)
        axes.set_xlim(-0.6, len(plot.labels) - 0.4)
    for side, spine in axes.spines.items():
        spine.set_visible(side in {"left", "bottom"} and plot.form != "grid")
        spine.set_color(GRID)
    if plot.form == "grid":
        axes.set_yticks(range(len(plot.series)), [series.name for series in plot.series])
        axes.set_ylim(len(plot.series) - 0.5, -0.5)
        axes.tick_params(length=0)
        return
    _scale(axes, plot)
    axes.grid(visible=True, axis="y" if plot.labels else "both", color=GRID, linewidth=0.7)
    axes.set_axisbelow(True)
    if len(plot.series) > 1 or plot.form == "dots":
        axes.figure.legend(loc="outside lower center", ncols=3, frameon=False, labelcolor=INK, fontsize=10)


def _scale(axes: "Axes", plot: Plot) -> None:
    """Where the axes begin and end: at nothing, and at everything where shares are shown."""
    bottom = 0.0 if plot.form == "bars" else -0.03  # so that a dot at 0 is seen whole
    most = 1.0 if plot.share else max((point.high or point.y for one in plot.series for point in one.points), default=1)
    axes.set_ylim(bottom * (most or 1), 1.03 * (most or 1))
    if plot.labels:
        return
    if plot.log:
        from matplotlib.ticker import LogLocator

        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 3)))
    else:
        axes.set_xlim(left=0)
    axes.xaxis.set_major_formatter(lambda value, _at: short(value))
    axes.xaxis.set_minor_formatter(lambda _value, _at: "")


def short(value: float) -> str:
    """A number as an axis says it: 0.4, 250, 12k, 10M."""
    for size, sign in ((1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.3g}{sign}"
    return f"{value:.3g}"


def _inline(text: str) -> str:
    """Without its XML head and its size, and in the colours of the page."""
    text = text[text.index("<svg") :]
    for noise in _NOISE:
        text = noise.sub("", text)
    for stand_in, name in ((INK, "ink"), (GRID, "grid")):
        text = text.replace(stand_in, f"var(--{name})")
    for number in range(COLOURS):
        text = text.replace(f"#{FIRST + number:06x}", f"var(--s{number + 1})")
    return text.strip()
