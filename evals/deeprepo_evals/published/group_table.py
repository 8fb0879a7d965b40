"""ReviewBench's tables: what is shown in full, the best eight, and with what is folded, against the labels alone and with what the judge adds."""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack

from deeprepo_evals import intervals, tables
from deeprepo_evals.published import board, grouped, tally
from deeprepo_evals.published.desk import Desk
from deeprepo_evals.published.grouped import Scored
from deeprepo_evals.published.judging import is_at
from deeprepo_evals.published.sets import Pull
from deeprepo_evals.results import Run
from deeprepo_evals.reviews.outcome import MeasuredFinding, MeasuredReview
from deeprepo_evals.reviews.review_options import open_model

VIEWS = ("in full", "best 8", "with folded")
BEST = 8
Viewed = Sequence[
    Sequence[tuple[Scored, int]]
]  # of each pull request its reviews, each with how many of its findings are in a view
ORDER: dict[str, tuple[str, ...]] = {
    "severity": ("high", "medium", "low"),
    "context": ("diff-only", "related files", "broader"),
    "scope": ("introduced", "exacerbated", "pre-existing", "unrelated"),
}


async def told(desk: Desk) -> tuple[str, tuple[str, ...]]:
    """The tables, and sentences about what the judge left open."""
    name = desk.options.judge
    if not name:
        return "\n".join(_unjudged(desk)), ()
    reviews = [(pull, row) for mine in desk.by.values() for pull in desk.pulls for row in mine[pull.id]]
    async with AsyncExitStack() as stack:
        model = await open_model(name, stack)
        with Run(desk.options.out, grouped.EXPERIMENT) as run:
            answers, why = await grouped.ask(model, reviews, desk.repo_of, run, max(desk.options.at_once, 8))
        name = model.name
    scored = {
        reviewer: [[grouped.scored(pull, row, name, answers) for row in mine[pull.id]] for pull in desk.pulls]
        for reviewer, mine in desk.by.items()
    }
    return "\n".join(_tables(desk, scored)), why


def _tables(desk: Desk, scored: Mapping[str, Sequence[Sequence[Scored]]]) -> Iterator[str]:
    labels = [label for pull in desk.pulls for label in grouped.known(pull)]
    true = sum(is_true for _, is_true in labels)
    yield f"{len(desk.pulls)} pull requests, {true} true and {len(labels) - true} false labels, judge {desk.options.judge}"
    rows = [
        (f"{name}, {view}", [[(one, _count(one, view)) for one in pull] for pull in mine])
        for name, mine in scored.items()
        for view in VIEWS
    ]
    head = (
        "",
        "reviews",
        "findings each",
        "true hit",
        "false hit",
        "precision",
        "recall",
        "F1",
        "augmented: precision",
        "recall",
        "F1",
    )
    yield tables.align(head, [_line(*row) for row in rows])
    for axis in grouped.AXES:
        values = [value for value in ORDER[axis] if any(_kind(label, axis) == value for label, _ in labels)]
        values += sorted({_kind(label, axis) for label, _ in labels} - {*ORDER[axis], ""})
        cells = [(name, *(_cell(mine, axis, value) for value in values)) for name, mine in rows]
        yield f"\nTrue labels that are hit, by {axis}; false ones:"
        yield tables.align(("", *values), cells)
    yield "\nWhat a review took:"
    costs = [(name, *_cost([row for pull in desk.pulls for row in mine[pull.id]])) for name, mine in desk.by.items()]
    yield tables.align(("", "$", "calls, median", "prompt tokens, median", "seconds, median", "partial"), costs)
    yield ""
    yield tables.align(board.HEAD, board.lines())
    yield board.WHY


def _count(one: Scored, view: str) -> int:
    """How many of the findings of a review are in a view."""
    shown = [found for found in one.findings if found.aloud or view != VIEWS[0]]
    return len(shown[:BEST] if view == VIEWS[1] else shown)


def _line(name: str, mine: Viewed) -> tuple[str, ...]:
    grounded = [tally.average(one.grounded(count) for one, count in pull) for pull in mine]
    augmented = [tally.average(one.augmented(count) for one, count in pull) for pull in mine]
    reviews = sum(map(len, mine))
    said, found, known, wrong = (
        sum(getattr(one, part) for one in grounded) for part in ("said", "found", "known", "wrong")
    )
    counted = (str(reviews), tally.per_pull(said, len(mine)), f"{found:.3g} of {known:g}", f"{wrong:.3g}")
    return (name, *counted, *tally.shares(grounded), *tally.shares(augmented))


def _cell(mine: Viewed, axis: str, value: str) -> str:
    tallies = [tally.average(one.grounded(count, axis, value) for one, count in pull) for pull in mine]
    return f"{tally.recalled(tallies)}; {sum(one.wrong for one in tallies):.3g}"


def _kind(label: object, axis: str) -> str:
    return str(getattr(label, "level" if axis == "context" else axis))


def _cost(rows: Sequence[MeasuredReview]) -> Iterator[str]:
    outcomes = [row.outcome for row in rows]
    paid = [one.usd for one in outcomes if one.usd is not None]
    mean = intervals.mean(paid) if len(paid) == len(rows) else None
    yield f"{mean.value:.3f} [{mean.low:.3f}, {mean.high:.3f}]" if mean else "price unknown"
    yield f"{statistics.median(one.calls for one in outcomes):g}"
    yield f"{statistics.median(one.input for one in outcomes):,.0f}"
    yield f"{statistics.median(one.seconds for one in outcomes):.1f}"
    yield str(sum(one.partial for one in outcomes))


def _unjudged(desk: Desk) -> Iterator[str]:
    """What was found, with the labels at the same place: place alone tells neither right from wrong nor hit from miss."""
    for name, mine in desk.by.items():
        found = [(pull, one) for pull in desk.pulls for row in mine[pull.id] for one in grouped.ordered(row)]
        yield f"{name}: {len(found)} findings on {len(desk.pulls)} pull requests. Nobody has judged them: name a model with --judge."
        for pull, one in found:
            yield f"  {pull.id}  {one.path}:{one.start}  {one.severity}, {VIEWS[0] if one.aloud else 'folded'}  {one.title}"
            yield f"    at its lines, unjudged: {_places(pull, one)}"


def _places(pull: Pull, one: MeasuredFinding) -> str:
    true, false = (sum(is_at(one, label) for label in labels) for labels in (pull.known, pull.rejected))
    return f"{true} true and {false} false labels" if true or false else "no label"
