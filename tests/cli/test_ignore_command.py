import json
import subprocess
from pathlib import Path

import pytest
from fakes import Repository
from recorded import BEFORE, Ended, deeprepo

from tests.rows import of


def run(*arguments: str, cwd: Path, **env: str) -> Ended:
    """Run the command without any key."""
    return deeprepo(*arguments, cwd=cwd, HOME=str(cwd.parent), **env)


def reviewed(repository: Repository) -> dict[str, list[dict[str, str]]]:
    done = run("review", "--format", "json", cwd=repository.folder)
    assert done.returncode == 0, done.stderr
    found: dict[str, list[dict[str, str]]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("scope", ["finding", "rule", "path"])
def test_ignore_entry_applies_once_it_is_on_the_base_branch(changed: Repository, scope: str) -> None:
    """An entry on the change's own branch has no effect, so a change cannot silence its own findings."""
    first = reviewed(changed)
    (finding,) = of(first, "new")
    saved = changed.folder.parent / "review.json"
    saved.write_text(json.dumps(first))
    done = run("ignore", finding["fingerprint"], "--reason", "known", "--scope", scope, "--review", str(saved), cwd=changed.folder)  # fmt: skip
    assert done.returncode == 0, done.stderr
    changed.commit({}, "ignore it here")
    assert len(of(reviewed(changed), "new")) == 1
    entry = (changed.folder / ".deeprepo/ignore.yml").read_text()
    changed.git("checkout", "-q", "main")
    changed.commit({".deeprepo/ignore.yml": entry}, "ignore it on the base")
    changed.git("checkout", "-q", "feature")
    after = reviewed(changed)
    assert of(after, "new") == []
    assert [(item["silencing"]["reason"], item["silencing"]["scope"]) for item in of(after, "silenced")] == [
        ("known", scope)
    ]


def test_entry_requires_a_reported_finding(changed: Repository) -> None:
    """A mistyped fingerprint would do nothing now and might silence another finding later."""
    done = run("ignore", "deadbeefdeadbeef", "--reason", "r", "--scope", "rule", cwd=changed.folder)
    assert done.returncode == 2
    assert "no static check reports deadbeefdeadbeef" in done.stderr
    assert "--review FILE" in done.stderr
    assert not (changed.folder / ".deeprepo").exists()


def test_expired_entry_is_refused(changed: Repository) -> None:
    """An entry that has already expired would silence nothing."""
    done = run("ignore", "0" * 16, "--reason", "r", "--expires", "2020-01-01", cwd=changed.folder)
    assert (done.returncode, "is in the past" in done.stderr) == (2, True)


def test_invalid_fingerprint_is_refused(changed: Repository) -> None:
    """An entry that can never match is refused, and the error says where to find the ID."""
    done = run("ignore", "abc", "--reason", "r", cwd=changed.folder)
    assert (done.returncode, "Copy the whole ID" in done.stderr) == (2, True)
    assert not (changed.folder / ".deeprepo").exists()


def test_entry_requires_a_repository(tmp_path: Path) -> None:
    """Outside of a repository, nothing would read the entry."""
    done = run("ignore", "0" * 16, "--reason", "known", cwd=tmp_path)
    assert (done.returncode, "is not in a git repository" in done.stderr) == (2, True)
    assert not (tmp_path / ".deeprepo").exists()


@pytest.mark.parametrize("link", [".deeprepo", ".deeprepo/ignore.yml"])
def test_entry_is_not_written_through_a_symlink_in_the_branch(changed: Repository, link: str) -> None:
    """Through a link, a branch could write text of its author's choice into files such as `.bashrc`."""
    home = changed.folder.parent / "home"
    home.mkdir()
    (home / ".bashrc").write_text("# mine\n")
    (changed.folder / link).parent.mkdir(exist_ok=True)
    (changed.folder / link).symlink_to(home if link == ".deeprepo" else home / ".bashrc")
    changed.commit({"src/$(touch${IFS}PWNED).py": "print(undefined_name_here)\n"}, "evil")
    mark = next(one["fingerprint"] for one in of(reviewed(changed), "new") if "PWNED" in one["path"])
    done = run("ignore", mark, "--reason", "false", cwd=changed.folder)
    assert (done.returncode, "is a symbolic link, which is not followed here" in done.stderr) == (2, True)
    assert [(path.name, path.read_text()) for path in home.iterdir()] == [(".bashrc", "# mine\n")]


def test_local_entry_applies_immediately_and_only_locally(changed: Repository) -> None:
    """A local entry is in the git folder, so no commit includes it and no branch can bring one."""
    (finding,) = of(reviewed(changed), "new")
    done = run("ignore", finding["fingerprint"], "--local", "--reason", "known", cwd=changed.folder)
    assert (done.returncode, "already applies on this machine" in done.stderr) == (0, True), done.stderr
    after = reviewed(changed)
    assert (of(after, "new"), [one["silencing"]["reason"] for one in of(after, "silenced")]) == ([], ["known"])
    assert changed.git("status", "--porcelain") == ""
    other = changed.folder.parent / "other"
    changed.git("clone", "-q", str(changed.folder), str(other))
    assert len(json.loads(run("review", "origin/main..feature", "--format", "json", cwd=other).stdout)["findings"]) == 1


def test_hook_that_blocks_a_commit_names_the_ways_to_continue(changed: Repository) -> None:
    """A hook names a command that silences the finding, and `--no-verify`, which other reviews omit."""
    changed.git("reset", "-q", "--soft", "main")
    by_hand = run("review", "--staged", "--effort", "none", "--fail-on", "high", cwd=changed.folder)
    assert (by_hand.returncode, "--no-verify" in by_hand.stderr) == (1, False)
    stopped = run("review", "--staged", "--effort", "none", "--fail-on", "high", cwd=changed.folder, GIT_PREFIX="")
    assert (stopped.returncode, "`git commit --no-verify`" in stopped.stderr) == (1, True)
    pasted = stopped.stderr.split("`")[3].replace("'...'", "'it is known'")
    done = subprocess.run(pasted, shell=True, cwd=changed.folder, capture_output=True, text=True, check=False)  # noqa: S602 - as a user would
    assert done.returncode == 0, (pasted, done.stderr)
    assert run("review", "--staged", "--effort", "none", "--fail-on", "high", cwd=changed.folder).returncode == 0


SECOND = "\n\ndef again(parcel):\n    return quote(parcel.size, express=True)\n"


def test_entry_covers_only_the_broken_lines_it_was_written_for(changed: Repository) -> None:
    """Another broken call is reported, whether or not the first is fixed; fewer calls need no new entry."""
    caller = BEFORE["shop/labels.py"]
    assert isinstance(caller, str)
    (finding,) = of(reviewed(changed), "new")
    done = run("ignore", finding["identity"], "--reason", "dead", "--local", cwd=changed.folder)
    assert (done.returncode, of(reviewed(changed), "new")) == (0, [])
    changed.commit({"shop/labels.py": caller + SECOND}, "one more")
    assert len(of(reviewed(changed), "new")) == 1
    mended = caller.replace("express=True", "service='x'")
    changed.commit({"shop/labels.py": mended + SECOND}, "only the other one")
    assert len(of(reviewed(changed), "new")) == 1

    changed.commit({"shop/labels.py": caller + SECOND}, "both")
    (both,) = of(reviewed(changed), "new")
    run("ignore", both["identity"], "--reason", "both dead", "--local", cwd=changed.folder)
    assert of(reviewed(changed), "new") == []
    changed.commit({"shop/labels.py": caller}, "one is gone")
    assert of(reviewed(changed), "new") == []
