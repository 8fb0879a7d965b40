"""`deeprepo review --root "exec:COMMAND"` uses a local program as a model, which no file may choose."""

import json
import sys
from pathlib import Path

import pytest
from fakes import Repository
from recorded import deeprepo

PROGRAM = """
import json, pathlib, sys
text = sys.stdin.read()
pathlib.Path({log!r}).open("a").write("asked\\n")
finding = {{"path": "calc.py", "quote": "    return a / n", "line": 0, "title": "div() divides by zero", "why": "n may be 0",
    "consequence": "a crash", "trigger": "div(1, 0)", "severity": "high", "category": "crash", "evidence": [], "suggestion": None}}
verdict = {{"verdict": "confirmed", "trigger": "div(1, 0)", "author_would_change": True, "reason": "n is not checked"}}
print(json.dumps(verdict if '"verdict"' in text else {{"answer": "Read.", "findings": [finding]}}))
"""


@pytest.fixture
def divided(repository: Repository) -> Repository:
    """Commit a change that may divide by zero."""
    repository.commit({"calc.py": "def div(a, n):\n    return a\n"}, "before")
    repository.git("checkout", "-qb", "feature")
    repository.commit({"calc.py": "def div(a, n):\n    return a / n\n"}, "after")
    return repository


def command(folder: Path) -> str:
    """Write a program that answers as a model, and return its `exec:` name."""
    (folder / "model.py").write_text(PROGRAM.format(log=str(folder / "log")))
    return f"exec:{sys.executable} {folder / 'model.py'}"


@pytest.mark.parametrize("place", ["repository", "organization"])
def test_command_from_a_settings_file_is_not_run(divided: Repository, tmp_path: Path, place: str) -> None:
    """Neither a repository's nor its organization's settings can start a program, whatever is allowed."""
    settings = json.dumps({"models": {"root": command(tmp_path), "worker": command(tmp_path)}})
    variables = {"DEEPREPO_MODELS": "*"}
    home = divided
    if place == "organization":
        home = Repository(tmp_path / "organization")
        variables["DEEPREPO_ORGANIZATION"] = str(home.folder)
    else:
        divided.git("checkout", "-q", "main")
    home.commit({".deeprepo.yml": settings}, "settings")
    divided.git("checkout", "-q", "feature")
    done = deeprepo("review", "main..feature", "--format", "json", cwd=divided.folder, **variables)
    assert "only the person who runs deeprepo can use a command as a model" in " ".join(
        json.loads(done.stdout)["notes"]
    )
    assert not (tmp_path / "log").exists()
