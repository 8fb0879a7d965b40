"""A folder of cases for the evaluation of reviews."""

from pathlib import Path

import pytest
from reviewed import Folder, folder


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Cases of every kind."""
    return folder(tmp_path_factory.mktemp("shop"))


@pytest.fixture
def shop(made: Folder, tmp_path: Path) -> Folder:
    """A copy of the cases for one test."""
    return made.copy(tmp_path)
