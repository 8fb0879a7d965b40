"""Without both switches, no module or process is started; a killed review leaves nothing behind."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import waits
from boxes import missing
from cli.recorded import Ended, deeprepo
from fakes import Repository
from test_reproducing import HEAD, Model

from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.processes import alive
from deeprepo_sandbox.providers import PerModel, Server

boxed = pytest.mark.skipif(bool(missing()), reason=missing() or "-")
ROOT = Path(__file__).parents[2]
# Reviews repeatedly in one process, and prints which modules were loaded and which processes started.
COUNTING = """
import asyncio, json, os, re, subprocess, sys, tempfile
started = []
sys.addaudithook(lambda name, given: started.append([*map(str, given[1])]) if name == "subprocess.Popen" else None)
from bot import pipeline
from bot.wiring.review import local_review
from bot.values import TypedChange
for line in sys.stdin:
    flags, environment = json.loads(line)
    os.environ.update(environment)
    started.clear()
    with tempfile.TemporaryDirectory() as scratch:
        done = asyncio.run(local_review(TypedChange("."), flags, scratch))
    print(json.dumps({
        "modules": sorted(name for name in sys.modules if re.fullmatch(r"bot.reproduction.(reproduce|rig|execute|container|runners)", name)),
        "programs": sorted({os.path.basename(command[0]) for command in started}),
        "commands": sorted({re.sub("[0-9a-f]{40}", "COMMIT", " ".join(command)) for command in started}),
        "findings": len(done.findings),
    }), flush=True)
"""


@contextmanager
def counting(shop: Repository, address: str) -> Iterator[Callable[..., dict[str, Any]]]:
    """Yield a function that runs a review and returns which modules were loaded and programs started."""
    known = {
        "PATH": os.environ["PATH"],
        "HOME": str(shop.folder),
        "PYTHONPATH": str(ROOT),
        "DEEPREPO_BASE_URL": address,
        "DEEPREPO_CACHE": "off",  # or one review's cached facts would save the next one a search
    }
    command, pipe = [sys.executable, "-c", COUNTING], subprocess.PIPE
    process = subprocess.Popen(command, cwd=shop.folder, env=known, stdin=pipe, stdout=pipe, text=True)

    def counted(**environment: str) -> dict[str, Any]:
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps([{"worker": "compatible/worker", "effort": "low"}, environment]) + "\n")
        process.stdin.flush()
        counts: dict[str, Any] = json.loads(process.stdout.readline())
        return counts

    with waits.ended(process):
        yield counted


@boxed
def test_disabled_feature_loads_no_module_and_starts_no_process(shop: Repository) -> None:
    """With only the section or only the permission, no module is loaded and no process started."""
    played = Server(PerModel({"worker": Model(HEAD + "        apply(2, -1)\n")}))
    with doubles.in_thread(played) as server, counting(shop, server.openai_url) as counted:
        counted()  # git's version is only looked up once per process
        without = counted()
        shop.git("checkout", "-q", "main")
        shop.commit({".deeprepo.yml": "quota: 4\n"}, "no section")
        shop.git("checkout", "-q", "feature")
        shop.git("rebase", "-q", "main")
        neither = counted()
        allowed = counted(DEEPREPO_RUN="1")
    assert without["modules"] == neither["modules"] == allowed["modules"] == []  # there is no section
    assert "docker" not in {*without["programs"], *allowed["programs"], *neither["programs"]}
    # Compared as sets, because concurrent searches may start a second git process.
    assert without["commands"] == neither["commands"] == allowed["commands"]
    assert without["findings"] == 1


def run(shop: Repository, *words: str, **environment: str) -> Ended:
    """Run `deeprepo run` in the repository's folder."""
    cache = str(shop.folder.parent / "cache")
    return deeprepo("run", *words, cwd=shop.folder, **{"DEEPREPO_RUN_CACHE": cache, **environment})


@boxed
def test_run_command_shows_prepares_and_tries_a_setup(shop: Repository) -> None:
    """`deeprepo run` shows, prepares and tries a setup before it is merged, as docs/running.md describes."""
    shop.git("checkout", "-q", "main")
    shop.commit({".deeprepo.yml": None}, "none yet")
    first = run(shop)
    assert first.returncode == 0
    assert "Nothing is run until .deeprepo.yml on the base branch has this section" in first.stdout
    shop.write({".deeprepo.yml": "run: {image: 'python:3.13-slim', prepare: 'echo 7 > number; echo fetched', test: 'cat number; python3 -m unittest -v {file}'}\n"})  # fmt: skip
    told = run(shop, DEEPREPO_RUN="1").stdout
    for part in (
        "in this folder",
        "yes, by DEEPREPO_RUN",
        "unittest",
        "python:3.13-slim",
        "isolated",
        "deeprepo run --prepare",
    ):
        assert part in told
    assert "prepared in" in run(shop, "--prepare").stderr
    assert "no: run" not in run(shop).stdout
    shop.write({"tests/test_new.py": HEAD + "        self.assertEqual(apply(2, 3), 7)\n"})
    done = run(shop, "--test", "tests/test_new.py")
    assert (done.returncode, done.stdout.startswith("7\n")) == (1, True)
    assert "it fails, as a test of a defect does" in done.stderr
    assert run(shop, "--test", "tests/test_rate.py").returncode == 0
    assert run(shop, "--test", "../outside.py").returncode == 2


@boxed
def test_network_access_needs_permission_from_the_operator(shop: Repository) -> None:
    """`run.network` without the operator's permission doesn't open the network."""
    shop.write({".deeprepo.yml": "run: {image: 'python:3.13-slim', prepare: 'true', network: true}\n"})
    done = run(shop, "--prepare")
    assert (done.returncode, "needs DEEPREPO_RUN_NETWORK" in done.stderr) == (3, True)


@boxed
def test_killed_review_leaves_no_process_or_file(shop: Repository, tmp_path: Path) -> None:
    """After `kill -9` during a test, no process or file remains."""
    mark = f"{6_000_000 + os.getpid()}.61"
    test = HEAD + f"        import subprocess; subprocess.run(['sleep', '{mark}'])\n"
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with doubles.in_thread(Server(PerModel({"worker": Model(test)}))) as server:
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(ROOT), "TMPDIR": str(scratch),
            "DEEPREPO_BASE_URL": server.openai_url,
        }  # fmt: skip
        command = [
            sys.executable,
            "-m",
            "bot",
            "review",
            "--run",
            "--effort",
            "low",
            "--worker",
            "compatible/worker",
            "-q",
        ]
        with subprocess.Popen(command, cwd=shop.folder, env=environment) as parent:
            waits.until(lambda: any(row.startswith("sleep") for row in alive(mark)), "the test runs")
            parent.send_signal(signal.SIGKILL)
    waits.until(lambda: not alive(mark), "the test is ended")
    left = [path.name for path in scratch.rglob("*") if path.is_file() and "test_deeprepo" in path.name]
    assert left == []
