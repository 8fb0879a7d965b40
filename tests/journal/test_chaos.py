import subprocess
import sys
from pathlib import Path

import pytest
from waits import patience


@pytest.mark.slow
def test_killed_review_ends_with_the_same_result() -> None:
    """After five kills, a review has the same result, and no finished call is repeated."""
    command = [sys.executable, "-m", "benchmarks.chaos", "--kills", "5"]
    done = subprocess.run(
        command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False, timeout=patience(300)
    )
    assert done.returncode == 0, done.stdout + done.stderr
