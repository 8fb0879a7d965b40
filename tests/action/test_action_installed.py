"""action.yml with nothing replaced but GitHub itself: what it installs from the lock reviews a pull request."""

import sys
from pathlib import Path

import pytest
from opening import BASE, opened, summary
from stepping import stage


@pytest.mark.slow
async def test_what_the_lock_holds_is_all_it_needs(tmp_path: Path) -> None:
    """The install step runs for real: every hash is checked, and the review comes from what was installed."""
    plain = f'#!/bin/bash\nexec {sys.executable} "$@"\n'

    async with stage(tmp_path, BASE) as at:
        number, body = await opened(at)
        ran = await at.run("pull_request", body, python=plain)
        assert ran.code == 0, ran.log
        assert "1 finding" in summary(at.gh, number)
        (home,) = (tmp_path / "run-1/temp").glob("deeprepo-9*")
        assert (home / "bin/deeprepo").exists()
