import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from fakes import Repository

from bot import cli

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
WORKFLOW = ".github/workflows/deeprepo.yml"


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """Build a clone of deeprepo with a GitHub origin that has its commit."""
    made = Repository(tmp_path_factory.mktemp("clone"))
    for name in ("bot", "templates", "docs/workflows"):
        shutil.copytree(ROOT / name, made.folder / name)
    made.commit({".gitignore": "*.pyc\n"}, "deeprepo")
    made.git("remote", "add", "origin", "git@github.com:acme/reviewer.git")
    made.git("update-ref", "refs/remotes/origin/main", "HEAD")
    return made


def init(clone: Repository, target: Repository, *words: str) -> subprocess.CompletedProcess[str]:
    """Run `deeprepo init` from that clone in the target repository."""
    env = {"PATH": os.environ["PATH"], "HOME": str(target.folder.parent), "PYTHONPATH": str(clone.folder)}
    command = [sys.executable, "-m", "bot", "init", *words]
    return subprocess.run(command, cwd=target.folder, env=env, capture_output=True, text=True, check=False)


def test_workflow_pins_the_clone_and_output_lists_next_steps(clone: Repository, repository: Repository) -> None:
    """The workflow pins the clone's commit and passes linters, and the output lists the next steps."""
    done = init(clone, repository)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    written = (repository.folder / WORKFLOW).read_text()
    commit = clone.git("rev-parse", "HEAD").strip()
    (step,) = yaml.safe_load(written)["jobs"]["review"]["steps"]
    assert step["uses"] == f"acme/reviewer@{commit}"
    assert "fail-on" not in step["with"]
    assert yaml.safe_load(written)["jobs"]["review"]["permissions"]["contents"] == "read"
    assert len(written.splitlines()) < 45
    assert "add `fail-on: high` below `with:`" in done.stdout
    assert "`contents: write`" in done.stdout
    assert set(step["with"]) <= set(yaml.safe_load((ROOT / "action.yml").read_text())["inputs"])
    assert f"git add {WORKFLOW} .deeprepo.yml" in done.stdout
    assert "ANTHROPIC_API_KEY" in done.stdout
    assert '"Accessible from repositories owned by acme"' in done.stdout
    for words in (
        ["zizmor", "--offline", "--quiet"],
        ["check-jsonschema", "--builtin-schema", "vendor.github-workflows"],
    ):
        checked = subprocess.run(
            [BIN / words[0], *words[1:], repository.folder / WORKFLOW], capture_output=True, text=True, check=False
        )
        assert checked.returncode == 0, checked.stdout + checked.stderr
    repository.commit({}, "deeprepo reviews us")
    shown = subprocess.run(
        [sys.executable, "-m", "bot", "config", "--explain"],
        cwd=repository.folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "[.deeprepo.yml]" in next(line for line in shown.stdout.splitlines() if line.startswith("effort "))


def test_nothing_is_overwritten_silently(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    """A rerun changes nothing, edited settings are kept, and another workflow is not replaced."""

    def again() -> tuple[int, str, str]:
        command = ["init", "--repo", str(repository.folder), "--action", f"me/mine@{'a' * 40}"]
        return cli.main(command), *capsys.readouterr()

    assert again()[0] == 0
    assert again()[1].count(": unchanged") == 2
    (repository.folder / ".deeprepo.yml").write_text("quota: 7\n")
    (repository.folder / WORKFLOW).unlink()
    code, out, _ = again()
    assert (code, ".deeprepo.yml: kept" in out, f"{WORKFLOW}: written" in out) == (0, True, True)
    (repository.folder / WORKFLOW).write_text("name: ours\n")
    code, _, err = again()
    assert (code, f"{WORKFLOW} already exists" in err) == (2, True)
    assert (repository.folder / WORKFLOW).read_text() == "name: ours\n"
    assert (repository.folder / ".deeprepo.yml").read_text() == "quota: 7\n"


def test_settings_are_converted_before_or_after_the_workflow_is_written(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    """A plain run keeps converted settings, and converted settings only replace an unedited file."""
    repository.commit({".coderabbit.yaml": "reviews: {path_filters: ['!dist/**']}\n"}, "rabbit")
    settings, action = repository.folder / ".deeprepo.yml", ("--action", f"me/mine@{'a' * 40}")

    def run(*words: str) -> int:
        return cli.main(["init", "--repo", str(repository.folder), *words])

    assert [run("--app"), run("--app", "--from")] == [0, 0]
    converted = settings.read_text()
    assert "dist" in converted
    assert [run(*action), settings.read_text()] == [0, converted]
    settings.write_text("quota: 7\n")
    assert run("--app", "--from") == 2
    assert ".deeprepo.yml already exists with different content" in capsys.readouterr().err


def test_only_settings_are_written_for_an_app(clone: Repository, repository: Repository) -> None:
    """There is no workflow, and the output does not mention the Action's secrets."""
    done = init(clone, repository, "--app")
    assert done.returncode == 0, done.stderr
    assert subprocess.run(
        ["git", "status", "--porcelain", "--untracked-files=all"],
        cwd=repository.folder,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split() == ["??", ".deeprepo.yml"]
    assert "ANTHROPIC_API_KEY" not in done.stdout
    assert init(clone, repository, "--app", "--action", f"me/mine@{'a' * 40}").returncode == 2
