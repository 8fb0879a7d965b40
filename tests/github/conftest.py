from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from hosted import Scene, scene


@pytest.fixture
def at(tmp_path: Path) -> AbstractAsyncContextManager[Scene]:
    """A pull request on the sandbox GitHub, open during the test."""
    return scene(tmp_path)
