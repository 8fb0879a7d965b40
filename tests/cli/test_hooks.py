"""Our published hooks, run by the real pre-commit on real commits and pushes."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from fakes import Repository
from recorded import AFTER, BEFORE

ROOT = Path(__file__).parents[2]


@pytest.fixture
def hooked(repository: Repository, tmp_path: Path) -> Repository:
    """Return a repository on main with a remote and our hooks installed by pre-commit."""
    published = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_bytes())
    start = f"{sys.executable} -m bot "
    hooks = [{**hook, "language": "system", "entry": hook["entry"].replace("deeprepo ", start)} for hook in published]
    config = {"default_install_hook_types": ["pre-commit", "pre-push"], "repos": [{"repo": "local", "hooks": hooks}]}
    (tmp_path / "hooks.yaml").write_text(yaml.safe_dump(config))
    repository.git("init", "--quiet", "--bare", str(tmp_path / "remote.git"))
    repository.git("remote", "add", "origin", str(tmp_path / "remote.git"))
    repository.commit(BEFORE, "before")
    repository.git("push", "--quiet", "origin", "main")
    repository.env |= {"PYTHONPATH": str(ROOT), "PRE_COMMIT_HOME": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "pre_commit", "install", "--config", str(tmp_path / "hooks.yaml")]
    subprocess.run(command, cwd=repository.folder, env=repository.env, capture_output=True, check=True)
    return repository


def attempt(repository: Repository, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a git command that a hook may stop."""
    command = ["git", *arguments]
    return subprocess.run(
        command, cwd=repository.folder, env=repository.env, capture_output=True, text=True, check=False
    )


def test_pushed_branch_is_reviewed(hooked: Repository) -> None:
    """The pushed branch is reviewed, not the one that is checked out."""
    hooked.git("checkout", "-q", "-b", "topic")
    hooked.write(AFTER)
    hooked.git("add", "--all")
    hooked.git("commit", "--quiet", "--no-verify", "-m", "Name the service")
    hooked.git("checkout", "-q", "main")
    done = attempt(hooked, "push", "origin", "topic")
    assert done.returncode == 1, done.stderr
    assert "shop/labels.py" in done.stdout + done.stderr
    assert "topic" not in hooked.git("ls-remote", "origin")
