"""What roots earn in the environment: a row for each, with the parts of its reward and n. Pure."""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from deeprepo_evals import tables
from deeprepo_evals.results import Row
from deeprepo_evals.train.facts import Facts
from deeprepo_evals.train.reward import score

COLUMNS = ("root", "reward", "range", "coverage by workers", "findings (F1)", "evidence", "turns", "zero delegation", "worker input tokens", "n")  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Rollout:
    reward: float
    facts: Facts


def roots(rows: Sequence[Row]) -> str:
    """One row for each root."""
    found: dict[str, list[_Rollout]] = {}
    for row in rows:
        found.setdefault(str(row.item["root"]), []).append(
            _Rollout(row.result["reward"], Facts.of(row.result["facts"]))
        )
    return tables.align(COLUMNS, [(name, *_figures(rollouts)) for name, rollouts in found.items()])


def _figures(rollouts: Sequence[_Rollout]) -> tuple[str, ...]:
    rewards = [one.reward for one in rollouts]
    turns = [one.facts.turns for one in rollouts]
    none = sum(not one.facts.delegated for one in rollouts)

    def mean(read: Callable[[Facts], float]) -> float:
        return statistics.fmean(read(one.facts) for one in rollouts)

    return (
        f"{statistics.fmean(rewards):.3f} (sd {statistics.pstdev(rewards):.3f})",
        f"{min(rewards):.3f}-{max(rewards):.3f}",
        f"{mean(lambda facts: score(facts).coverage):.2f}",
        f"{mean(lambda facts: score(facts).found):.2f}",
        f"{mean(lambda facts: score(facts).evidence):.2f}",
        f"{statistics.fmean(turns):.2f} ({min(turns)}-{max(turns)})",
        f"{none / len(rollouts):.0%} ({none}/{len(rollouts)})",
        f"{mean(lambda facts: facts.worker_tokens):,.0f}",
        f"{len(rollouts)}",
    )
