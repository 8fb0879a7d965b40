"""What git tells the hooks that it starts."""

import os


def index() -> str | None:
    """The index that the commit is made from: `git commit -a` and `git commit FILE` use one of their own."""
    return os.environ.get("GIT_INDEX_FILE") or None


def git_dir() -> str | None:
    """The git folder that the user, or the git that started us, has named."""
    return os.environ.get("GIT_DIR") or None
