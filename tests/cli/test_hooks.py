"""The hooks that we publish, run by the real pre-commit on real commits and pushes."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from fakes import Repository
from families import few
from test_review_command import AFTER, BEFORE

ROOT = Path(__file__).parents[2]


@pytest.fixture
def hooked(repository: Repository, tmp_path: Path) -> Repository:
    """A clone of a remote, with our hooks installed as pre-commit installs them; its HEAD is the main branch."""
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
    """A git command that a hook may stop."""
    command = ["git", *arguments]
    return subprocess.run(
        command, cwd=repository.folder, env=repository.env, capture_output=True, text=True, check=False
    )


def test_a_commit_that_breaks_a_caller_is_stopped(hooked: Repository) -> None:
    """The staged change is reviewed, and the caller's line is shown."""
    hooked.write(AFTER)
    hooked.git("add", "--all")
    done = attempt(hooked, "commit", "-m", "Name the service")
    assert done.returncode == 1
    assert "shop/labels.py" in done.stdout + done.stderr
    assert hooked.git("rev-list", "--count", "HEAD") == "1"


def test_the_hint_of_a_stopped_commit_can_be_typed_as_it_stands(hooked: Repository, tmp_path: Path) -> None:
    """The environment of the hook is on the PATH of the hook alone, and the number is one that the page has shown."""
    hooked.write(AFTER)
    hooked.git("add", "--all")
    hooked.env["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), hooked.env["PATH"]))
    done = attempt(hooked, "commit", "-m", "Name the service")
    page, _, hint = (done.stdout + done.stderr).partition("`git commit --no-verify` goes on")
    command = shlex.split(re.search(r"`([^`]+) --reason '...'`", hint)[1])  # type: ignore[index]
    assert (command[0], command[1], command[3]) == (
        str(Path(sys.executable).parent / "deeprepo"),
        "ignore",
        "--local",
    )
    assert f"· {command[2]}" in page
    silence = subprocess.run(
        [*command, "--reason", "It is meant so"], cwd=hooked.folder, env=hooked.env, capture_output=True, check=False
    )
    assert silence.returncode == 0, silence.stderr


def test_a_review_that_no_hook_has_started_speaks_of_none(hooked: Repository) -> None:
    """Its command line is that of our hook."""
    hooked.write(AFTER)
    hooked.git("add", "--all")
    command = [sys.executable, "-m", "bot", "review", "--staged", "--effort", "none", "--fail-on", "high"]
    done = subprocess.run(command, cwd=hooked.folder, env=hooked.env, capture_output=True, text=True, check=False)
    assert (done.returncode, "--no-verify" in done.stderr) == (1, False)


def test_the_branch_that_is_pushed_is_reviewed(hooked: Repository) -> None:
    """Not the one that is checked out: the push of a broken branch from another branch is stopped."""
    hooked.git("checkout", "-q", "-b", "topic")
    hooked.write(AFTER)
    hooked.git("add", "--all")
    hooked.git("commit", "--quiet", "--no-verify", "-m", "Name the service")
    hooked.git("checkout", "-q", "main")
    done = attempt(hooked, "push", "origin", "topic")
    assert done.returncode == 1, done.stderr
    assert "shop/labels.py" in done.stdout + done.stderr
    assert "topic" not in hooked.git("ls-remote", "origin")


@pytest.mark.slow
def test_a_good_branch_is_pushed_from_a_broken_one(hooked: Repository) -> None:
    """What is checked out, and stays here, does not stop a push of something else."""
    hooked.git("checkout", "-q", "-b", "fine")
    hooked.commit({"shop/more.py": "RATE = 2\n"}, "More")
    hooked.git("checkout", "-q", "-b", "broken")
    hooked.write(AFTER)
    hooked.git("add", "--all")
    hooked.git("commit", "--quiet", "--no-verify", "-m", "Name the service")
    done = attempt(hooked, "push", "origin", "fine")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "refs/heads/fine" in hooked.git("ls-remote", "origin")


@pytest.mark.slow
@pytest.mark.parametrize("variable", few(["PRE_COMMIT_FROM_REF", "PRE_COMMIT_TO_REF"], 0))
def test_a_hook_with_a_strange_reference_says_so(hooked: Repository, variable: str) -> None:
    """It is a usage error with a sentence; the hook never passes without a review."""
    both = {"PRE_COMMIT_FROM_REF": "HEAD", "PRE_COMMIT_TO_REF": "HEAD", variable: "--no-such-thing"}
    command = [sys.executable, "-m", "bot", "review", "--strategy", "offline"]
    env = {**hooked.env, **both, "PATH": os.environ["PATH"]}
    done = subprocess.run(command, cwd=hooked.folder, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, "unknown revision '--no-such-thing'" in done.stderr) == (2, True)
