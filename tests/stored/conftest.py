import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "workflow"))  # for whole.py

from whole import Whole, whole


@pytest.fixture(params=["SQLite", pytest.param("PostgreSQL", marks=pytest.mark.slow)])
def at(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[Whole]:
    """Start the whole product on either database for the duration of the test."""
    if request.param == "SQLite":
        return whole(tmp_path)
    database: Callable[[], str] = request.getfixturevalue("postgres")
    return whole(tmp_path, database_url=database())
