"""What a benchmark's table is made of: its finished reviews, and what its judge needs."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deeprepo_evals.published.sets import Benchmark, Pull
from deeprepo_evals.reviews.outcome import MeasuredReview


@dataclass(frozen=True, slots=True)
class Options:
    """What the command was asked for."""

    data: Path  # a clone of the benchmark, or its labels
    repos: Path
    reviewers: tuple[str, ...]
    flags: Mapping[str, Any] = field(default_factory=dict)
    only: tuple[str, ...] = ()
    exact: bool = False
    peers: str = ""
    judge: str = ""
    rounds: int = 1  # reviews of each pull request
    readings: int = 1  # plain calls of each pull request
    at_once: int = 1
    out: Path | None = None
    journals: Path | None = None


@dataclass(frozen=True, slots=True)
class Desk:
    """Reviewer -> pull request -> its reviews, of the pull requests that every reviewer has finished."""

    benchmark: Benchmark
    options: Options
    pulls: tuple[Pull, ...]
    by: Mapping[str, Mapping[str, Sequence[MeasuredReview]]]
    repo_of: Callable[[str], Awaitable[Path]]
