from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from hosted import Scene, scene


@pytest.fixture
def at(tmp_path: Path) -> AbstractAsyncContextManager[Scene]:
    """Open a pull request on the sandbox GitHub for the duration of the test."""
    return scene(tmp_path)
