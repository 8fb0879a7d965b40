"""The cases that are part of this project: commits of public repositories by their ids, places, descriptions and edits of our own.

They repeat no code of others: an edit names a line of the repository by its number where it keeps a part of it. Titles are those of
the commits. `deeprepo eval fetch` brings the commits.
"""

import tomllib
from pathlib import Path

CASES = Path(__file__).parent
REPOS = Path(".cache/repos")  # where the commits are kept, unless another folder is named


def sizes() -> dict[str, int]:
    """How many megabytes the commits of a repository take, where that was measured."""
    return dict(tomllib.loads((CASES / "sizes.toml").read_text("utf-8")))
