"""Run action.yml against the sandbox GitHub with a real installation from the lock file."""

import sys
from pathlib import Path

import pytest
from opening import BASE, opened, summary
from stepping import stage


@pytest.mark.slow
async def test_locked_packages_are_enough_to_review(tmp_path: Path) -> None:
    """The install step checks every hash, and the installed program reviews the pull request."""
    plain = f'#!/bin/bash\nexec {sys.executable} "$@"\n'

    async with stage(tmp_path, BASE) as at:
        number, body = await opened(at)
        ran = await at.run("pull_request", body, python=plain)
        assert ran.code == 0, ran.log
        assert "1 finding" in summary(at.gh, number)
        (home,) = (tmp_path / "run-1/temp").glob("deeprepo-9*")
        assert (home / "bin/deeprepo").exists()
