"""What a reviewer's comments on pull requests come to, and the shares that follow, with their intervals. Pure."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from deeprepo_evals import intervals
from deeprepo_evals.intervals import Interval


@dataclass(frozen=True, slots=True)
class Tally:
    """What one reviewer's comments on one pull request came to, of several reviews on average. What is neither right nor wrong does not count."""

    said: float
    right: float  # comments that say something true
    wrong: float
    found: float  # known comments that were found
    known: float


def average(tallies: Iterable[Tally]) -> Tally:
    """What several reviews of one pull request came to: they are not independent of each other, so they count as one."""
    rows = [(one.said, one.right, one.wrong, one.found, one.known) for one in tallies]
    return Tally(*map(fmean, zip(*rows, strict=True)))


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
    right, counted = sum(one.right for one in tallies), sum(one.right + one.wrong for one in tallies)
    return (
        text(_interval(tallies, precision, right, counted)),
        text(_recalled(tallies)),
        text(intervals.bootstrap(tallies, f1)),
    )


def recalled(tallies: Sequence[Tally]) -> str:
    """The share of the known comments that was found, with its interval, and of how many."""
    return f"{text(_recalled(tallies))} of {sum(one.known for one in tallies):g}"


def _recalled(tallies: Sequence[Tally]) -> Interval:
    found, known = sum(one.found for one in tallies), sum(one.known for one in tallies)
    return _interval(tallies, recall, found, known)


def _interval(
    tallies: Sequence[Tally], measure: Callable[[Sequence[Tally]], float], hits: float, of: float
) -> Interval:
    """By bootstrap over pull requests; at 0 of n and n of n that has no width, and Wilson's tells more."""
    return intervals.share(hits, of) if hits in (0, of) else intervals.bootstrap(tallies, measure)


def text(figure: Interval) -> str:
    """A figure with its interval; a dash where there is nothing to divide."""
    return "-" if math.isnan(figure.value) else str(figure)


def per_pull(count: float, pulls: int) -> str:
    """A mean over pull requests."""
    return f"{count / pulls:.1f}" if pulls else "-"
