"""Each distribution's modules can be imported with only its own dependencies installed."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import bare
import pytest

ROOT = Path(__file__).parents[2]
# Modules that need an extra at import time; all others can be imported without extras.
ROOMS = {
    "models": ("deeprepo.rlm.models",),
    "github": (
        "bot.action",
        "bot.github",
        "bot.workflow.consumers",
        "bot.workflow.organization",
        "bot.workflow.publish",
    ),
    "server": (
        "bot.app",
        "bot.workflow.jobs",
        "bot.storage",
        "bot.workflow",
    ),
    "mcp": ("bot.cli.mcp_server",),
}
# verifiers takes 0.6 GB and is only installed by `make train`; here, every name in it is a dummy class.
STAND_IN = """
class Anything:
    def __class_getitem__(cls, item): return cls
    def __init__(self, *given, **named): pass
    def __call__(self, function): return function

def __getattr__(name): return Anything
"""
VERIFIERS = find_spec("verifiers") is not None


def larger(*extras: str, of: str = bare.PRODUCT, packages: list[str], **then: dict[str, Any]) -> dict[str, Any]:
    """Return an installation with these extras, in the form that `importing.py` reads."""
    return {"packages": packages, "allowed": sorted(bare.missing() - bare.missing(*extras, of=of)), "then": then}


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """Map each installation to its modules that failed to import, with the missing name."""
    folder = tmp_path_factory.mktemp("imports")
    if not VERIFIERS:
        (folder / "verifiers").mkdir()
        (folder / "verifiers" / "__init__.py").touch()
        (folder / "verifiers" / "v1.py").write_text(STAND_IN)
    train = ("train",) if VERIFIERS else ()
    benchmarks = {"packages": ["benchmarks"], "allowed": sorted(bare.missing()), "then": {}}
    evals = larger(
        *train, of="deeprepo-evals", packages=["deeprepo_evals", "deeprepo_orchestration"], benchmarks=benchmarks
    )
    sandbox = larger(of="deeprepo-sandbox", packages=["deeprepo_sandbox"], evals=evals)
    extras = {extra: larger(extra, packages=["bot", "deeprepo"]) for extra in ROOMS}
    extras["models"]["then"] = {"sandbox": sandbox}
    beside = (*(ROOT / name for name in ("sandbox", "evals", "tests", "tests/app", "tests/workflow")), folder)
    path = ":".join([bare.path(folder), *map(str, beside)])
    wanted = {"packages": ["bot", "deeprepo"], "allowed": [], "then": extras}
    done = subprocess.run(
        [sys.executable, "-P", Path(__file__).with_name("importing.py"), json.dumps(wanted)],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_base_installation_imports_everything_but_the_extras(refused: dict[str, dict[str, str]]) -> None:
    """Without extras, exactly the modules in the table fail to import."""
    rooms = tuple(room for names in ROOMS.values() for room in names)
    assert [name for name in refused["base"] if not name.startswith(rooms)] == []
    assert [room for room in rooms if not any(name.startswith(room) for name in refused["base"])] == []


@pytest.mark.parametrize("extra", ROOMS)
def test_each_extra_imports_all_its_modules(refused: dict[str, dict[str, str]], extra: str) -> None:
    """With only that extra, all its modules can be imported."""
    assert [name for name in refused[extra] if name.startswith(ROOMS[extra])] == []


@pytest.mark.parametrize("distribution", ["sandbox", "evals"])
def test_other_distributions_import_with_their_own_requirements(
    refused: dict[str, dict[str, str]], distribution: str
) -> None:
    """All modules can be imported with only the distribution's own requirements."""
    assert refused[distribution] == {}


@pytest.mark.skipif(VERIFIERS, reason="benchmarks run in the development environment")
def test_every_benchmark_is_importable(refused: dict[str, dict[str, str]]) -> None:
    """All benchmarks can be imported; they rarely run, so an error would go unnoticed."""
    assert refused["benchmarks"] == {}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lock", "rooms"),
    [
        ("-base", ()),
        ("-action", (*ROOMS["models"], *ROOMS["github"])),
        ("", tuple(room for names in ROOMS.values() for room in names)),
    ],
)
def test_each_lock_file_covers_the_imports_of_its_installation(
    lock: str, rooms: tuple[str, ...], tmp_path: Path
) -> None:
    """With only a lock file's packages, all modules but those of other extras can be imported."""
    python = bare.locked(tmp_path / "environment", ROOT / f"requirements{lock}.lock")
    wanted = {"packages": ["bot", "deeprepo"], "allowed": [], "then": {}}
    done = subprocess.run(
        [python, Path(__file__).with_name("importing.py"), json.dumps(wanted)],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    others = tuple(room for names in ROOMS.values() for room in names if room not in rooms)
    assert [name for name in json.loads(done.stdout)["base"] if not name.startswith(others or ("-",))] == []
