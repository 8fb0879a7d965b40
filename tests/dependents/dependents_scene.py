"""Helpers that search a change for its dependents."""

from collections.abc import Mapping

import step

from bot.values import Dependents, PullRequest, Reference
from deeprepo.impact import uses
from deeprepo.impact.families import LANGUAGES
from deeprepo.impact.family import Family
from deeprepo.impact.uses import SearchLimits


def find(
    pull: PullRequest, budget: SearchLimits | None = None, languages: Mapping[str, Family] = LANGUAGES
) -> Dependents:
    """Return what the change can break."""
    return step.over(pull, lambda tree, files: uses.find(tree, files, languages, budget or SearchLimits()))


def callers(pull: PullRequest, name: str, limit: int = 200) -> tuple[Reference, ...]:
    """Return the references to a name in the head commit."""
    return step.over(pull, lambda tree, _: uses.callers(tree, name, LANGUAGES, limit))


def readers(pull: PullRequest, name: str, limit: int = 200, near: str = "") -> tuple[tuple[str, int, str, str], ...]:
    """Return the unchanged lines that read a name, and how each reads it."""
    return step.over(pull, lambda tree, _: uses.readers(tree, name, limit, near))
