"""Repositories whose git folder or objects are not in the usual place."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from fakes import Repository
from recorded import AFTER, BEFORE

from bot.checkout import git
from bot.errors import GitError

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "bot", "review", "--effort", "none"]


def test_hook_finds_a_separate_git_folder(repository: Repository, tmp_path: Path) -> None:
    """Git passes the separate git folder and work tree to its hooks, as with versioned home folders."""
    repository.commit(BEFORE, "before")
    elsewhere = tmp_path / "files.git"
    (repository.folder / ".git").rename(elsewhere)
    hook = elsewhere / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nexec {' '.join(COMMAND)} --staged --fail-on high\n")
    hook.chmod(0o755)
    both = [f"--git-dir={elsewhere}", f"--work-tree={repository.folder}"]
    repository.git(*both, "config", "core.bare", "false")
    repository.write(AFTER)
    repository.git(*both, "add", "shop")
    command = ["git", *both, "commit", "--quiet", "-m", "Name the service"]
    env = {**repository.env, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=repository.folder, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, "shop/labels.py" in done.stdout + done.stderr) == (1, True), done.stderr


@pytest.mark.parametrize("leaves_out", ["blob:none", "tree:0"])
def test_partial_clone_error_names_a_command_that_fixes_it(
    repository: Repository, tmp_path: Path, leaves_out: str
) -> None:
    """One error line names a git command, and running that command fixes the problem."""
    repository.commit(BEFORE, "before")
    repository.git("checkout", "-q", "-b", "topic")
    repository.commit(AFTER, "after")
    repository.git("config", "uploadpack.allowFilter", "true")
    address, clone = f"file://{repository.folder}", tmp_path / "clone"
    repository.git("clone", "-q", "--no-checkout", f"--filter={leaves_out}", address, str(clone))
    env = {**repository.env, "PYTHONPATH": str(ROOT)}

    def review() -> subprocess.CompletedProcess[str]:
        command = [*COMMAND, "origin/main..origin/topic"]
        return subprocess.run(command, cwd=clone, env=env, capture_output=True, text=True, check=False)

    if leaves_out == "tree:0":  # another git command gets the same error
        with pytest.raises(GitError, match="lacks objects of this change"):
            asyncio.run(git.output("ls-tree", "-r", "origin/topic", cwd=str(clone), env=env))
    done = review()
    assert done.returncode == 3
    assert done.stderr.startswith("deeprepo: the clone lacks objects of this change. In a partial clone, run `git ")
    assert done.stderr.count("\n") == 1
    remedy = done.stderr.split("`")[1]
    subprocess.run(remedy.split(), cwd=clone, env=env, check=True, capture_output=True)
    assert "shop/labels.py" in review().stdout
