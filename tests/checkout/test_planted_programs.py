"""No program that a repository names is started, whatever is done with the repository."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from planted import Planted, keys, programs

from bot import cli
from bot.checkout import Checkout, pull
from bot.errors import DeepRepoError
from bot.values import PullRequest, Query, ReviewRequest

ROOT = Path(__file__).parents[2]
CONTROLS = {
    "log.showSignature": ["log", "-1"],
    "core.fsmonitor": ["status"],
    "filter.evil.clean": ["add", "--all", "--dry-run"],
    "diff.external": ["diff"],
}


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Planted:
    """A repository that names the program by every key there is, one that means a program or not."""
    made = Planted(tmp_path_factory.mktemp("planted"))
    made.plant(keys())
    return made


@pytest.fixture
def watched(planted: Planted) -> Iterator[Planted]:
    """Yield the planted repository, and check at the end that no program was started."""
    planted.started()
    yield planted
    assert planted.started() == ""


async def everything(request: ReviewRequest, scratch: str) -> PullRequest:
    """All that a review asks of git."""
    found = await pull(request, scratch)
    async with Checkout(found) as tree:
        await tree.change()
        await tree.read_many([*await tree.entries("head"), *await tree.entries("base")])
        await tree.grep_lines(Query(["f"], word=True))
        await tree.grep(Query(["f"], ["*.py"], syntax="perl", side="base"))
        await tree.at_tip(".deeprepo.yml")
        await tree.many_at_tip(["a.py"])
        await tree.descends(found.base)
    return found


def test_plain_git_starts_the_program(tmp_path: Path) -> None:
    """Each of these commands would: the plant is alive, so its silence elsewhere means something."""
    made = Planted(tmp_path)
    for key, command in CONTROLS.items():
        made.plant([key, "gpg.program"])
        subprocess.run(
            ["git", *command], cwd=made.repository.folder, env=made.repository.env, capture_output=True, check=False
        )
        assert made.started(), key


@pytest.mark.parametrize(
    "arguments",
    [
        ["review", "--strategy", "offline"],
        ["review", "main..feature", "--strategy", "offline"],
        ["review", "HEAD~1..@", "--strategy", "offline"],
        ["review", "--staged", "--strategy", "offline"],
        ["review", "--uncommitted", "--strategy", "offline"],
        ["estimate"],
        ["config", "--explain"],
    ],
)
def test_no_command_starts_the_program(watched: Planted, arguments: list[str]) -> None:
    """Every command that opens a repository does its work all the same."""
    assert cli.run([*arguments, "--repo", str(watched.repository.folder)]) in {0, 1}


def test_looking_a_finding_up_starts_no_program(watched: Planted) -> None:
    """`ignore` reviews by code what is staged, uncommitted and committed, and refuses a fingerprint that none of it has."""
    arguments = ["ignore", "0123456789abcdef", "--reason", "because"]
    assert cli.run([*arguments, "--repo", str(watched.repository.folder)]) == 2


def test_no_tool_of_an_editor_starts_the_program(watched: Planted, tmp_path: Path) -> None:
    """The tools of `deeprepo mcp`: a review of uncommitted work, and who calls a function."""
    folder = str(watched.repository.folder)
    from bot.cli.mcp_server import local

    done, _ = asyncio.run(
        local.review(folder, "uncommitted", {"strategy": "offline"}, str(tmp_path), lambda _: None, None)
    )
    assert "a.py" in {file.path for file in done.files}
    assert "user.py" in asyncio.run(local.callers(folder, "f", str(tmp_path)))


def test_taking_settings_over_starts_no_program(watched: Planted) -> None:
    """`init --from` lists the tracked files, and says that none of them is another reviewer's."""
    assert cli.run(["init", "--from", "--repo", str(watched.repository.folder)]) == 2


@pytest.mark.slow
def test_no_hook_starts_the_program(watched: Planted) -> None:
    """As git starts us: with the index of the commit, and its folder in the environment."""
    index = watched.git_dir / "index"
    env = {"PATH": os.environ["PATH"], "HOME": str(watched.repository.folder), "PYTHONPATH": str(ROOT)}
    env |= {"GIT_DIR": str(watched.git_dir), "GIT_INDEX_FILE": str(index), "GIT_EDITOR": ":"}
    command = [sys.executable, "-m", "bot", "review", "--staged", "--strategy", "offline"]
    done = subprocess.run(command, cwd=watched.repository.folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "staged" in done.stdout


def test_a_missing_object_is_not_fetched(tmp_path: Path) -> None:
    """A partial clone would start what its remote names to get the object."""
    made = Planted(tmp_path)
    oid = made.repository.git("rev-parse", "HEAD:b.py")
    made.plant(programs())
    (made.git_dir / "objects" / oid[:2] / oid[2:]).unlink()
    with pytest.raises(DeepRepoError, match="partial clone"):
        asyncio.run(everything(ReviewRequest(str(made.repository.folder), base="main"), str(tmp_path)))
    assert made.started() == ""


def test_a_tracked_folder_that_looks_like_a_repository_starts_nothing(tmp_path: Path) -> None:
    """An ordinary clone brings one along; git itself would take its configuration for that of a repository."""
    made = Planted(tmp_path)
    made.plant(programs())
    outer = tmp_path / "outer"
    bare = outer / "tools" / "lib"
    subprocess.run(["git", "init", "-q", str(outer)], check=True, env=made.repository.env)
    bare.parent.mkdir(parents=True)
    made.git_dir.rename(bare)
    for argument in (["--repo", str(bare)], ["--repo", str(bare / "refs")]):
        cli.run(["estimate", *argument])
    assert made.started() == ""
