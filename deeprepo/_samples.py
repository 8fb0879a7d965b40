"""Several runs of one question, compared: the answer on which they agree."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path as _Place
from typing import TypeVar

from deeprepo._calls import Path
from deeprepo._errors import BudgetSpent, ProviderError, UsageError
from deeprepo._values import Cost, Event, Model, Result

M = TypeVar("M")
MOST = 100
AROUND = " \t\n.,;:\"'`"  # of an answer in words: they make no other one


def check(samples: object) -> None:
    """Raise UsageError for what is no number of runs."""
    if not isinstance(samples, int) or isinstance(samples, bool) or not 1 <= samples <= MOST:
        raise UsageError(f"samples={samples!r}: give a whole number from 1 to {MOST}")


def seeded(model: M, number: int) -> M:
    """Return the model for one of the runs: with a seed of its own, where it has one at all."""
    return replace(model, seed=model.seed + number) if isinstance(model, Model) and model.seed is not None else model


def journal(path: Path | None, number: int) -> _Place | None:
    """Return the file of one of the runs: the first one has that of a single run."""
    place = None if path is None else _Place(path)
    return place.with_name(f"{place.stem}.{number + 1}{place.suffix}") if place and number else place


def labelled(event: Event, number: int) -> Event:
    """Return an event of one of the runs, which says of which."""
    return replace(event, run=f"{number + 1}/{event.run}") if not isinstance(event, Result) else event


def agreement(ended: Sequence[Result | BaseException], *, is_typed: bool) -> Result:
    """Return the first run with the most frequent answer, with the cost of all runs.

    Raises the first run's error if no run got as far as a turn, and any error that is not an outcome of a
    run.
    """
    failures = [one for one in ended if isinstance(one, BaseException)]
    results = [one for one in ended if isinstance(one, Result)]
    unexpected = [error for error in failures if not isinstance(error, BudgetSpent | ProviderError)]
    if unexpected or not results:
        raise (unexpected or failures)[0]
    answered = [one for one in results if one.outcome == "answered"]
    times = {id(one): sum(_is_same(one, other, is_typed=is_typed) for other in answered) for one in answered}
    best = max(results, key=lambda one: times.get(id(one), 0))
    notes = tuple(f"one of {len(ended)} runs ended before its first turn: {error}" for error in failures)
    agreed = times.get(id(best), 0)
    cost = _sum([one.cost for one in results])
    models = {name: _sum([one.by_model[name] for one in results if name in one.by_model]) for name in cost.models}
    return replace(best, cost=cost, by_model=models, notes=(*best.notes, *notes), agreed=agreed, samples=tuple(results))


def _is_same(one: Result, other: Result, *, is_typed: bool) -> bool:
    if one.answer == other.answer:
        return True
    if is_typed:  # NOT FOUND has no value
        is_found = one.value is not None and other.value is not None
        return is_found and type(one.value) is type(other.value) and bool(one.value == other.value)
    return _words(one.answer) == _words(other.answer)


def _words(answer: str) -> str:
    return " ".join(answer.split()).strip(AROUND).casefold()


def _sum(costs: Sequence[Cost]) -> Cost:
    dollars = [one.usd for one in costs]
    models: Mapping[str, None] = dict.fromkeys(model for one in costs for model in one.models)
    usd = None if None in dollars else sum(filter(None, dollars))
    names = ("calls", "failed_calls", "input_tokens", "output_tokens")
    return Cost(usd=usd, models=tuple(models), **{name: sum(getattr(one, name) for one in costs) for name in names})
