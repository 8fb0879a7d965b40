"""The facts that git and pre-commit pass to the hooks that they start."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Push:
    """A push that is about to happen: `base` is what the remote has of it, None if it has nothing."""

    base: str | None
    head: str


def index() -> str | None:
    """Return the index that the commit is made from: `git commit -a` and `git commit FILE` use one of their own."""
    return os.environ.get("GIT_INDEX_FILE") or None


def repository() -> tuple[Path, Path] | None:
    """Return the git folder and the top of the work tree, where the person who commits has named both: they need not lie together."""
    places = (os.environ.get("GIT_DIR"), os.environ.get("GIT_WORK_TREE"))
    return (Path(places[0]).resolve(), Path(places[1]).resolve()) if places[0] and places[1] else None


def push() -> Push | None:
    """Return the push that pre-commit runs us before, None in any other case.

    What is pushed need not be what is checked out: `git push origin topic` works from every branch.
    """
    head = os.environ.get("PRE_COMMIT_TO_REF") or os.environ.get("PRE_COMMIT_LOCAL_BRANCH")
    return Push(os.environ.get("PRE_COMMIT_FROM_REF") or None, head) if head else None


def is_running() -> bool:
    """Return whether git or pre-commit has started us: git names the folder that it was called in to every program that it starts."""
    return "PRE_COMMIT" in os.environ or "GIT_PREFIX" in os.environ


def path() -> str:
    """Return the PATH of the person whose commit or push it is: pre-commit puts the environment of a hook in front of it."""
    python_folder = str(Path(sys.executable).parent)
    folders = os.environ.get("PATH", "").split(os.pathsep)
    return os.pathsep.join(folder for folder in folders if folder != python_folder or "PRE_COMMIT" not in os.environ)
