"""The table that a training is judged by: the same figures before and after it, side by side, each with its n. Pure."""

import statistics
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from deeprepo_evals import intervals, tables
from deeprepo_evals.train.reward import score
from deeprepo_evals.train.traces import SeenRollout

Figure = Callable[[Sequence[SeenRollout]], str]
NONE = "-"


SHORT = (
    "reward",
    "range",
    "coverage by workers",
    "findings (F1)",
    "evidence",
    "turns",
    "zero delegation",
    "worker input tokens",
    "n",
)


def roots(sets: Mapping[str, Sequence[SeenRollout]]) -> str:
    """One row for each root."""
    rows = [(name, *(FIGURES[figure](seen) for figure in SHORT)) for name, seen in sets.items()]
    return tables.align(("root", *SHORT), rows)


def text(columns: Mapping[str, Sequence[SeenRollout]]) -> str:
    """One column for each set of rollouts; below, what the last has gained over the first."""
    rows = [(name, *(figure(seen) for seen in columns.values())) for name, figure in FIGURES.items()]
    lines = [tables.align(("", *columns), rows)]
    if len(columns) > 1:
        (first, before), *_, (last, after) = columns.items()
        lines.append(f"{last} against {first}: reward {gain(before, after)}")
    return "\n\n".join(lines)


def document(columns: Mapping[str, Sequence[SeenRollout]]) -> dict[str, Any]:
    """The same as JSON, with the rewards themselves."""
    return {
        "experiment": "train",
        "columns": {
            name: {figure: make(seen) for figure, make in FIGURES.items()}
            | {"rewards": [one.reward for one in seen], "mean": statistics.fmean(one.reward for one in seen)}
            for name, seen in columns.items()
        },
    }


def gain(before: Sequence[SeenRollout], after: Sequence[SeenRollout]) -> str:
    """The difference of the means, with an interval over tasks: rollouts of one task are not independent."""
    pairs = _by_task(before), _by_task(after)
    shared = sorted(pairs[0].keys() & pairs[1].keys())
    if not shared:
        difference = statistics.fmean(s.reward for s in after) - statistics.fmean(s.reward for s in before)
        return f"{difference:+.3f} (no task in common: not comparable task by task)"
    found = intervals.mean([pairs[1][task] - pairs[0][task] for task in shared])
    tasks = f"{len(shared)} task{'s' * (len(shared) != 1)} in common"
    return f"{found.value:+.3f} [{found.low:+.3f}, {found.high:+.3f}] over {tasks}"


def _by_task(rollouts: Sequence[SeenRollout]) -> dict[str, float]:
    found: dict[str, list[float]] = defaultdict(list)
    for one in rollouts:
        found[one.task].append(one.reward)
    return {task: statistics.fmean(rewards) for task, rewards in found.items()}


def _reward(rollouts: Sequence[SeenRollout]) -> str:
    rewards = [one.reward for one in rollouts]
    return f"{statistics.fmean(rewards):.3f} (sd {statistics.pstdev(rewards):.3f})"


def _interval(rollouts: Sequence[SeenRollout]) -> str:
    found = intervals.mean([*_by_task(rollouts).values()])
    return f"{found.low:.3f}-{found.high:.3f}"


def _range(rollouts: Sequence[SeenRollout]) -> str:
    return f"{min(one.reward for one in rollouts):.3f}-{max(one.reward for one in rollouts):.3f}"


def _turns(rollouts: Sequence[SeenRollout]) -> str:
    turns = [one.turns for one in rollouts]
    return f"{statistics.fmean(turns):.2f} ({min(turns)}-{max(turns)})"


def _zero(rollouts: Sequence[SeenRollout]) -> str:
    known = [one.facts.delegated for one in rollouts if one.facts]
    none = sum(not calls for calls in known)
    return f"{none / len(known):.0%} ({none}/{len(known)})" if known else NONE


def _part(name: str) -> Figure:
    def mean(rollouts: Sequence[SeenRollout]) -> str:
        known = [getattr(score(one.facts), name) for one in rollouts if one.facts]
        return f"{statistics.fmean(known):.2f}" if known else NONE

    return mean


def _tokens(read: Callable[[SeenRollout], int | None]) -> Figure:
    def mean(rollouts: Sequence[SeenRollout]) -> str:
        known = [value for one in rollouts if (value := read(one)) is not None]
        return f"{statistics.fmean(known):,.0f}" if known else NONE

    return mean


FIGURES: Mapping[str, Figure] = {
    "reward": _reward,
    "95 % over tasks": _interval,
    "range": _range,
    "coverage by workers": _part("coverage"),
    "findings (F1)": _part("found"),
    "evidence": _part("evidence"),
    "turns": _turns,
    "zero delegation": _zero,
    "worker calls": _tokens(lambda one: one.facts.delegated if one.facts else None),
    "worker input tokens": _tokens(lambda one: one.facts.worker_tokens if one.facts else None),
    "root input tokens": _tokens(lambda one: one.input),
    "root output tokens": _tokens(lambda one: one.output),
    "tasks": lambda rollouts: str(len(_by_task(rollouts))),
    "n": lambda rollouts: str(len(rollouts)),
}
