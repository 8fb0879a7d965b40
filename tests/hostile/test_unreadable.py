"""Code and data that no person writes: the review reports what it did not read, and reads the rest."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from fakes import Repository
from families import few

import bot
from deeprepo.impact.reading.unreadable import TOO_LONG

DEEP = 20_000  # levels


def nested(opening: str, core: str = "f", closing: str = "") -> str:
    """Return deeply nested code, broken into lines of normal length."""
    text = opening * DEEP + core + closing * DEEP
    return "\n".join(text[at : at + 100] for at in range(0, len(text), 100)) + "\n"


# The files before the change, so that each has a definition whose references are searched.
BEFORE = {
    "py": "def f(x):\n    return x\n",
    "java": "class A { void f(int x) {} }\n",
    "cs": "class A { void f(int x) {} }\n",
    "rs": "pub fn f(x: i32) {}\n",
}


def deeprepo(*arguments: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run the command in a new process, so that its work is done in a child with limits."""
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": str(Path(bot.__file__).parents[1])}
    command = [sys.executable, "-m", "bot", *arguments]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


@pytest.fixture
def ordinary(repository: Repository) -> Repository:
    """Return a repository in which an ordinary change can break a caller."""
    repository.commit({"ok.py": "def ok(x):\n    return x\n", "user.py": "from ok import ok\n\nok(1)\n"})
    return repository


def reviewed(repository: Repository, before: dict[str, str], after: dict[str, str]) -> dict[str, object]:
    """Review these files together with an ordinary change, whose broken caller must be found."""
    repository.commit(dict(before))
    repository.commit({**after, "ok.py": "def ok(x, y):\n    return x\n"})
    done = deeprepo(
        "review", "HEAD~..HEAD", "--strategy", "offline", "--format", "json", "-q", folder=repository.folder
    )
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr
    told: dict[str, object] = json.loads(done.stdout)
    assert "user.py" in json.dumps(told["findings"]), told["notes"]
    return told


@pytest.mark.parametrize(
    ("path", "text"),
    few(
        [
            ("a.py", nested("(", "f", ")")),
            ("a.rs", nested('r#"')),
            ("A.java", nested("/* ")),
            ("A.cs", nested("A<")),
        ],
        0,
        4,
    ),
)
def test_unread_file_is_listed_with_the_reason(path: str, text: str, ordinary: Repository) -> None:
    """A file that is too complex is listed with the reason, and its definitions are not compared."""
    before = BEFORE[path.rpartition(".")[2]]
    told = reviewed(ordinary, {path: before}, {path: before + text})
    cut = [row["name"] for row in told["coverage"]["open"] if row["kind"] == "search"]
    (said,) = [line for line in cut if line.startswith(f"{path}: ")]
    assert said.endswith(f" {TOO_LONG}: its definitions were not compared")


@pytest.mark.parametrize(
    ("suffix", "before", "after", "caller"),
    [
        ("rs", "pub fn f(x: i32) {}\n", "pub fn f(x: i32, y: i32) {}\n", "fn h() { " + nested("(", "f", ")") + " }\nfn g() { crate::a::f(1) }\n"),
        ("cs", "namespace A;\nclass C { public void F(int x) {} }\n",
         "namespace A;\nclass C { public void F(int x, int y) {} }\n", "namespace A;\n" * 3_000 + "class D { void G(C c) { c.F(1); } }\n"),
    ],
)  # fmt: skip
def test_unread_caller_is_listed(suffix: str, before: str, after: str, caller: str, ordinary: Repository) -> None:
    """An unchanged file that takes too long to search is listed, because it may call changed code."""
    ordinary.commit({"src/lib.rs": "mod a;\nmod b;\n", f"src/b.{suffix}": caller, f"src/a.{suffix}": before})
    told = reviewed(ordinary, {"x.txt": "x\n"}, {f"src/a.{suffix}": after})
    cut = [row["name"] for row in told["coverage"]["open"] if row["kind"] == "search"]
    assert [line for line in cut if line.startswith(f"src/b.{suffix}")]
