"""Long contexts on the page: accuracy by position and by size, and against what it took."""

from collections.abc import Iterator, Sequence

from deeprepo_evals.context import table as figures
from deeprepo_evals.report.parts import Plot, Point, Section, Series, Table
from deeprepo_evals.report.plots import short
from deeprepo_evals.results import Row


def sections(rows: Sequence[Row]) -> Iterator[Section]:
    """One section; nothing where no problem is finished."""
    if rows:
        plots = (*_positions(rows), *_sizes(rows), *_costs(rows))
        yield Section("Long contexts", (), plots, (_table(rows),))


def _positions(rows: Sequence[Row]) -> Iterator[Plot]:
    """Right answers by the place of the fact, for each task and size that was swept."""
    swept = [row for row in rows if row.item["position"] is not None]
    for task, size in dict.fromkeys((row.item["task"], row.item["size"]) for row in swept):
        mine = [row for row in swept if (row.item["task"], row.item["size"]) == (task, size)]
        yield from _grid(f"{task}, {size:,} characters: right by position", mine, "position", "position of the fact")


def _sizes(rows: Sequence[Row]) -> Iterator[Plot]:
    for task in dict.fromkeys(row.item["task"] for row in rows):
        mine = [row for row in rows if row.item["task"] == task]
        yield from _grid(f"{task}: right by length", mine, "size", "characters of the text")


def _costs(rows: Sequence[Row]) -> Iterator[Plot]:
    found = figures.figures(rows)
    dots = [(one.method, one.tokens.value, one.correct) for one in found]
    series = tuple(Series(name, (Point(x, at.value, at.low, at.high),)) for name, x, at in dots)
    yield Plot("right against tokens", "dots", series, "tokens per problem", "share right", log=True)


def _grid(title: str, rows: Sequence[Row], name: str, words: str) -> Iterator[Plot]:
    """The share of right answers, a row for each method; nothing where there is only one column."""
    places = sorted({row.item[name] for row in rows}, key=lambda at: (isinstance(at, str), at))
    if len(places) < 2:  # noqa: PLR2004 - one column shows no course
        return
    series = []
    for method in dict.fromkeys(row.item["method"] for row in rows):
        told = [[row.result["correct"] for row in rows if _is(row, method, name, at)] for at in places]
        points = (Point(at, sum(right) / len(right)) for at, right in enumerate(told) if right)
        series.append(Series(method, tuple(points)))
    yield Plot(title, "grid", tuple(series), words, labels=tuple(map(_place, places)))


def _is(row: Row, method: str, name: str, at: object) -> bool:
    return bool(row.item["method"] == method and row.item[name] == at)


def _place(at: object) -> str:
    return short(at) if isinstance(at, int | float) else str(at)


def _table(rows: Sequence[Row]) -> Table:
    head = ("method", "right", "of", "95 %", "made up", "tokens", "dollars", "seconds", "turns")
    return Table(
        head,
        tuple(
            (
                one.method,
                f"{one.right:,}",
                f"{one.problems:,}",
                f"{one.correct.low:.2f} to {one.correct.high:.2f}",
                f"{one.made_up} of {one.without}",
                f"{one.tokens.value:,.0f}",
                "unknown" if one.usd is None else f"{one.usd.value:.4f}",
                f"{one.seconds:.2f}",
                f"{one.turns:.1f}" if one.turns else "-",
            )
            for one in figures.figures(rows)
        ),
    )
