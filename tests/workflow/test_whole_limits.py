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


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("hang", "went over the limit of 1 seconds of computing"),
        ("grow", "went over the limit of 512 MB of memory"),
        ("crash", "ended its process (SIGSEGV)"),
    ],
)
def test_a_file_that_cannot_be_read_is_left_out_and_the_others_are_reviewed(
    told: Mapping[str, Any], name: str, why: str
) -> None:
    """The finding in the other file stands, the review says what was left out and why, and it is not clean."""
    said = told[name]
    assert "shop/cart.py" in said["comment"]
    assert f"a.{name}" in said["comment"]
    assert why in said["comment"].replace("\\", "")
    assert "Open: 1 file of code that was left out." in said["comment"]
    assert "Clean" not in said["comment"]
    assert said["conclusion"] == "neutral"


def test_a_change_in_which_too_many_files_cannot_be_read_has_no_review(told: Mapping[str, Any]) -> None:
    """Its check run ends and names the file that was the last straw."""
    assert told["many"]["comment"] == ""
    assert told["many"]["conclusion"] == "neutral"
    assert "3.crash" in told["many"]["check"]


def test_nothing_is_left_of_children_that_were_ended(told: Mapping[str, Any]) -> None:
    """No process but those that start the next child, and no folder."""
    assert told["processes"] == 2
    assert told["left"] == []
