"""The run: policies of several seeds, each trained under our reward and under the one by mentions, judged by both before and after."""

import resource
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from bot.errors import UsageError
from deeprepo_evals.train.small import grammar, play, policy
from deeprepo_evals.train.small.plan import Plan
from deeprepo_evals.train.tasks import Task

OURS, SEEDS = "ours", "seeds"
REWARDS = (OURS, SEEDS)
ROLLOUTS = "rollouts.jsonl"


@dataclass(frozen=True, slots=True)
class Figures:
    """Means over some rollouts."""

    ours: float
    seeds: float
    read: float  # share of the units whose text a worker has read
    calls: float  # of workers, for each rollout
    gaming: float  # share of rollouts that tried to be paid for what nobody has read


@dataclass(frozen=True, slots=True)
class TrainedPolicy:
    """One policy: before, each step, after. `programs` are the commonest ones after it, with their share."""

    reward: str
    seed: int
    before: Figures
    steps: tuple[Figures, ...]
    after: Figures
    programs: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Run:
    """All of it. Seconds are of this process and those that it started."""

    plan: Plan
    parameters: int
    policies: tuple[TrainedPolicy, ...]
    rollouts: int  # that differ; the others are repetitions, and not carried out
    kept: int  # of these, from an earlier run that was broken off
    asked: int
    cpu: float
    wall: float


def carry_out(plan: Plan, folder: Path, say: Callable[[str], None]) -> Run:
    """Train and judge; rollouts are kept in the folder. Raises UsageError where that cannot be written."""
    start, asked = time.monotonic(), 0
    done: list[TrainedPolicy] = []
    with play.Stage(_open_folder(folder)) as stage:

        def play_pairs(pairs: Sequence[tuple[Task, Sequence[str]]]) -> list[play.PlayedRollout]:
            nonlocal asked
            asked += len(pairs)
            return stage.play([(task, grammar.program(words)) for task, words in pairs])

        for seed in range(1, plan.seeds + 1):
            for reward in REWARDS:
                say(f"policy {seed} of {plan.seeds} under the reward {reward!r}, {len(stage):,} rollouts so far")
                done.append(_train(plan, reward, seed, play_pairs))
    seconds = time.monotonic() - start
    return Run(plan, policy.Policy(1).size, tuple(done), len(stage), stage.kept, asked, _cpu(), seconds)


def figures(rollouts: Sequence[play.PlayedRollout]) -> Figures:
    """Their means."""
    return Figures(
        ours=fmean(one.ours for one in rollouts),
        seeds=fmean(one.seeds for one in rollouts),
        read=fmean(one.facts.read / one.facts.units for one in rollouts),
        calls=fmean(one.facts.delegated for one in rollouts),
        gaming=fmean(one.gaming for one in rollouts),
    )


Stand = Callable[[Sequence[tuple[Task, Sequence[str]]]], list[play.PlayedRollout]]


def _train(plan: Plan, reward: str, seed: int, play_pairs: Stand) -> TrainedPolicy:
    learner = policy.Policy(seed)
    steps: list[Figures] = []

    def pay(pairs: Sequence[tuple[Task, Sequence[str]]]) -> list[float]:
        rollouts = play_pairs(pairs)
        steps.append(figures(rollouts))
        return [one.ours if reward == OURS else one.seeds for one in rollouts]

    def judge() -> list[play.PlayedRollout]:
        tasks = [task for task in plan.held_out() for _ in range(plan.samples)]
        return play_pairs([*zip(tasks, learner.write(plan.held_out(), plan.samples), strict=True)])

    before = figures(judge())
    learner.learn(plan.training_tasks(), plan, pay)
    after = judge()
    return TrainedPolicy(reward, seed, before, tuple(steps), figures(after), _commonest(after))


def _commonest(rollouts: Sequence[play.PlayedRollout], most: int = 3) -> tuple[tuple[str, float], ...]:
    counted = Counter(" ".join(one.program) for one in rollouts)
    return tuple((words, count / len(rollouts)) for words, count in counted.most_common(most))


def _open_folder(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / ROLLOUTS
        file.touch()
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}") from error
    return file


def _cpu() -> float:
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in spent)
