"""What was typed, as a plan: names of models and strategies, sizes and seeds in lists with commas."""

from collections.abc import Callable
from typing import Any

from bot.errors import UsageError
from deeprepo_evals import models
from deeprepo_evals.plant.reader import NAME as READER
from deeprepo_evals.plant.synthetic import FEWEST, MOST
from deeprepo_evals.roots import scripted
from deeprepo_evals.roots.run import BASELINE, Contender, Plan

STRATEGIES = ("rlm-only", "rlm", BASELINE)


def plan(roots: str, worker: str, strategies: str, files: str, seeds: str, **rest: Any) -> Plan:  # noqa: ANN401 - fields of Plan
    """The comparison that was asked for; the journal's, with scripted models, where nothing was. Raises UsageError."""
    names = [_model(name, root=True) for name in parts(roots)] or list(scripted.ROOTS)
    ways = parts(strategies) or list(STRATEGIES)
    if unknown := [way for way in ways if way not in STRATEGIES]:
        raise UsageError(f"unknown strategies {', '.join(unknown)}: known are {', '.join(STRATEGIES)}")
    rows = [Contender(name, way) for way in ways if way != BASELINE for name in names]
    rows += [Contender(name, BASELINE) for name in names if BASELINE in ways and (len(ways) == 1 or name == names[0])]
    sizes = _numbers(files, "a number of files") or (289,)
    if wrong := [size for size in sizes if not FEWEST <= size <= MOST]:
        raise UsageError(f"a code base has {FEWEST} to {MOST} files, not {wrong[0]}")
    reader = _model(worker or READER, root=False)
    return Plan(tuple(rows), reader, sizes, _numbers(seeds, "a seed") or (1,), **rest)


def parts(text: str) -> list[str]:
    """The parts between commas."""
    return [part.strip() for part in text.split(",") if part.strip()]


def _model(name: str, *, root: bool) -> str:
    """The name, behind which a model can be. Raises UsageError: no such name, or its key is missing."""
    if name.startswith(scripted.PREFIX):
        return scripted.check(name, root=root)
    return models.check(name)


def _numbers(text: str, what: str) -> tuple[int, ...]:
    read: Callable[[str], int] = int
    try:
        return tuple(read(part) for part in parts(text))
    except ValueError:
        raise UsageError(f"{text!r} is not {what}: write whole numbers with commas between them") from None
