from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from sandbox_rig import Rig, rig


@pytest.fixture
def at(tmp_path: Path) -> AbstractAsyncContextManager[Rig]:
    """A sandbox with a pull request, open during the test."""
    return rig(tmp_path)
