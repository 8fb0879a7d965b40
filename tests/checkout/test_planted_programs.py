"""No program that a repository configures is started, whatever deeprepo does with it."""

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
from bot.values import PullRequest, Query, TypedChange

ROOT = Path(__file__).parents[2]
CONTROLS = {
    "log.showSignature": ["log", "-1"],
    "core.fsmonitor": ["status"],
    "filter.evil.clean": ["add", "--all", "--dry-run"],
    "diff.external": ["diff"],
}


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Planted:
    """Return a repository that sets every known key to the program, sensible or not."""
    made = Planted(tmp_path_factory.mktemp("planted"))
    made.plant(keys())
    return made


@pytest.fixture
def watched(planted: Planted) -> Iterator[Planted]:
    """Yield the planted repository, and check at the end that no program was started."""
    planted.started()
    yield planted
    assert planted.started() == ""


async def everything(request: TypedChange, scratch: str) -> PullRequest:
    """Run every git operation of a review."""
    found = await pull(request, scratch)
    async with Checkout(found) as tree:
        await tree.change()
        await tree.read_many([*await tree.entries("head"), *await tree.entries("base")])
        await tree.grep_lines(Query(["f"], word=True))
        await tree.grep(Query(["f"], ["*.py"], syntax="perl", side="base"))
        await tree.settings_at_tip(".deeprepo.yml")
        await tree.many_at_tip(["a.py"])
        await tree.descends(found.base)
    return found


def test_plain_git_starts_the_program(tmp_path: Path) -> None:
    """The planted program works: these git commands start it."""
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
def test_commands_never_start_the_program(watched: Planted, arguments: list[str]) -> None:
    """Every command that opens a repository still does its work."""
    assert cli.main([*arguments, "--repo", str(watched.repository.folder)]) in {0, 1}


def test_mcp_tools_never_start_the_program(watched: Planted, tmp_path: Path) -> None:
    """`deeprepo mcp` reviews uncommitted work and finds callers."""
    folder = str(watched.repository.folder)
    from bot.cli.mcp_server import local

    done, _ = asyncio.run(
        local.review(folder, "uncommitted", {"strategy": "offline"}, str(tmp_path), lambda _: None, None)
    )
    assert "a.py" in {file.path for file in done.files}
    assert "user.py" in asyncio.run(local.callers(folder, "f", str(tmp_path)))


def test_init_from_never_starts_the_program(watched: Planted) -> None:
    """`init --from` lists the tracked files and finds no other reviewer's settings."""
    assert cli.main(["init", "--from", "--repo", str(watched.repository.folder)]) == 2


@pytest.mark.slow
def test_hooks_never_start_the_program(watched: Planted) -> None:
    """Git starts hooks with the commit's index and its folder in the environment."""
    index = watched.git_dir / "index"
    env = {"PATH": os.environ["PATH"], "HOME": str(watched.repository.folder), "PYTHONPATH": str(ROOT)}
    env |= {"GIT_DIR": str(watched.git_dir), "GIT_INDEX_FILE": str(index), "GIT_EDITOR": ":"}
    command = [sys.executable, "-m", "bot", "review", "--staged", "--strategy", "offline"]
    done = subprocess.run(command, cwd=watched.repository.folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "staged" in done.stdout


def test_missing_object_is_not_fetched(tmp_path: Path) -> None:
    """In a partial clone, git would start a program that the remote names to fetch the object."""
    made = Planted(tmp_path)
    oid = made.repository.git("rev-parse", "HEAD:b.py")
    made.plant(programs())
    (made.git_dir / "objects" / oid[:2] / oid[2:]).unlink()
    with pytest.raises(DeepRepoError, match="partial clone"):
        asyncio.run(everything(TypedChange(str(made.repository.folder), base="main"), str(tmp_path)))
    assert made.started() == ""


def test_tracked_folder_resembling_a_repository_starts_no_program(tmp_path: Path) -> None:
    """A clone can contain such a folder, and git itself would use its configuration."""
    made = Planted(tmp_path)
    made.plant(programs())
    outer = tmp_path / "outer"
    bare = outer / "tools" / "lib"
    subprocess.run(["git", "init", "-q", str(outer)], check=True, env=made.repository.env)
    bare.parent.mkdir(parents=True)
    made.git_dir.rename(bare)
    for argument in (["--repo", str(bare)], ["--repo", str(bare / "refs")]):
        cli.main(["estimate", *argument])
    assert made.started() == ""
