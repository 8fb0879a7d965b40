import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
OWN = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
EXAMPLES = sorted((ROOT / "docs" / "workflows").glob("*.yml"))
ACTION = ROOT / "action.yml"
USES = re.compile(r"^\s*(?:- )?uses: (\S+)(.*)$", re.MULTILINE)
PINNED = re.compile(r"([\w./-]+)@([0-9a-f]{40})")
BIN = Path(sys.executable).parent


def everything() -> list[Path]:
    """Return all files that use actions."""
    return [*OWN, *EXAMPLES, *([ACTION] if ACTION.exists() else [])]


def read(path: Path) -> dict[str, Any]:
    """Read a workflow. YAML parses the key `on` as true."""
    found: dict[Any, Any] = yaml.safe_load(path.read_text())
    return {"on" if key is True else key: value for key, value in found.items()}


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", everything(), ids=named)
def test_every_action_is_pinned(path: Path) -> None:
    """Actions are pinned to a full commit id, with the version in a comment; local actions are not."""
    for uses, comment in USES.findall(path.read_text()):
        if uses.startswith("./"):
            continue
        assert PINNED.fullmatch(uses), uses
        assert re.fullmatch(r" # v\d+\.\d+\.\d+.*", comment), uses


@pytest.mark.parametrize("path", [*OWN, *EXAMPLES], ids=named)
def test_permissions_are_set_per_job(path: Path) -> None:
    """Permissions are set per job, never per workflow, and each workflow has a concurrency group."""
    workflow = read(path)
    assert workflow["permissions"] == {}
    assert workflow["concurrency"]["group"]
    assert all("permissions" in job for job in workflow["jobs"].values())


@pytest.mark.parametrize("path", [*OWN, *EXAMPLES], ids=named)
def test_scripts_contain_no_event_text(path: Path) -> None:
    """No `run` script contains `${{ }}`, which could inject text of an event."""
    runs = [step.get("run", "") for job in read(path)["jobs"].values() for step in job.get("steps", [])]
    assert [run for run in runs if "${{" in run] == []


def test_workflow_linters_pass() -> None:
    """The offline checks of `make workflows` pass: zizmor and the schemas of workflows and compose file."""
    paths = [str(path) for path in everything()]
    workflows = [str(path) for path in (*OWN, *EXAMPLES)]
    for command in (
        ["zizmor", "--offline", "--quiet", *paths],
        ["check-jsonschema", "--builtin-schema", "vendor.github-workflows", *workflows],
        ["check-jsonschema", "--builtin-schema", "vendor.compose-spec", str(ROOT / "docker-compose.yml")],
    ):
        done = subprocess.run([BIN / command[0], *command[1:]], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
