"""How the tests of the dependents look at a change."""

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
    """What a change can break."""
    return step.over(pull, lambda tree, files: uses.find(tree, files, languages, budget or SearchLimits()))


def callers(pull: PullRequest, name: str, limit: int = 200) -> tuple[Reference, ...]:
    """The places in the head tree where a name is written."""
    return step.over(pull, lambda tree, _: uses.callers(tree, name, LANGUAGES, limit))


def readers(pull: PullRequest, name: str, limit: int = 200, near: str = "") -> tuple[tuple[str, int, str, str], ...]:
    """The unchanged lines that read a name."""
    return step.over(pull, lambda tree, _: uses.readers(tree, name, limit, near))
