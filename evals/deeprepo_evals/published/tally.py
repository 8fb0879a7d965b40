"""What a reviewer's comments on pull requests come to, and the shares that follow, with their intervals. Pure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from deeprepo_evals import intervals
from deeprepo_evals.intervals import Interval


@dataclass(frozen=True, slots=True)
class Tally:
    """What one reviewer's comments on one pull request came to. What is neither right nor wrong does not count."""

    said: int
    right: int  # comments that say something true
    wrong: int
    found: int  # known comments that were found
    known: int


def precision(tallies: Sequence[Tally]) -> float:
    """Of the comments of all pull requests together that count, the share that is right."""
    counted = sum(one.right + one.wrong for one in tallies)
    return sum(one.right for one in tallies) / counted if counted else math.nan


def recall(tallies: Sequence[Tally]) -> float:
    """Of the known comments of all pull requests together, the share that was found."""
    known = sum(one.known for one in tallies)
    return sum(one.found for one in tallies) / known if known else math.nan


def f1(tallies: Sequence[Tally]) -> float:
    """The harmonic mean of both; 0 where nothing was found."""
    if not any(one.right + one.wrong + one.known for one in tallies):
        return math.nan
    both = precision(tallies), recall(tallies)
    return 2 * both[0] * both[1] / sum(both) if all(both) and not any(map(math.isnan, both)) else 0.0


def shares(tallies: Sequence[Tally]) -> tuple[str, str, str]:
    """Precision, recall and F1 as text, each with its interval over pull requests."""
    counted = sum(one.right + one.wrong for one in tallies)
    right, found, known = (sum(getattr(one, name) for one in tallies) for name in ("right", "found", "known"))
    measured = (
        intervals.share(hits, of) if hits in (0, of) else intervals.bootstrap(tallies, measure)
        for measure, hits, of in ((precision, right, counted), (recall, found, known))
    )
    return (*map(text, measured), text(intervals.bootstrap(tallies, f1)))  # type: ignore[return-value]


def recalled(tallies: Sequence[Tally]) -> str:
    """The share of the known comments that was found, with its interval, and of how many."""
    found, known = sum(one.found for one in tallies), sum(one.known for one in tallies)
    figure = intervals.share(found, known) if found in (0, known) else intervals.bootstrap(tallies, recall)
    return f"{text(figure)} of {known}"


def text(figure: Interval) -> str:
    """A figure with its interval; a dash where there is nothing to divide."""
    return "-" if math.isnan(figure.value) else str(figure)


def per_pull(count: int, pulls: int) -> str:
    """A mean over pull requests."""
    return f"{count / pulls:.1f}" if pulls else "-"
