from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from bot import storage
from bot.storage import Store


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database, SQLite or PostgreSQL."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/data/deeprepo.db"
    make: Callable[..., str] = request.getfixturevalue("postgres")
    return make()


@pytest.fixture
def store(url: str) -> AbstractAsyncContextManager[Store]:
    """The store in that database, open during the test."""
    return storage.open_store(url)
