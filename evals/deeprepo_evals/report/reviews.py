"""Reviews on the page: a section for each kind of cases, with what was found beside what it took."""

from collections.abc import Iterator, Sequence

from deeprepo_evals.report.parts import Plot, Point, Section, Series, Table
from deeprepo_evals.results import Row
from deeprepo_evals.reviews import cases, compare, judge, score
from deeprepo_evals.reviews import table as tables
from deeprepo_evals.reviews.cases import PAIRED
from deeprepo_evals.reviews.matching import Place, View, Words
from deeprepo_evals.reviews.score import Figure

MAIN = {**dict.fromkeys(PAIRED, "hits - reports"), "clean": "findings per PR"}  # else recall
PARTS = "By part"
READ = ("units read", "dependents read")
MATCHED_BY_PLACE = "A finding counts as a hit if it is in the right file within 10 lines; its text was not compared."


def sections(rows: Sequence[Row]) -> Iterator[Section]:
    """Kind by kind; nothing where there is no finished review."""
    from deeprepo_evals.reviews import (
        strangers,  # pydantic takes longer to import than the command line may take to answer
    )

    done = strangers.read_rows(rows)
    judges = judge.judges(rows)
    views: list[View] = [Words(one) for one in judges] or [Place()]
    found = score.figures(done, views)
    told = [*compare.sentences(compare.differences(done, views))]
    for kind in cases.order({figure.kind for figure in found}):
        mine = [figure for figure in found if figure.kind == kind]
        words = [sentence for sentence in told if sentence.startswith(f"{kind}: ")]
        words += [*compare.agreements(judges), *([] if judges else [MATCHED_BY_PLACE])] if kind != "clean" else []
        yield Section(
            f"Reviews, {tables.TITLES.get(kind, kind)}",
            tuple(words),
            tuple(_plots(kind, mine)),
            tuple(_tables(mine)),
        )


def _tables(figures: Sequence[Figure]) -> Iterator[Table]:
    """The whole beside its parts."""
    for parts in (False, True):
        mine = [figure for figure in figures if bool(figure.group) is parts]
        if mine:
            head, *rows = tables.grid(mine)
            yield Table(
                tuple(head), tuple((row[0].removeprefix(tables.GROUP), *row[1:]) for row in rows), PARTS * parts
            )


def _plots(kind: str, figures: Sequence[Figure]) -> Iterator[Plot]:
    main = MAIN.get(kind, "recall")
    for x, said in (("prompt tokens per PR, median", "prompt tokens per PR"), ("$ per PR", "dollars per PR")):
        series = tuple(_against(figures, main, x))
        if series:
            yield Plot(f"{kind}: {main} against {said}", "dots", series, said, main, share=kind != "clean")
    groups = list(dict.fromkeys(f.group for f in figures if f.measure == main and f.group.startswith("scope: ")))
    if groups:
        yield Plot(
            f"{kind}: {main} by scope", "bars", tuple(_by_group(figures, main, groups)), "", main, _labels(groups)
        )
    read = tuple(_coverage(figures))
    if read:
        yield Plot(f"{kind}: coverage", "bars", read, "", "share that was read", ("changed units", "dependent files"))


def _against(figures: Sequence[Figure], measure: str, x: str) -> Iterator[Series]:
    """One point for each reviewer and view: what it found against what it took."""
    for reviewer, view in tables.columns(figures):
        mine = [f for f in figures if f.reviewer == reviewer and not f.group]
        cost = next((f.value for f in mine if f.measure == x), None)
        found = next((f for f in mine if f.measure == measure and f.view in ("", view)), None)
        if cost is not None and found is not None:
            yield Series(_row_name(reviewer, view), (Point(cost, found.value, found.low, found.high),))


def _by_group(figures: Sequence[Figure], measure: str, groups: Sequence[str]) -> Iterator[Series]:
    for reviewer, view in tables.columns(figures):
        points = [
            Point(groups.index(f.group), f.value, f.low, f.high)
            for f in figures
            if (f.reviewer, f.view, f.measure) == (reviewer, view, measure) and f.group in groups
        ]
        yield Series(_row_name(reviewer, view), tuple(points))


def _coverage(figures: Sequence[Figure]) -> Iterator[Series]:
    for reviewer in dict.fromkeys(f.reviewer for f in figures):
        mine = [f for f in figures if f.reviewer == reviewer and f.measure in READ]
        if mine:
            yield Series(reviewer, tuple(Point(READ.index(f.measure), f.value) for f in mine))


def _labels(groups: Sequence[str]) -> tuple[str, ...]:
    return tuple(group.partition(": ")[2] for group in groups)


def _row_name(reviewer: str, view: str) -> str:
    return f"{reviewer} ({view})" if view and view != "place" else reviewer
