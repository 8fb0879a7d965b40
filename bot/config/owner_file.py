"""The interface of files with which a repository's owner controls reviews: paths, and checks."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import cast

from bot import registry


@dataclass(frozen=True, slots=True)
class Problem:
    """A mistake in such a file.

    If the mistake is fatal, nothing in the file applies. For a mistake in the whole file, `line` is None and
    `about` is empty. Otherwise `about` is the dotted path of keys to the mistake, which distinguishes it from
    other mistakes on the same line. `may_set_threshold` says whether the ignored part may contain a setting
    that decides whether the check passes.
    """

    line: int | None
    sentence: str
    about: str = ""
    fatal: bool = True
    may_set_threshold: bool = False


class OwnerFile(ABC):
    """A file that a review reads on the base branch.

    If a change edits it, the review reports mistakes in it.
    """

    path: str
    other_names: tuple[str, ...]  # names that people use by mistake
    local_path: str = ""  # a user's own version, in the git folder, so it is never committed
    fatal_consequence: str  # a sentence about the effect of a fatal problem
    consequence: str  # a sentence about the effect of any other problem

    @abstractmethod
    def problems(self, text: bytes) -> tuple[Problem, ...]:
        """Return the problems in the file's text."""


def of_features() -> tuple[OwnerFile, ...]:
    """Return the owner files that features declare."""
    return cast("tuple[OwnerFile, ...]", registry.parts("file"))
