from pathlib import Path

import bare
import pytest
from opening import BASE, opened, summary
from stepping import PYTHON, stage


@pytest.mark.slow
async def test_action_needs_no_server_packages(tmp_path: Path) -> None:
    """Without models, reviewing and posting only need the GitHub client and the packages in the lock file."""
    python = PYTHON.replace(f"PYTHONPATH={bare.ROOT}", f"PYTHONPATH={bare.path(tmp_path, 'github')}")
    assert python != PYTHON

    async with stage(tmp_path, BASE) as at:
        number, body = await opened(at)
        ran = await at.run("pull_request", body, python=python)
        assert ran.code == 0, ran.log
        assert "1 finding" in summary(at.gh, number)


def test_missing_github_client_is_an_error(tmp_path: Path) -> None:
    """The step names the missing extra before doing any work."""
    done = bare.deeprepo(tmp_path, bare.path(tmp_path), "action")
    assert done.returncode == 2
    assert done.stderr.startswith("deeprepo: Support for GitHub is not installed: ")
    assert "'.[github]'" in done.stderr
