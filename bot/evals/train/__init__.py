"""Learning to orchestrate: code bases with planted defects as tasks, rollouts through the product's own engine, a reward by content.

Nothing here knows verifiers; `environments/deeprepo_orchestration` is the door to it.
"""

from bot.evals.train.facts import Facts
from bot.evals.train.reward import score
from bot.evals.train.rollout import Rollout, roll
from bot.evals.train.tasks import Task, tasks

__all__ = ["Facts", "Rollout", "Task", "roll", "score", "tasks"]
