import sys
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "workflow"))  # where the whole product is put together

from whole import Whole, whole


@pytest.fixture
def at(tmp_path: Path) -> AbstractAsyncContextManager[Whole]:
    """The whole product, open during the test."""
    return whole(tmp_path)
