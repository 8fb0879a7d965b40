"""The project's own evaluation cases, and `deeprepo eval fetch`, which fetches their commits."""

import shutil
from pathlib import Path

import pytest
from reviewed import Folder, folder, told

from deeprepo_evals import public
from deeprepo_evals.reviews import case_files
from deeprepo_evals.reviews.cases import LARGE, PAIRED, TWINS


def test_every_public_case_is_loaded() -> None:
    """There are 118 changes, 16 twins, 36 large cases (24 across two files) and 229 mined cases."""
    found = case_files.read(public.CASES)
    assert len([case for case in found if case.kind not in PAIRED]) == 118
    assert len([case for case in found if case.kind == TWINS]) == 2 * 16
    large = [case for case in found if case.kind == LARGE and case.variant == "bad"]
    assert len(large) == 36
    assert sum(case.defects[0].scope == "two hops" for case in large) == 24
    assert all(case.traps and case.defects[0].evidence for case in large)
    assert len(case_files.read(public.CASES.parent / "mined")) == 229


@pytest.fixture
def shop(tmp_path: Path) -> Folder:
    """A folder of cases whose clones serve as the host to fetch from."""
    return folder(tmp_path / "shop")


def fetching(shop: Folder, repos: Path, host: Path) -> list[str]:
    """Return the command that fetches the cases' commits from one folder into another."""
    return ["eval", "fetch", "--cases", str(shop.cases), "--repos", str(repos), "--host", f"file://{host}", "-q"]


def test_commits_are_fetched_once_without_history(
    shop: Folder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The fetched commits suffice for reviews, and a second run fetches nothing."""
    repos = tmp_path / "fetched"
    command = fetching(shop, repos, shop.repos)
    assert told(capsys, [*command, "--dry-run"])[0] == 0
    assert not repos.exists()
    code, _, err = told(capsys, command)
    assert code == 0, err
    assert "acme/shop: 4 commits, unknown size" in err
    assert f"{repos} has the commits of all 1 repositories" in told(capsys, command)[2]
    shutil.move(shop.repos, tmp_path / "gone")
    review = ["eval", "reviews", "--cases", str(shop.cases), "--repos", str(repos), "--oracle", "--kind", "omit", "-q"]
    assert told(capsys, review)[0] == 0
