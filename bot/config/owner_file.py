"""Files by which the owner of a repository decides about its reviews: where each is, and what is wrong with one."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import cast

from bot import registry


@dataclass(frozen=True, slots=True)
class Problem:
    """A mistake in the file.

    If it is fatal, nothing in the file applies. `line` is None if it concerns the whole file.

    `about`: the keys that lead to it, joined by dots, which tell it from other mistakes on its line. Empty if it
    concerns the whole file.

    `may_set_threshold`: whether the part that doesn't apply may decide how a check ends.
    """

    line: int | None
    sentence: str
    about: str = ""
    fatal: bool = True
    may_set_threshold: bool = False


class OwnerFile(ABC):
    """One such file. A review reads it on the base branch, and checks it in the change that writes it."""

    path: str
    other_names: tuple[str, ...]  # that somebody may give it
    local_path: str = ""  # of one that a person has for themselves in the git folder, out of reach of a commit
    fatal_consequence: str  # of a problem for which the file cannot be used
    consequence: str  # of any other

    @abstractmethod
    def problems(self, text: bytes) -> tuple[Problem, ...]:
        """List what is wrong with its text."""


def of_features() -> tuple[OwnerFile, ...]:
    """List the files that features read."""
    return cast("tuple[OwnerFile, ...]", registry.parts("file"))
