import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from fakes import Repository

ROOT = Path(__file__).parents[2]
HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
BEFORE = {
    "prices.py": "def total(prices):\n    return sum(prices)\n",
    "shop.py": "from prices import total\n\nprint(total([1, 2]))\n",
}
BROKEN = {"prices.py": "def total(prices, tax):\n    return sum(prices) * tax\n"}


@pytest.fixture
def hooked(repository: Repository, tmp_path: Path) -> Repository:
    """A repository whose pre-commit hook runs deeprepo like pre-commit does."""
    program = tmp_path / "bin" / "deeprepo"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nPYTHONPATH={shlex.quote(str(ROOT))} exec {sys.executable} -m bot "$@"\n')
    program.chmod(0o755)
    repository.env["PATH"] = f"{program.parent}:{os.environ['PATH']}"
    repository.commit(BEFORE, "before")
    hook = repository.folder / ".git" / "hooks" / "pre-commit"
    hook.write_text(f"#!/bin/sh\nexec {HOOKS['deeprepo']['entry']}\n")
    hook.chmod(0o755)
    return repository


def git(repository: Repository, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run git, which may fail, and return the finished process."""
    return subprocess.run(
        ["git", *arguments], cwd=repository.folder, env=repository.env, capture_output=True, text=True, check=False
    )


def test_forgotten_caller_blocks_the_commit(hooked: Repository) -> None:
    """Git exits with 1, and the output has the line of the unchanged caller that breaks."""
    hooked.write(BROKEN)
    hooked.git("add", "--all")
    done = git(hooked, "commit", "--message", "tax")
    assert done.returncode == 1
    assert "shop.py:3" in done.stdout + done.stderr


@pytest.mark.parametrize("name", ["deeprepo", "deeprepo-push"])
def test_hook_calls_no_model(name: str) -> None:
    """The hook uses `--effort none`, so it ignores API keys in the environment."""
    assert "--effort none" in HOOKS[name]["entry"]
    assert HOOKS[name]["pass_filenames"] is False
