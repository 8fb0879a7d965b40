"""Helpers that search a change for its dependents."""

import step

from bot.values import Dependents, PullRequest, Reference
from deeprepo.impact import uses
from deeprepo.impact.uses import SearchLimits


def find(pull: PullRequest, budget: SearchLimits | None = None) -> Dependents:
    """Return what the change can break."""
    return step.over(pull, lambda tree, files: uses.find(tree, files, budget or SearchLimits()))


def callers(pull: PullRequest, name: str, limit: int = 200) -> tuple[Reference, ...]:
    """Return the references to a name in the head commit."""
    return step.over(pull, lambda tree, _: uses.callers(tree, name, limit))


def readers(pull: PullRequest, name: str, limit: int = 200) -> tuple[Reference, ...]:
    """Return the lines with a name."""
    return step.over(pull, lambda tree, _: uses.readers(tree, name, limit))
