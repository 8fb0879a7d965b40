"""`deeprepo-orchestration` for verifiers: code bases with planted defects, reviewed by the policy through deeprepo's own engine.

`pip install . ./sandbox './evals[train]'` brings it; its id is `deeprepo-orchestration`. docs/contributing/training.md says what is rewarded.
"""

from deeprepo_orchestration.environment import OrchestrationEnv
from deeprepo_orchestration.harness import OrchestrationHarness
from deeprepo_orchestration.taskset import OrchestrationTaskset

__all__ = ["OrchestrationEnv", "OrchestrationHarness", "OrchestrationTaskset"]
