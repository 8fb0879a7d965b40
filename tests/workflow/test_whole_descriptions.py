"""Check all GitHub traffic against GitHub's full API descriptions, not the sandbox's reduced one."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from octokit import member, packed

from deeprepo_sandbox.github.description import WHOLE

# Reviews, checks, comments, commands, committed fixes, tickets, queues.
JOURNEY = (
    "test_whole_posted.py",
    "test_whole_fixes.py",
    "test_whole_checks.py",
    "test_whole_commands.py",
    "../action/test_action_commands.py",  # commands in a workflow, which cancel runs
)


@pytest.mark.slow
@pytest.mark.parametrize(("edition", "most"), [("api.github.com", None), ("ghes-3.17", 2)])
def test_every_request_and_response_matches_githubs_openapi_description(
    edition: str, most: int | None, tmp_path: Path
) -> None:
    """No request or response in these tests violates the edition's full description."""
    file = tmp_path / f"{edition}.json"
    file.write_text(json.dumps(member(packed("@octokit/openapi@23.0.2", tmp_path), f"generated/{edition}.json")))
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "-m", "not live and not slow"]
    done = subprocess.run(
        [*command, *JOURNEY[:most]],
        env={**os.environ, WHOLE: str(file)},
        capture_output=True,
        check=False,
        text=True,
        cwd=Path(__file__).parent,
    )
    assert done.returncode == 0, done.stdout[-3000:]
