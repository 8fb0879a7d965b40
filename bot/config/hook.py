"""Read the environment variables through which git and pre-commit pass information to a hook."""

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Push:
    """A push that is about to happen. `base` is the remote's current commit, or None for a new branch."""

    base: str | None
    head: str


def index() -> str | None:
    """Return the path of the index to commit, or None for the default.

    `git commit -a` and `git commit FILE` use a temporary index.
    """
    return os.environ.get("GIT_INDEX_FILE") or None


def repository() -> tuple[Path, Path] | None:
    """Return the git folder and the work tree if GIT_DIR and GIT_WORK_TREE are both set, else None.

    The two can be in unrelated places.
    """
    places = (os.environ.get("GIT_DIR"), os.environ.get("GIT_WORK_TREE"))
    return (Path(places[0]).resolve(), Path(places[1]).resolve()) if places[0] and places[1] else None


def push() -> Push | None:
    """Return the push for which pre-commit runs us, or None if it runs us for something else.

    The pushed branch may not be checked out: `git push origin topic` works from every branch.
    """
    head = os.environ.get("PRE_COMMIT_TO_REF") or os.environ.get("PRE_COMMIT_LOCAL_BRANCH")
    return Push(os.environ.get("PRE_COMMIT_FROM_REF") or None, head) if head else None


def is_running() -> bool:
    """Return whether git, which sets GIT_PREFIX, or pre-commit started this process."""
    return "PRE_COMMIT" in os.environ or "GIT_PREFIX" in os.environ
