import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from job_scene import Scene, prepare


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a data folder in which jobs ran before, because creating its databases takes time."""
    folder = tmp_path_factory.mktemp("prepared")
    asyncio.run(prepare(Scene(folder)))
    return folder


@pytest.fixture(scope="session")
def prepared_postgres(postgres: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the name of a database in which jobs ran before."""
    url = postgres()
    asyncio.run(prepare(Scene(tmp_path_factory.mktemp("prepared-postgres"), url)))
    return url.partition("?")[0].rpartition("/")[2]


@pytest.fixture
def on_sqlite(prepared: Path, tmp_path: Path) -> Scene:
    """Return a scene with jobs in a SQLite file."""
    shutil.copytree(prepared, tmp_path / "data")
    return Scene(tmp_path / "data")


@pytest.fixture
def on_postgres(postgres: Callable[..., str], prepared_postgres: str, tmp_path: Path) -> Scene:
    """Return a scene with jobs in PostgreSQL."""
    return Scene(tmp_path / "data", postgres(prepared_postgres))


@pytest.fixture(params=["sqlite", "postgres"])
def scene(request: pytest.FixtureRequest) -> Scene:
    """Return a scene on either database."""
    found: Scene = request.getfixturevalue(f"on_{request.param}")
    return found
