"""The tasks and what a rollout of one is worth. What is planted follows from the seed and stands in no task."""

from collections.abc import Iterator
from typing import Literal

import verifiers.v1 as vf
from pydantic import Field

from deeprepo_evals.train import Facts, Task, score, tasks
from deeprepo_evals.train.run import SCOPES
from deeprepo_evals.train.tasks import NAME, SIZES, TURNS


class OrchestrationData(vf.TaskData):
    """One code base."""

    seed: int
    files: int
    scope: Literal["whole", "change"]
    clean: bool
    turns: int


class OrchestrationTask(vf.Task[OrchestrationData]):
    """Scored from the coverage and from the findings, which the harness leaves in the trace."""

    @vf.reward(weight=1.0)
    async def orchestration(self, trace: vf.Trace) -> float:
        """Coverage, findings and evidence, less what was wasted."""
        return score(_facts(trace)).reward

    @vf.metric
    async def parts(self, trace: vf.Trace) -> dict[str, float]:
        """What the reward is made of, and whether anything was delegated."""
        facts = _facts(trace)
        parts = score(facts)
        return {
            "coverage": parts.coverage,
            "found": parts.found,
            "evidence": parts.evidence,
            "turns_waste": parts.turns_waste,
            "tokens_waste": parts.tokens_waste,
            "answered": float(facts.answered),
            "worker_calls": float(facts.delegated),
            "zero_delegation": float(not facts.delegated),
            "worker_tokens": float(facts.worker_tokens),
            "blocks_failed": float(facts.errors),
        }

    async def validate(self, runtime: vf.Runtime) -> bool:  # noqa: ARG002 - nothing has to run
        """Whether the code base can be made, with the defects that it should have."""
        data = self.data
        code = Task(data.seed, data.files, data.scope, data.clean, data.turns).code()
        return len(code.files) == self.data.files and bool(code.labels) != self.data.clean


class OrchestrationConfig(vf.TasksetConfig):
    """Which code bases: `--env.taskset.num-tasks 64 --env.taskset.split eval`."""

    num_tasks: int = Field(512, ge=1)
    split: Literal["train", "eval"] = "train"
    scope: Literal["whole", "change", "both"] = "both"
    sizes: list[int] = Field(default_factory=lambda: list(SIZES), min_length=1)
    turns: int = Field(TURNS, ge=1, le=50)


class OrchestrationTaskset(vf.Taskset[OrchestrationTask, OrchestrationConfig]):
    """Generates tasks. Identical settings give identical tasks, and the splits share no task."""

    def load(self) -> Iterator[OrchestrationTask]:
        """One after the other; a code base is made when it is played."""
        wanted = self.config
        scopes = SCOPES[wanted.scope]
        for task in tasks(wanted.split, wanted.num_tasks, sizes=wanted.sizes, scopes=scopes, turns=wanted.turns):
            data = OrchestrationData(
                name=task.name,
                prompt=f"Review the pull request {task.name} with workers.",  # the engine's own first message replaces it
                seed=task.seed,
                files=task.files,
                scope=task.scope,
                clean=task.clean,
                turns=task.turns,
            )
            yield OrchestrationTask(data, wanted.task)


def _facts(trace: vf.Trace) -> Facts:
    return Facts.of(trace.info[NAME])
