import sys
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "workflow"))  # for whole.py

from whole import Whole, whole


@pytest.fixture
def at(tmp_path: Path) -> AbstractAsyncContextManager[Whole]:
    """Start the whole product for the duration of the test."""
    return whole(tmp_path)
