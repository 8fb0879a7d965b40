"""The Makefile, the workflows and the pages name the same targets, and each target and program is used by something that runs."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MAKEFILE = (ROOT / "Makefile").read_text()
WORKFLOWS = "".join(path.read_text() for path in (ROOT / ".github" / "workflows").glob("*.yml"))
RUN_THERE = WORKFLOWS + (ROOT / ".ci" / "run").read_text()
PAGES = {path: path.read_text() for path in (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"))}
CODE = {
    path: path.read_text()
    for folder in ("tests", "benchmarks", "bot", "evals", "sandbox")
    for path in (ROOT / folder).rglob("*.py")
}
NAMED = re.compile(r"(?:`|\$ |run: |exec |^)make (?:PYTHON=\w+ )?([a-z][a-z-]*)", re.MULTILINE)
# What downloads: an installer, a clone, or the slow tests, some of which install.
DOWNLOADS = re.compile(r"\bpip\b.* install|\bnpm |eval fetch|uv pip compile|image_check|-m \"slow")
BY_HAND = {"train-cpu": "1.5 GB and some minutes of training"}  # tests that no workflow runs, and why
CHECKS = re.compile(r"-m pytest|/(?:ruff check \.|mypy|lint-imports|zizmor)\b|prose\.py")
BESIDE = ("$(READY)", "$(DEMO)/.ready", "$(DEMO)/.server")  # set up once by every target that needs them


@dataclass(frozen=True)
class Target:
    """A rule of the Makefile: what it needs first, its line of help, its recipe."""

    needs: tuple[str, ...]
    about: str
    recipe: str


def rules() -> dict[str, Target]:
    found = {}
    for rule in re.finditer(
        r"^([$\w().,/-]+):(?!=)([^\n#=]*)(?:## ([^\n]*))?\n((?:\t[^\n]*\n)*)", MAKEFILE, re.MULTILINE
    ):
        found[rule[1]] = Target(tuple(rule[2].split()), rule[3] or "", rule[4])
    return found


RULES = rules()
VARIABLES = dict(re.findall(r"^(\w+) [:?]?= ?(.*)$", MAKEFILE, re.MULTILINE))
TARGETS = {name: rule for name, rule in RULES.items() if re.fullmatch("[a-z-]+", name)}
HELP = {name: rule for name, rule in TARGETS.items() if rule.about}


def parts(name: str) -> Iterator[str]:
    """A target, and those that it needs or calls, but for the two usual environments."""
    yield name
    rule = RULES[name]
    for other in (*rule.needs, *re.findall(r"\$\(MAKE\)(?: --\w+)* ([a-z-]+)", rule.recipe)):
        if other in RULES and other not in BESIDE:
            yield from parts(other)


def carried_out(name: str) -> str:
    """The recipes of all of them, with the variables of the Makefile."""
    recipe = "".join(RULES[part].recipe for part in parts(name))
    return re.sub(r"\$\((\w+)\)", lambda word: VARIABLES.get(word[1], word[0]), recipe)


def benchmarks(text: str) -> set[str]:
    """The modules of `benchmarks` that a text names."""
    lines = re.findall(r"from benchmarks import ([\w, ]+)|benchmarks[./](\w+)", text)
    return {name for several, one in lines for name in (one, *several.split(", ")) if name}


def test_every_target_is_declared_and_explained() -> None:
    """`.PHONY` lists each of them and no other; each has its line in `make help` or is a part of one that has."""
    declared = re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)
    assert declared
    assert sorted(declared[1].split()) == sorted(TARGETS)
    needed = {need for name in TARGETS for need in TARGETS[name].needs}
    assert [name for name in TARGETS if name not in HELP and name not in needed] == []


@pytest.mark.parametrize("name", HELP)
def test_help_marks_what_needs_the_network(name: str) -> None:
    """A target that downloads more than the environment of every target carries the mark, and no other does."""
    recipe = carried_out(name)
    own = "".join((ROOT / "benchmarks" / f"{module}.py").read_text() for module in benchmarks(recipe))
    downloads = DOWNLOADS.search(recipe) or re.search(r"\"install\"|pip install", own)
    assert HELP[name].about.endswith("(network)") == bool(downloads)


def test_what_is_named_exists() -> None:
    """A target that a page, a workflow, a script or a message names is a target."""
    scripts = {path: path.read_text() for path in (ROOT / ".ci").iterdir() if path.is_file()}
    texts = PAGES | CODE | scripts | {ROOT / ".github": WORKFLOWS, ROOT / "Makefile": MAKEFILE}
    assert {
        (name, path.name) for path, text in texts.items() for name in NAMED.findall(text) if name not in TARGETS
    } == set()


def test_every_target_is_on_a_page() -> None:
    """CONTRIBUTING.md names each target of `make help`."""
    text = PAGES[ROOT / "CONTRIBUTING.md"]
    assert [name for name in HELP if not re.search(rf"`(?:make )?{name}\b(?!-)", text)] == []


def test_the_workflows_run_what_checks() -> None:
    """Each target that runs tests or linters is run by a workflow, directly or as a part of another one."""
    asked = [name for name in TARGETS if re.search(rf"make (?:PYTHON=python )?{name}(?![\w-])", RUN_THERE)]
    run = {part for name in asked for part in parts(name)}
    assert {name for name in TARGETS if CHECKS.search(TARGETS[name].recipe) and name not in run} == BY_HAND.keys()
    assert ".ci/image_smoke" in WORKFLOWS


def test_every_program_is_run_by_something() -> None:
    """Each file of .ci and each module of benchmarks is reached from a target, a workflow or a test."""
    reached = MAKEFILE + RUN_THERE + "".join(text for path, text in CODE.items() if "tests" in path.parts)
    programs = {path.name: path.read_text() for path in (ROOT / ".ci").iterdir() if path.is_file()}
    for name, text in [*programs.items()] * 2:
        reached += text if name in reached or re.search(rf"\bimport {Path(name).stem}\b", reached) else ""
    assert [name for name in programs if name not in reached and f"import {Path(name).stem}" not in reached] == []
    modules = {path.stem: path.read_text() for path in (ROOT / "benchmarks").glob("[a-z]*.*") if path.is_file()}
    seen, wanted = set[str](), benchmarks(reached)
    while wanted:
        seen |= wanted
        texts = [modules[module] for module in wanted & modules.keys()]
        named = {
            name for text in texts for name in re.findall(r"\"(\w+)(?:\.\w+)?\"", text)
        }  # what is started by its name
        wanted = (named | {name for text in texts for name in benchmarks(text)}) & modules.keys() - seen
    assert sorted(modules.keys() - seen) == []
