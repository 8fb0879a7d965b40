"""Rollouts of several roots over the same tasks, kept as results that a later run continues with. verifiers is not needed for it."""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bot.errors import UsageError
from deeprepo.rlm.errors import BadAnswer, BudgetSpent, ProviderError
from deeprepo.rlm.models.failures import TOO_LONG
from deeprepo.rlm.values import Cost
from deeprepo_evals import models, plant, results
from deeprepo_evals.plant.reader import NAME as READER
from deeprepo_evals.train import policies
from deeprepo_evals.train.reward import score
from deeprepo_evals.train.rollout import Rollout, roll
from deeprepo_evals.train.tasks import SIZES, TURNS, Split, Task, tasks

EXPERIMENT = "train"
REWARD = 3  # rises when the same rollout would get another reward
SCOPES: dict[str, tuple[plant.Scope, ...]] = {"whole": ("whole",), "change": ("change",), "both": ("whole", "change")}


@dataclass(frozen=True, slots=True)
class Plan:
    """Which roots, over which tasks."""

    roots: tuple[str, ...]
    worker: str
    count: int = 6
    sizes: tuple[int, ...] = SIZES
    scope: str = "both"
    split: Split = "eval"
    turns: int = TURNS
    rounds: int = 1
    usd: float | None = None  # of the whole run

    def items(self) -> list[dict[str, Any]]:
        """What there is to do."""
        found = tasks(self.split, self.count, sizes=self.sizes, scopes=SCOPES[self.scope], turns=self.turns)
        return [
            {"reward": REWARD, "root": root, "worker": self.worker, "round": number, **asdict(task)}
            for task in found
            for number in range(1, self.rounds + 1)
            for root in self.roots
        ]


async def carry_out(
    plan: Plan, out: Path | None, say: Callable[[str], None], trace: Path | None = None
) -> results.Ended:
    """Run the remaining rollouts. `say` receives a line for each one as it starts, with an estimate of the remaining time.

    Raises UsageError.
    """
    purse = _Purse(plan.usd)
    items: list[results.Item] = list(plan.items())
    start, files_done = time.monotonic(), 0

    async def do(item: results.Item) -> results.Result:
        nonlocal files_done
        at = items.index(item)
        each = (time.monotonic() - start) / files_done if files_done else 0.0  # larger code bases take longer
        minutes = each * sum(row["files"] for row in items[at:]) / 60
        rest = f", about {minutes:.0f} min left" if files_done else ""
        say(f"rollout {at + 1} of {len(items)}: {item['root']}, {item['files']} files, seed {item['seed']}{rest}")
        result = await _roll(item, trace, purse)
        files_done += item["files"]
        return result

    with results.Run(out, EXPERIMENT) as run:
        return await results.finish(run, items, do)


@dataclass(slots=True)
class _Purse:
    """Dollars that the run may cost; None: no cap."""

    usd: float | None
    spent_usd: float = 0.0

    def left(self) -> float | None:
        """What the next rollout may cost. Raises BudgetSpent where that is nothing."""
        if self.usd is None:
            return None
        if self.spent_usd >= self.usd:
            raise self.empty()
        return self.usd - self.spent_usd

    def pay(self, cost: Cost) -> None:
        """Where nobody knows a price, tokens count as the budget counts them."""
        self.spent_usd += models.usd_for_cap(cost)

    def empty(self) -> BudgetSpent:
        """The error that reports it."""
        return BudgetSpent(f"the cap of ${self.usd:,.2f} of this run is reached: allow more with --max-usd")


async def _roll(item: results.Item, trace: Path | None, purse: _Purse) -> results.Result:
    """One rollout. Raises what is no fault of the root: ProviderError where its provider failed, BudgetSpent."""
    task = Task(*(item[name] for name in Task.__dataclass_fields__))
    root, worker = policies.root(item["root"]), policies.worker(item["worker"], task)
    name = f"{item['root'].replace('/', '-')}-{task.name}-{item['round']}.jsonl"
    rolled = await roll(task, root, worker, trace=trace / name if trace else None, usd=purse.left())
    purse.pay(rolled.review.cost)
    if rolled.was_capped and purse.usd is not None:
        raise purse.empty()
    if provider_failed(rolled):
        raise ProviderError(rolled.why)
    return {"facts": asdict(rolled.facts), "score": asdict(score(rolled.facts)), "reward": score(rolled.facts).reward}


def provider_failed(rollout: Rollout) -> bool:
    """Whether the root's provider failed. A prompt that is too long is not that: the root has made it so."""
    its_own = rollout.failure in {BadAnswer.__name__, BudgetSpent.__name__} or TOO_LONG.search(rollout.why)
    return bool(rollout.failure) and not its_own


def plan_of(roots: str, worker: str, files: str, **rest: Any) -> Plan:  # noqa: ANN401 - fields of Plan
    """The rollouts that were asked for. Raises UsageError."""
    names = tuple(policies.check(name, root=True) for name in _parts(roots)) or policies.policies()
    try:
        sizes = tuple(int(part) for part in _parts(files)) or SIZES
    except ValueError:
        raise UsageError(f"{files!r} is not a number of files: write whole numbers with commas between them") from None
    made = Plan(names, policies.check(worker or READER, root=False), sizes=sizes, **rest)
    made.items()
    return made


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]
