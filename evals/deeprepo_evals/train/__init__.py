"""Learning to orchestrate: code bases with planted defects as tasks, rollouts through the product's own engine, a reward by content.

Nothing here knows verifiers; `evals/deeprepo_orchestration` is the door to it.
"""

from deeprepo_evals.train.facts import Facts
from deeprepo_evals.train.reward import score
from deeprepo_evals.train.rollout import Rollout, roll
from deeprepo_evals.train.tasks import Task, tasks

__all__ = ["Facts", "Rollout", "Task", "roll", "score", "tasks"]
