"""Unusual trees: the broken caller is still reported, and the command exits with the right status."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from fakes import Repository
from families import few

import bot

Entry = tuple[str, bytes, bytes]  # mode, path, content
FILE, PROGRAM, LINK, COMMIT = "100644", "100755", "120000", "160000"
CALLER = b"from lib import f\nf(1, 2)\n"
BASE: list[Entry] = [(FILE, b"lib.py", b"def f(a, b):\n    return a\n"), (FILE, b"use.py", CALLER)]
BROKEN: Entry = (FILE, b"lib.py", b"def f(a):\n    return a\n")
NAMES = [
    b"-rf.py", b"--output=x.py", b"a\nb.py", b"a\tb.py", b"a\\b.py", b"\xff\xfe.py", "\u202eyp.x.py".encode(), b"$(id).py", b"`id`.py",
    b":(exclude)lib.py", b":!lib.py", b"*.py", b"[a].py", b"con.py", b"x" * 250 + b".py", b" .py", b"\x1b[31m.py", b"a;b.py", b"..py", b"...py",
    b"~.py", b"CON", b".git\xe2\x80\x8c/config",
]  # fmt: skip
TREES: dict[str, Callable[[], tuple[list[Entry], list[Entry]]]] = {
    "odd names": lambda: ([], [(FILE, name, CALLER) for name in NAMES]),
    "names that differ in case": lambda: (
        [],
        [(FILE, name, b"def f(a, b):\n    return a\n") for name in (b"LIB.py", b"Lib.py", "l\u0131b.py".encode())],
    ),
    "links, a submodule, a pointer": lambda: (
        [],
        [
            (LINK, b"l.py", b"/etc/passwd"),
            (LINK, b"loop", b"loop"),
            (LINK, b"big", b"x" * 4_000_000),
            (LINK, b".deeprepo.yml", b"/etc/passwd"),
            (COMMIT, b"sub", b"1" * 40),
            (FILE, b".gitmodules", b'[submodule "sub"]\n path = sub\n url = --upload-pack=touch${IFS}PLANTED\n'),
            (FILE, b"lfs.py", b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 9\n"),
        ],
    ),
    "lists and guidelines that are links": lambda: (
        [(LINK, name, b"/etc/passwd") for name in (b".deeprepo/ignore.yml", b"AGENTS.md")],
        [],
    ),
    "modes of 1,000 files": lambda: (
        [(FILE, b"m%d.py" % at, b"x = %d\n" % at) for at in range(1_000)],
        [(PROGRAM, b"m%d.py" % at, b"x = %d\n" % at) for at in range(1_000)],
    ),
    "300 new files of one line": lambda: ([], [(FILE, b"aa/%d.py" % at, b"x = %d\n" % at) for at in range(300)]),
    "1,500 folders deep": lambda: ([], [(FILE, b"a/" * 1_500 + b"x.py", CALLER)]),
}


def _commit(branch: str, entries: list[Entry], parent: str = "") -> bytes:
    """Return one commit for `git fast-import`."""
    rows = [b"commit refs/heads/%s\ncommitter a <a@example.invalid> 1700000000 +0000\ndata 1\nm" % branch.encode()]
    rows += [b"from refs/heads/%s" % parent.encode()] if parent else []
    for mode, path, content in entries:
        name = b'"' + path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n") + b'"'
        if mode == COMMIT:
            rows.append(b"M 160000 " + content + b" " + name)
        else:
            rows.append(b"M %s inline %s\ndata %d\n%s" % (mode.encode(), name, len(content), content))
    return b"\n".join(rows) + b"\n\n"


def reviewed(folder: Path, head: list[Entry], base: list[Entry]) -> "subprocess.CompletedProcess[bytes]":
    """Run the review command on a change that breaks a caller, in this tree."""
    repository = Repository(folder / "work")
    for name in ("core.protectNTFS", "core.protectHFS"):
        repository.git("config", name, "false")
    stream = _commit("main", BASE + base) + _commit("feature", [BROKEN, *head], "main")
    repository.git("fast-import", "--quiet", "--force", stdin=stream)
    command = [sys.executable, "-m", "bot", "review", "main..feature", "--effort", "none", "--fail-on", "high"]
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": str(Path(bot.__file__).parents[1])}
    return subprocess.run(command, cwd=repository.folder, env=env, capture_output=True, check=False)


@pytest.mark.parametrize("kind", few(TREES, 2))
def test_broken_caller_is_reported_in_an_unusual_tree(tmp_path: Path, kind: str) -> None:
    """The broken caller is reported, nothing in the tree is run, and no linked file's content is shown."""
    base, head = TREES[kind]()
    done = reviewed(tmp_path, head, base)

    assert done.returncode == 1, done.stderr.decode(errors="replace")
    assert b"use.py:2" in done.stdout
    assert b"root:" not in done.stdout
    assert not list(tmp_path.rglob("PLANTED"))


def test_settings_linked_from_outside_the_tree_are_not_read(tmp_path: Path) -> None:
    """A warning says so, and the review uses the defaults. No line of the linked file is shown."""
    done = reviewed(tmp_path, [], [(LINK, b".deeprepo.yml", b"/etc/passwd")])

    assert done.returncode == 1, done.stderr.decode(errors="replace")
    assert b".deeprepo.yml: it is a symbolic link, not a file" in done.stdout
    assert b"root:" not in done.stdout
