from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from whole import Whole, whole


@pytest.fixture
def at(tmp_path: Path) -> AbstractAsyncContextManager[Whole]:
    """Start the whole product for the duration of the test."""
    return whole(tmp_path)
