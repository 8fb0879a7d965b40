"""The author of a pull request chooses its base, so strangers' settings come from the default branch."""

from pathlib import Path

import pytest
from test_wallet import purse
from whole import Whole

OLD = "v1"  # an old branch without a settings file


async def without_settings(at: Whole, rules: str) -> None:
    """Create a base branch without settings; the default branch has them."""
    await at.repo.commit(OLD, {"README.md": "# Old\n"})
    await at.repo.commit("main", {".deeprepo.yml": rules})


def told(at: Whole, number: int) -> str:
    """Return everything that the pull request's check runs show."""
    return "\n".join(repr(check) for check in at.gh.pull(number).checks)


async def test_stranger_cannot_escape_the_default_branch_caps_by_retargeting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fork's pull request stays unpaid when retargeted to a branch without settings; its check says why."""
    rules = "strategy: direct\nverify: false\ntriggers: {forks: false, fork_reviews_per_day: 0}\n"
    async with purse(tmp_path, monkeypatch, rules="# none\n", delay=0.0) as p:
        await without_settings(p.at, rules)
        number = await p.at.reviewed(fork=True)
        await p.at.repo.retarget(number, OLD, by="stranger")
        await p.at.quiet()
        assert p.model.count == 0
        assert "`triggers.forks` in .deeprepo.yml is off" in told(p.at, number)


@pytest.mark.slow
async def test_author_without_write_access_is_a_stranger_even_without_a_fork(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An author without write access counts as a stranger, even between two branches of our repository."""
    rules = "strategy: direct\nverify: false\ntriggers: {fork_reviews_per_day: 0}\n"
    async with purse(tmp_path, monkeypatch, rules="strategy: direct\nverify: false\n", delay=0.0) as p:
        await without_settings(p.at, rules)
        await p.at.opened(author="reader", base=OLD)
        await p.at.quiet()
        assert p.model.count == 0
        await p.at.opened("feature-2", base=OLD)
        await p.at.quiet()
        assert p.model.count == 1
