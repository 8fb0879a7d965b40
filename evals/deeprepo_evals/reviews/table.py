"""Figures as text: one table for each kind, a column for each reviewer and view. Pure."""

import math
from collections.abc import Iterator, Sequence

from deeprepo_evals import tables
from deeprepo_evals.reviews import cases
from deeprepo_evals.reviews.score import Figure

GROUP = "· "  # before a part of the measure above
TITLES = {
    "natural": "natural: real changes that a later fix names as the cause of a defect",
    "omit": "omit: real renames and removals with one caller left out",
    "martian": "martian: pull requests with golden comments",
    "clean": "clean: real changes that nobody had to repair",
    "twins": "twins: the same diff in two trees",
    "large": "large: a real pull request of 12 to 80 files with one small thing added, the same diff in two trees",
}


def text(figures: Sequence[Figure]) -> str:
    """All tables."""
    kinds = cases.order({figure.kind for figure in figures})
    return "\n\n".join("\n".join(_table(kind, [f for f in figures if f.kind == kind])) for kind in kinds)


def value(figure: Figure) -> str:
    """A figure with its interval, as short as it can be."""
    if math.isnan(figure.value):
        return "-"
    told = in_unit(figure.value, figure.unit)
    if figure.low is None or figure.high is None or math.isnan(figure.low):
        return told
    return f"{told} [{in_unit(figure.low, figure.unit)}, {in_unit(figure.high, figure.unit)}]"


def in_unit(number: float, unit: str) -> str:
    """A number in its unit."""
    forms = {"share": f"{number:.2f}", "usd": f"${number:.4f}", "s": f"{number:.2f} s", "tokens": f"{number:,.0f}"}
    return forms.get(unit, f"{number:.2f}" if number % 1 else f"{number:.0f}")


def rows(figures: Sequence[Figure]) -> list[tuple[str, str]]:
    """(measure, group) in the order in which they are printed."""
    return list(dict.fromkeys((figure.measure, figure.group) for figure in figures))


def columns(figures: Sequence[Figure]) -> list[tuple[str, str]]:
    """(reviewer, view): every view, where something was matched; else the reviewer alone."""
    matched = list(dict.fromkeys((f.reviewer, f.view) for f in figures if f.view))
    seen = {reviewer for reviewer, _ in matched}
    return matched + [(r, "") for r in dict.fromkeys(f.reviewer for f in figures) if r not in seen]


def cell(figures: Sequence[Figure], row: tuple[str, str], column: tuple[str, str]) -> Figure | None:
    """The figure of a row in a column; what was not matched is under the first view of its reviewer."""
    mine = [f for f in figures if (f.measure, f.group) == row and f.reviewer == column[0]]
    first = next(view for reviewer, view in columns(figures) if reviewer == column[0])
    return next((f for f in mine if f.view == column[1] or (not f.view and column[1] == first)), None)


def _table(kind: str, figures: Sequence[Figure]) -> Iterator[str]:
    head, *cells = grid(figures)
    yield TITLES.get(kind, kind)
    yield tables.align(head, cells)


def grid(figures: Sequence[Figure]) -> list[list[str]]:
    """One kind as rows of text: what is measured, over how much, and a column for each reviewer and view."""
    across = columns(figures)
    heads = [f"{reviewer} ({view})" if view else reviewer for reviewer, view in across]
    return [["", "of", *heads], *([*_name(figures, row), *_cells(figures, row, across)] for row in rows(figures))]


def _name(figures: Sequence[Figure], row: tuple[str, str]) -> tuple[str, str]:
    measure, group = row
    count = max(figure.of for figure in figures if (figure.measure, figure.group) == row)
    return f"{GROUP}{group}" if group else measure, f"{count:,}"


def _cells(figures: Sequence[Figure], row: tuple[str, str], across: Sequence[tuple[str, str]]) -> Iterator[str]:
    for column in across:
        found = cell(figures, row, column)
        yield "" if found is None else value(found)
