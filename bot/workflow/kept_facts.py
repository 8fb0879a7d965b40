"""Where a server keeps what code has told of files: a folder for each repository, so that none of them goes by what another has brought."""

import shutil
from collections.abc import Iterable
from pathlib import Path

FACTS_FOLDER = "facts"  # in the data folder


def folder(data: Path, repository: str) -> Path:
    """Return the folder of one repository."""
    return data / FACTS_FOLDER / repository


def forget(data: Path, repositories: Iterable[int]) -> None:
    """Remove what was told of the files of these repositories."""
    for repository in repositories:
        shutil.rmtree(folder(data, str(repository)), ignore_errors=True)
