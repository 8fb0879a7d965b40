"""The rows of a run as figures: a summary of each method, who was right where, and the sweep over positions. Pure."""

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from deeprepo_evals import intervals, tables
from deeprepo_evals.context.methods import DEPTHS
from deeprepo_evals.intervals import Interval
from deeprepo_evals.results import Item, Row

PERCENTILES = (25, 50, 75, 95)


@dataclass(frozen=True, slots=True)
class Figures:
    """One method over all its problems. Dollars are None where a price is unknown."""

    method: str
    problems: int
    right: int
    correct: Interval
    score: float  # mean, from 0 to 1
    made_up: int  # answers that give a value where the text holds none
    without: int  # problems whose text does not hold the answer
    tokens: Interval  # a problem
    usd: Interval | None
    calls: float
    seconds: float  # median
    turns: float  # mean of the problems in which a root had turns


def figures(rows: Iterable[Row]) -> list[Figures]:
    """Each method, in the order in which they come."""
    return [_figures(method, mine) for method, mine in _group(rows, "method").items()]


def text(rows: Sequence[Row]) -> str:
    """The tables."""
    if len({row.item["depth"] for row in rows if _has_depths(row.item)}) > 1:
        rows = [replace(row, item=_with_depth(row.item)) for row in rows]
    parts = [
        _summary(figures(rows)),
        "Dollars and seconds of a problem, by percentile:",
        _spread(rows),
        "Right of asked, by task:",
        _tasks(rows),
    ]
    swept = _swept(rows)
    if swept:
        parts += ["Right (+) or not (.), by position of the fact:", _positions(swept)]
    return "\n\n".join(parts)


def _figures(method: str, rows: Sequence[Row]) -> Figures:
    found = [row.result for row in rows]
    right = sum(result["correct"] for result in found)
    prices = [result["usd"] for result in found]
    turns = [result["turns"] for result in found if result["turns"]]
    return Figures(
        method,
        len(found),
        right,
        intervals.share(right, len(found)),
        statistics.fmean(result.get("score", result["correct"]) for result in found),
        sum(result["verdict"] == "made up" for result in found),
        sum(result["expected"] in (None, [], ()) for result in found),
        intervals.mean([result["tokens"] for result in found]),
        None if None in prices else intervals.mean(prices),
        math.fsum(result["calls"] for result in found) / len(found),
        statistics.median(result["seconds"] for result in found),
        statistics.fmean(turns) if turns else 0.0,
    )


def _summary(figures: Sequence[Figures]) -> str:
    head = ("method", "right", "95 %", "score", "made up", "tokens", "95 %", "calls", "dollars", "seconds", "turns")
    rows = [
        (
            one.method,
            f"{one.right}/{one.problems}",
            f"{one.correct.low:.2f}-{one.correct.high:.2f}",
            f"{100 * one.score:.1f}",
            f"{one.made_up}/{one.without}",
            f"{one.tokens.value:,.0f}",
            f"{one.tokens.low:,.0f}-{one.tokens.high:,.0f}",
            f"{one.calls:,.1f}",
            "unknown" if one.usd is None else f"{one.usd.value:.4f}",
            f"{one.seconds:.2f}",
            f"{one.turns:.1f}" if one.turns else "-",
        )
        for one in figures
    ]
    return tables.align(head, rows)


def _spread(rows: Sequence[Row]) -> str:
    """As in the paper: a few problems cost much more than the others."""
    head = ("method", *(f"{what} {at}" for what in ("dollars", "seconds") for at in PERCENTILES))
    return tables.align(
        head,
        [
            (
                method,
                *_percentiles([row.result["usd"] for row in mine], "{:.4f}"),
                *_percentiles([row.result["seconds"] for row in mine], "{:.2f}"),
            )
            for method, mine in _group(rows, "method").items()
        ],
    )


def _percentiles(values: Sequence[float | None], form: str) -> list[str]:
    known = sorted(value for value in values if value is not None)
    if len(known) < len(values):
        return ["unknown" for _ in PERCENTILES]
    return [form.format(known[max(0, math.ceil(at / 100 * len(known)) - 1)]) for at in PERCENTILES]


def _tasks(rows: Sequence[Row]) -> str:
    methods = list(_group(rows, "method"))
    cells: dict[tuple[str, int | None], dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        cells[row.item["task"], row.item["size"]][row.item["method"]].append(row.result["correct"])
    lines = [
        (_named(task, size), *(f"{sum(found[m])}/{len(found[m])}" if m in found else "" for m in methods))
        for (task, size), found in cells.items()
    ]
    return tables.align(("task, characters", *methods), lines)


def _with_depth(item: Item) -> Item:
    return {**item, "method": f"{item['method']} depth {item['depth']}"} if _has_depths(item) else item


def _has_depths(item: Item) -> bool:
    """Whether the depth was asked for, and is no part of what the method is."""
    return DEPTHS.get(item["method"]) == () and "depth" in item


def _named(task: str, size: int | None) -> str:
    """One's own problems have no length of their own."""
    return task if size is None else f"{task} {size:,}"


def _swept(rows: Sequence[Row]) -> list[Row]:
    """The rows of tasks whose fact was put at more than one place."""
    places: dict[tuple[str, int], set[Any]] = defaultdict(set)
    for row in rows:
        places[row.item["task"], row.item["size"]].add(row.item["position"])
    return [row for row in rows if len(places[row.item["task"], row.item["size"]]) > 1]


def _positions(rows: Sequence[Row]) -> str:
    places = sorted({row.item["position"] for row in rows}, key=lambda at: (isinstance(at, str), at))
    cells: dict[tuple[str, int, str], dict[Any, str]] = defaultdict(lambda: defaultdict(str))
    for row in rows:
        item = row.item
        cells[item["task"], item["size"], item["method"]][item["position"]] += "+" if row.result["correct"] else "."
    lines = [
        (f"{task} {size:,} {method}", *(found.get(at, "") for at in places))
        for (task, size, method), found in cells.items()
    ]
    return tables.align(("task, characters, method", *map(str, places)), lines)


def _group(rows: Iterable[Row], name: str) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[row.item[name]].append(row)
    return groups
