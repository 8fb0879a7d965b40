"""What a run does, in numbers."""

from dataclasses import dataclass

from deeprepo_evals.train.tasks import Task, tasks

SIZES = (10, 20)  # files: a rollout takes 0.1 to 0.2 s of CPU time
TRAINED, HELD_OUT = 4, 8  # tasks of either split


@dataclass(frozen=True, slots=True)
class Plan:
    """Each seed is a policy of its own, trained once under each reward."""

    seeds: int = 5
    steps: int = 45
    rollouts: int = 32  # of a step
    group: int = 8  # rollouts of one task that are compared with each other
    rate: float = 5e-3
    samples: int = 4  # programs for each held-out task, before and after

    def training_tasks(self) -> list[Task]:
        """What is learnt from."""
        return list(tasks("train", TRAINED, sizes=SIZES))

    def held_out(self) -> list[Task]:
        """What is judged by."""
        return list(tasks("eval", HELD_OUT, sizes=SIZES))
