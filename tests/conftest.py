import gc
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from fakes import Repository
from postgres import postgres


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """An empty git repository."""
    return Repository(tmp_path / "repository")


@pytest.fixture
def repositories(tmp_path: Path) -> Callable[[str], Repository]:
    """More of them, by name."""
    return lambda name: Repository(tmp_path / name)


def pytest_configure() -> None:
    """A shell starts background jobs with Ctrl-C ignored, and what we start would inherit that: here it always counts."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # Thousands of tests fill the heap, and looking through all of it takes time.
    gc.set_threshold(100_000, 50, 50)


__all__ = ["postgres"]  # a fixture for every folder
