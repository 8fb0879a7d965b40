"""The Makefile, workflows and pages refer to existing targets and benchmarks."""

import re
from pathlib import Path

from benchmarks.__main__ import BENCHES

ROOT = Path(__file__).parents[2]
MAKEFILE = (ROOT / "Makefile").read_text()
TARGETS = set(re.findall(r"^([a-z-]+):.*## ", MAKEFILE, re.MULTILINE))
NAMED = re.compile(r"(?:`|\$ |run: |exec |^)make (?:PYTHON=\w+ )?([a-z][a-z-]*)", re.MULTILINE)
FOLDERS = (".ci", ".github/workflows", "bot", "benchmarks", "docs", "evals", "tests")
TEXTS = {
    path.relative_to(ROOT).as_posix(): path.read_text()
    for folder in FOLDERS
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".py", ".md", ".yml") or (path.name == "run" and path.is_file())
} | {path.name: path.read_text() for path in (*ROOT.glob("*.md"), ROOT / "Makefile")}


def test_every_make_target_is_declared_and_documented() -> None:
    """`.PHONY` lists exactly the documented targets."""
    declared = re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)
    assert declared
    assert set(declared[1].split()) == TARGETS


def test_named_targets_and_benchmarks_exist() -> None:
    """Every target and benchmark that a page, workflow, script or message names exists."""
    named = {(path, name) for path, text in TEXTS.items() for name in NAMED.findall(text)}
    benches = {(path, name) for path, text in TEXTS.items() for name in re.findall(r"bench NAME=([a-z_]+)", text)}
    assert {(path, name) for path, name in named if name not in TARGETS} == set()
    assert {(path, name) for path, name in benches if name not in BENCHES} == set()
