"""Who opens a pull request chooses its base branch: for a stranger the settings of the default branch hold."""

from pathlib import Path

import pytest
from test_wallet import purse
from whole import Whole

OLD = "v1"  # an old branch, from before the settings were written


async def without_settings(at: Whole, rules: str) -> None:
    """The owner's settings are on the default branch alone."""
    await at.repo.commit(OLD, {"README.md": "# Old\n"})
    await at.repo.commit("main", {".deeprepo.yml": rules})


def told(at: Whole, number: int) -> str:
    """Everything that the pull request's check runs show."""
    return "\n".join(repr(check) for check in at.gh.pull(number).checks)


async def test_a_stranger_cannot_leave_the_caps_of_the_default_branch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pull request of a fork that is moved to a branch without settings is as unpaid as before, and its check names the file."""
    rules = "strategy: direct\nverify: false\ntriggers: {forks: false, fork_reviews_per_day: 0}\n"
    async with purse(tmp_path, monkeypatch, rules="# none\n", delay=0.0) as p:
        await without_settings(p.at, rules)
        number = await p.at.reviewed(fork=True)
        await p.at.repo.retarget(number, OLD, by="stranger")
        await p.at.quiet()
        assert p.model.count == 0
        assert "`triggers.forks` in .deeprepo.yml is off" in told(p.at, number)


@pytest.mark.slow
async def test_who_may_only_read_is_a_stranger_without_a_fork(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who may not write can open a pull request between two branches of the repository: it counts as a stranger's."""
    rules = "strategy: direct\nverify: false\ntriggers: {fork_reviews_per_day: 0}\n"
    async with purse(tmp_path, monkeypatch, rules="strategy: direct\nverify: false\n", delay=0.0) as p:
        await without_settings(p.at, rules)
        await p.at.opened(author="reader", base=OLD)
        await p.at.quiet()
        assert p.model.count == 0
        await p.at.opened("feature-2", base=OLD)
        await p.at.quiet()
        assert p.model.count == 1
