import json
import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from whole import whole

from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Server

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    """Run a server with misbehaving plug-ins and return its results."""
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
    "hang": "exceeded the limit of 1 seconds of CPU time",
    "grow": "exceeded the memory limit of 512 MB",
    "crash": "crashed (SIGSEGV)",
}


@pytest.mark.slow  # the limits of a child process are tested in tests/wiring
def test_files_that_hit_a_limit_are_skipped_and_the_others_are_reviewed(told: Mapping[str, Any]) -> None:
    """Files that hit a limit are reported as not checked; the other files' findings are still posted.

    This works for any number of such files, and no process or folder remains.
    """
    for name, why in WHY.items():
        said = told[name]
        assert "shop/cart.py" in said["comment"]
        assert f"a.{name}" in said["comment"]
        rows = [row.replace("\\", "") for row in said["comment"].splitlines() if row.startswith(f"- `a.{name}`")]
        assert rows == [f"- `a.{name}` reading it {why}"]
        assert "Not checked: 1 skipped file." in said["comment"]
        assert "Clean" not in said["comment"]
        assert said["conclusion"] == "neutral"
    assert "Not checked: 5 skipped files." in told["many"]["comment"]
    assert "shop/cart.py" in told["many"]["comment"]
    assert told["many"]["conclusion"] == "neutral"
    assert told["processes"] == 2  # the processes that start the next child
    assert told["left"] == []


async def test_failed_model_part_keeps_the_static_findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The child is killed during a root model's turn: the static finding is posted, with a note about it."""

    def root(body: dict[str, Any]) -> doubles.Reply:
        for child in multiprocessing.active_children():
            os.kill(child.pid or 0, signal.SIGKILL)
        return doubles.code("set_answer('Fine.')")

    with doubles.in_thread(Server(root)) as server:
        monkeypatch.setenv("DEEPREPO_BASE_URL", server.openai_url)
        for role in ("ROOT", "WORKER"):
            monkeypatch.setenv(f"DEEPREPO_{role}", "compatible/model")
        async with whole(tmp_path) as at:
            await at.repo.commit("main", {".deeprepo.yml": "fail_on: critical\nstrategy: rlm\n"})
            number = await at.reviewed(fork=True, author="stranger")
            assert at.ending(number) == "failure"
            page = at.summary(number)
            assert "1 finding (1 high)" in page
            assert "this review contains only static checks" in page
