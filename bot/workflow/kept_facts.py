"""The folder in which a server caches facts about files.

Each repository has its own, so none can affect another.
"""

import shutil
from collections.abc import Iterable
from pathlib import Path

FACTS_FOLDER = "facts"  # in the data folder


def folder(data: Path, repository: str) -> Path:
    """Return the folder of one repository."""
    return data / FACTS_FOLDER / repository


def forget(data: Path, repositories: Iterable[int]) -> None:
    """Remove the cached facts of these repositories."""
    for repository in repositories:
        shutil.rmtree(folder(data, str(repository)), ignore_errors=True)
