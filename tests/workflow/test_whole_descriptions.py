"""Check all GitHub traffic against GitHub's full API descriptions, not the sandbox's reduced one."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from octokit import member, packed

from deeprepo_sandbox.github.description import WHOLE

HERE = Path(__file__).parent
EDITIONS = ("api.github.com", "ghes-3.17", "ghes-3.19")
# Reviews, checks, comments, commands, committed fixes, tickets, queues.
JOURNEY = (
    "test_whole_posted.py",
    "test_whole_fixes.py",
    "test_whole_checks.py",
    "test_whole_commands.py",
    "../action/test_action_commands.py",  # commands in a workflow, which cancel runs
)


@pytest.mark.slow
def test_every_request_and_response_matches_githubs_openapi_description(tmp_path: Path) -> None:
    """No request or response in these tests violates the full description of any edition."""
    package = packed("@octokit/openapi@23.0.2", tmp_path)
    failed = {}
    for edition in EDITIONS:
        file = tmp_path / f"{edition}.json"
        file.write_text(json.dumps(member(package, f"generated/{edition}.json")))
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-n",
            "0",
            "-p",
            "no:cacheprovider",
            "-m",
            "not live and not slow",
        ]
        names = [str(HERE / name) for name in JOURNEY]
        done = subprocess.run(
            [*command, *names],
            env={**os.environ, WHOLE: str(file)},
            capture_output=True,
            check=False,
            text=True,
            cwd=HERE.parents[1],
        )
        if done.returncode != 0:
            failed[edition] = done.stdout[-3000:]
    assert failed == {}
