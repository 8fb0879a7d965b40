"""Fixtures with a folder of evaluation cases."""

from pathlib import Path

import pytest
from reviewed import Folder, folder


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A folder with cases of each kind."""
    return folder(tmp_path_factory.mktemp("shop"))


@pytest.fixture
def shop(made: Folder, tmp_path: Path) -> Folder:
    """A copy of the cases that a test may change."""
    return made.copy(tmp_path)
