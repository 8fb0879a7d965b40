import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    """What a server with misbehaving plug-ins has said."""
    folder = tmp_path_factory.mktemp("hanging")
    paths = os.pathsep.join([str(HERE.parents[1]), str(HERE), str(HERE.parent)])
    done = subprocess.run(
        [sys.executable, str(HERE / "hanging.py"), str(folder)],
        env={**os.environ, "PYTHONPATH": paths},
        stdout=subprocess.PIPE,
        check=True,
    )
    found: Mapping[str, Any] = json.loads(done.stdout)
    return found


WHY = {
    "hang": "went over the limit of 1 seconds of computing",
    "grow": "went over the limit of 512 MB of memory",
    "crash": "ended its process (SIGSEGV)",
}


@pytest.mark.slow  # a child's limits are tested in tests/wiring
def test_what_a_limit_ends_is_left_out_and_the_others_are_reviewed(told: Mapping[str, Any]) -> None:
    """The findings of the other files stand, each review reports what was left out and why, and none is clean.

    If too many files have to be left out, the check run names the last one. No process and no folder stays behind.
    """
    for name, why in WHY.items():
        said = told[name]
        assert "shop/cart.py" in said["comment"]
        assert f"a.{name}" in said["comment"]
        rows = [row.replace("\\", "") for row in said["comment"].splitlines() if row.startswith(f"- `a.{name}`")]
        assert rows == [f"- `a.{name}` reading it {why}"]
        assert "Open: 1 file that was left out." in said["comment"]
        assert "Clean" not in said["comment"]
        assert said["conclusion"] == "neutral"
    assert told["many"]["comment"] == ""
    assert told["many"]["conclusion"] == "neutral"
    assert ".crash" in told["many"]["check"]
    assert told["processes"] == 2  # those that start the next child
    assert told["left"] == []
