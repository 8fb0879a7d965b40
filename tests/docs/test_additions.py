"""What CONTRIBUTING.md says of an addition, done in a copy of the project: the files that it names are enough, and no other is opened."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from doc_pages import ROOT
from fakes import Repository

from bot.text.filetypes import FILETYPES

SAMPLES = Path(__file__).parent / "additions"
ROW = re.compile(r"^\| ([\w ]+) \| (.*) \|$", re.MULTILINE)


class Scratch:
    """A copy of the project, and which of its files somebody opened."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.opened: list[str] = []
        for name in ("bot", "deeprepo", "templates", ".ci", "docs"):
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "images"))
        shutil.copy(ROOT / "pyproject.toml", folder)

    def insert(self, path: str, before: str, text: str) -> None:
        """Open a file and write a text in front of another."""
        file = self.folder / path
        held = file.read_text(encoding="utf-8")
        assert held.count(before) == 1, (path, before)
        file.write_text(held.replace(before, text + before), encoding="utf-8")
        self.opened.append(path)

    def create(self, path: str, text: str) -> None:
        """Open a new file."""
        (self.folder / path).write_text(text, encoding="utf-8")
        self.opened.append(path)

    def run(self, *command: str, at: Path | None = None) -> str:
        """Run Python on the copy."""
        paths = os.pathsep.join(map(str, (self.folder, ROOT / "tests", ROOT / "tests/outputs")))
        done = subprocess.run(
            [sys.executable, *command],
            cwd=at or self.folder,
            env={**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture
def scratch(tmp_path: Path) -> Scratch:
    """A copy of the project."""
    return Scratch(tmp_path / "copy")


def documented(addition: str, name: str) -> list[str]:
    """The files that CONTRIBUTING.md names for an addition."""
    section = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Which files an addition takes\n")[2]
    row = next(match[2] for match in ROW.finditer(section.partition("\n## ")[0]) if match[1] == addition)
    return sorted(re.findall(r"`([^`]+)`", row.partition(" | ")[0].replace("NAME", name)))


VERDICT = """
from dataclasses import replace
import json
from jsonschema import Draft202012Validator
from sample_reviews import REVIEW
from bot.findings import rank, verify
from bot.outputs import facts, json_file
from bot.render import phrases
from bot.values import Verdict
shown = REVIEW.findings[0]
finding = replace(shown.finding, verdict=Verdict.WITNESSED, status="new")
review = replace(REVIEW, findings=(replace(shown, finding=finding),))
written = json.loads(json_file.render(review))
Draft202012Validator(json.load(open("docs/review.schema.json"))).validate(written)
assert written["findings"][0]["verdict"] == "witnessed" in verify.schema().parameters["properties"]["verdict"]["enum"]
assert finding.is_shown and finding.verdict.rank < Verdict.CONFIRMED.rank
assert rank.score(finding) > rank.score(replace(finding, verdict=Verdict.CONFIRMED))
print(*(facts.origin(finding, phrases.load(language)).rpartition(", ")[2] for language in phrases.languages()))
"""


def test_a_verdict_takes_the_files_that_the_page_names(scratch: Scratch) -> None:
    """A verdict above `confirmed` is ranked, asked for, shown in every language and in the JSON output, with its schema."""
    scratch.insert(
        "bot/values/finding.py",
        '    CONFIRMED = "confirmed"',
        '    WITNESSED = "witnessed", True, True, True, 4, "seen by a person"\n',
    )
    words = '[witnessed]\nen = "witnessed"\nde = "bezeugt"\nes = "visto"\nfr = "constaté"\n\n'
    scratch.insert("templates/verdicts.toml", "[confirmed]\n", words)
    scratch.insert("deeprepo/_values.py", '"confirmed", "unproven"', '"witnessed", ')
    scratch.run(".ci/schema.py")
    assert '"witnessed"' in (scratch.folder / "docs/review.schema.json").read_text(encoding="utf-8")
    assert "'witnessed'" in scratch.run(".ci/api.py")
    assert scratch.run("-c", VERDICT).split() == ["bezeugt", "witnessed", "visto", "constaté"]
    assert sorted(scratch.opened) == documented("verdict", "witnessed")
    assert len(scratch.opened) <= 3


def test_a_language_takes_the_files_that_the_page_names(scratch: Scratch, repository: Repository) -> None:
    """Its definitions, importers and calls are found, a broken call is reported in its own words, and its comments are comments."""
    scratch.create("bot/languages/dart.py", (SAMPLES / "dart.py").read_text(encoding="utf-8"))
    scratch.insert("bot/languages/__init__.py", '    "ruby": "ruby",\n', '    "dart": "dart",\n')
    row = """    FileType(
        suffixes=(".dart",), parser="dart", lexer="dart", comments=C_COMMENTS, broken_use="Dart refuses it.",
    ),
"""
    file = scratch.folder / "bot/text/filetypes.py"
    known = re.search(r'    FileType\(suffixes=\("\.dart",\).*\n', held := file.read_text(encoding="utf-8"))
    assert known
    file.write_text(held.replace(known[0], ""), encoding="utf-8")
    scratch.insert("bot/text/filetypes.py", '    FileType(suffixes=(".erb",)', row)
    scratch.insert("docs/command-line.md", "Kotlin, Scala, C#,", "Dart, ")
    scratch.insert("pyproject.toml", '  "tree-sitter-ruby', '  "tree-sitter-dart",\n')
    scratch.opened.append("tests/languages/conformance/dart.txt")  # this test
    repository.commit(
        {
            "Cart.dart": "func total(rows: Int) -> Int { rows }\n",
            "App.dart": "import Cart\n\n// total() is a word here.\nprint(total(1))\n",
        },
        "before",
    )
    repository.git("checkout", "-q", "-b", "change")
    repository.commit({"Cart.dart": "func total(rows: Int, tax: Int) -> Int { rows + tax }\n"}, "a tax")
    found = scratch.run(
        "-c",
        "import deeprepo; made = deeprepo.impact('.', 'main..change');"
        "print([(use.path, use.line) for use in made.uses]); print([one.path for one in made.dependents]);"
        "print([(one.path, one.line, one.rule) for one in made.broken])",
        at=repository.folder,
    )
    command = ("-m", "bot", "review", "main..change", "--effort", "none", "--format", "json")
    review = json.loads(scratch.run(*command, at=repository.folder))
    assert found.splitlines() == ["[('App.dart', 4)]", "['App.dart']", "[('App.dart', 4, 'required-parameter')]"]
    assert [one["consequence"] for one in review["findings"]] == ["Dart refuses it."]
    assert sorted(scratch.opened) == documented("language", "dart")
    assert len(scratch.opened) <= 6


@pytest.mark.slow
def test_an_analyser_takes_the_files_that_the_page_names(scratch: Scratch, repository: Repository) -> None:
    """A review of the command line runs it without being told, and reports what it proves."""
    scratch.create("bot/analyzers/shouting.py", (SAMPLES / "shouting.py").read_text(encoding="utf-8"))
    scratch.insert("bot/config/defaults.py", '"zizmor", "hadolint", "schemas"', '"shouting", ')
    repository.commit({"notes.txt": "quiet\n"}, "before")
    repository.git("checkout", "-q", "-b", "change")
    repository.commit({"notes.txt": "quiet\nread this!!!\n"}, "a note")
    command = ("-m", "bot", "review", "main..change", "--effort", "none", "--format", "json")
    review = json.loads(scratch.run(*command, at=repository.folder))
    assert [(one["source"], one["start"], one["verdict"]) for one in review["findings"]] == [("shouting", 2, "proven")]
    assert sorted(scratch.opened) == documented("analyser", "shouting")
    assert len(scratch.opened) <= 2


@pytest.mark.slow
def test_a_setting_takes_the_files_that_the_page_names(scratch: Scratch, repository: Repository) -> None:
    """It is read from the repository's file, checked, bounded by the default branch, documented, and part of the schema."""
    field = """    patience: Annotated[int | None, stricter.HIGHER] = Field(
        default=None, ge=0, description="Minutes that people wait gladly."
    )
"""
    scratch.insert("bot/config/repository.py", "    quota: Annotated[", field)
    scratch.insert("bot/config/defaults.py", "    quota: int = 4\n", "    patience: int = 7\n")
    for command, words in ((("--reference",), "Minutes that people wait gladly."), (("--schema",), '"patience"')):
        assert words in scratch.run("-m", "bot", "config", *command)
    repository.commit({".deeprepo.yml": "patience: 9\n"}, "settings")
    assert re.search(
        r"patience\W+9\b.*base branch", scratch.run("-m", "bot", "config", "--explain", at=repository.folder)
    )
    assert sorted(scratch.opened) == documented("setting", "patience")
    assert len(scratch.opened) <= 2


COMMAND = """
import asyncio
from types import SimpleNamespace
from bot import commands
from bot.render import phrases
assert commands.read("/deeprepo thanks").word == "thanks"
context = SimpleNamespace(say=lambda key: phrases.load("en").say(key))
print(asyncio.run(commands.COMMANDS["thanks"].run("", context)))
print(phrases.load("en").say("help_thanks"))
"""


def test_a_command_takes_the_files_that_the_page_names(scratch: Scratch) -> None:
    """A comment can give the command, it answers in words of its own, and the list of commands has it."""
    scratch.create("bot/commands/thanks.py", (SAMPLES / "thanks.py").read_text(encoding="utf-8"))
    scratch.insert("bot/commands/__init__.py", "    review,\n    rules,", "    thanks,\n")
    file = scratch.folder / "bot/commands/__init__.py"
    file.write_text(
        file.read_text(encoding="utf-8").replace("            resume,\n", "            resume,\n            thanks,\n")
    )
    words = 'help_thanks = "Be polite."\nreply_thanks = "You are welcome."\n'
    scratch.insert("templates/words/en.toml", "help_resume = ", words)
    assert scratch.run("-c", COMMAND).splitlines() == ["You are welcome.", "Be polite."]
    assert sorted(scratch.opened) == documented("command", "thanks")
    assert len(scratch.opened) <= 3


EXCERPT = """
import sys
from pathlib import Path
sys.path[:0] = ["TESTS", "TESTS/context"]
from beside import beside, text
from fakes import Repository
repository = Repository(Path("scratch-repository").absolute())
shown = beside(repository, {"NOTES.txt": "Prices are in cents.\\n", "a.py": "x = 1\\n"}, {"a.py": "x = 2\\n"}, "a.py")
print(text(shown))
"""


def test_an_excerpt_takes_the_files_that_the_page_names(scratch: Scratch) -> None:
    """What it picks stands beside the change in a prompt, under its own title."""
    scratch.create("bot/context/notes.py", (SAMPLES / "notes.py").read_text(encoding="utf-8"))
    scratch.insert("bot/context/builder.py", "    result_flow,\n    routes,", "    notes,\n")
    file = scratch.folder / "bot/context/builder.py"
    held = file.read_text(encoding="utf-8")
    before = "            *similar.pick(units, self._near, self._alike, shown_lines.lines),\n"
    assert before in held  # beside the change, and where uses alone are shown
    file.write_text(
        held.replace(before, before + "            *notes.pick(units, shown_lines.lines),\n"), encoding="utf-8"
    )
    page = scratch.run("-c", EXCERPT.replace("TESTS", str(ROOT / "tests")))
    assert "NOTES.txt · a note of the team" in page
    assert "Prices are in cents." in page
    assert sorted(scratch.opened) == documented("excerpt", "notes")
    assert len(scratch.opened) <= 2


TOOLS = (
    "bot/analyzers/ruff.py",
    "bot/analyzers/ruff_run.py",
    "bot/analyzers/oxlint.py",
)  # what these programs read is a fact about them


def test_no_second_list_of_suffixes_exists() -> None:
    """Outside of a language's own package and of its row, no text in the code is the suffix of a file that it parses."""
    suffixes = {suffix for one in FILETYPES if one.parser for suffix in one.suffixes}
    known = {*suffixes, *(f"*{suffix}" for suffix in suffixes)}
    held = {
        (path, node.value)
        for path in (file.relative_to(ROOT).as_posix() for file in (ROOT / "bot").rglob("*.py"))
        if not path.startswith("bot/languages/") and path not in ("bot/text/filetypes.py", *TOOLS)
        for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and known & set(node.value.split())
    }
    assert held == set()


def _names(node: ast.AST) -> set[object]:
    """The texts of a table, a set or a list."""
    rows = (
        node.keys
        if isinstance(node, ast.Dict)
        else node.elts
        if isinstance(node, ast.Set | ast.List | ast.Tuple)
        else ()
    )
    return {row.value for row in rows if isinstance(row, ast.Constant)}


def test_no_second_list_of_languages_exists() -> None:
    """Only where languages are registered, and where the tools of their packages are, does the code list more than two by name."""
    parsers = {one.parser for one in FILETYPES}
    tables = {
        file.relative_to(ROOT / "bot").as_posix()
        for file in (ROOT / "bot").rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if len(parsers & _names(node)) > 2
    }
    running = {f"review/running/{name}.py" for name in ("installs", "layout", "runners")}
    assert tables == {"languages/__init__.py", *running}
