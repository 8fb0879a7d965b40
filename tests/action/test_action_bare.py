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
