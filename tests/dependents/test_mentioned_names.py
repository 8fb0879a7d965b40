"""Files that no parser reads, and names that many of them hold: what is gone is open there, and said once."""

import pytest
from dependents_scene import find
from fakes import Repository

from bot.review import coverage
from bot.values import Dependents

LIB = "def load_all(a, b):\n    return a\n"
GONE = LIB.replace("load_all", "fetch_all")
CALL = "from lib import load_all\n\nload_all(1, 2)\n"
FEW = 20  # files of which each line is listed


def _open(found: Dependents) -> list[str]:
    return sorted(f"{use.path}:{use.line}" for use in coverage.obliged_uses((), found))


@pytest.mark.parametrize("path", ["bin/tool", "app.pyx", "app.pyw", "SConstruct", "app.py.in", "note.ipynb"])
def test_an_import_in_a_file_of_no_language_may_mean_the_changed_file(repository: Repository, path: str) -> None:
    """No parser has followed it: that it names the file is enough for the name to be open."""
    found = find(repository.change({"lib.py": LIB, path: CALL}, {"lib.py": GONE}))

    assert _open(found) == [f"{path}:1", f"{path}:3"]


@pytest.mark.parametrize(
    "line", ["from shop.lib import load_all", "from shop import load_all", "from .lib import load_all"]
)
def test_it_may_name_a_folder_above_the_file(repository: Repository, line: str) -> None:
    """A package hands on what its files define."""
    found = find(repository.change({"shop/lib.py": LIB, "bin/tool": f"{line}\n"}, {"shop/lib.py": GONE}))

    assert _open(found) == ["bin/tool:1"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("bin/tool", "from toolbox import load_all\n\nload_all(1, 2)\n"),
        ("app.pyx", "from numpy cimport x\nfrom pandas import load_all\n\nload_all(1)\n"),
        ("web.js", "import { load_all } from './lib';\nload_all(1);\n"),  # a parsed language finds its own
        ("bin/tool", "# load_all is called elsewhere\n"),
    ],
)
def test_a_name_that_a_file_takes_from_elsewhere_stays_quiet(repository: Repository, path: str, text: str) -> None:
    """Its import names no part of the changed file's path, or its language would have followed it."""
    assert _open(find(repository.change({"lib.py": LIB, path: text}, {"lib.py": GONE}))) == []


def test_a_name_in_many_files_is_open_once(repository: Repository) -> None:
    """More files than are listed hold it: one sentence counts them and names the first, and no line is a row of its own."""
    jobs = {f"jobs/{number:02}.yml": "task: lib.load_all\n" for number in range(FEW + 5)}
    found = find(repository.change({"lib.py": LIB, **jobs}, {"lib.py": GONE}))

    (sentence,) = found.cut
    assert sentence.startswith("25 files still hold load_all, which the change takes away, jobs/00.yml:1 among them")
    assert _open(found) == []


def test_up_to_the_limit_each_line_is_a_row(repository: Repository) -> None:
    """Nothing is cut there, and no sentence says so."""
    jobs = {f"jobs/{number:02}.yml": "task: lib.load_all\n" for number in range(FEW)}
    found = find(repository.change({"lib.py": LIB, **jobs}, {"lib.py": GONE}))

    assert (len(_open(found)), found.cut) == (FEW, ())


def test_many_lines_of_one_file_are_counted_too(repository: Repository) -> None:
    """A table that names it on every line: the lines above the limit are not left out without a word."""
    found = find(repository.change({"lib.py": LIB, "a.yml": "- lib.load_all\n" * 60}, {"lib.py": GONE}))

    assert [sentence for sentence in found.cut if sentence.startswith("60 lines still hold load_all")]


@pytest.mark.parametrize("path", ["tests/fixtures/{}.yml", "docs/{}.md", "dist/{}.min.js"])
def test_tests_documents_and_output_make_no_name_open(repository: Repository, path: str) -> None:
    """A test that is wrong about it fails, and the others decide nothing."""
    many = {path.format(number): "task: lib.load_all\n" for number in range(FEW + 5)}
    assert find(repository.change({"lib.py": LIB, **many}, {"lib.py": GONE})).cut == ()


def test_a_name_that_something_else_defines_is_not_counted(repository: Repository) -> None:
    """The other definition may be meant everywhere."""
    jobs = {f"jobs/{number:02}.yml": "task: load_all\n" for number in range(FEW + 5)}
    found = find(
        repository.change({"lib.py": LIB, "other.py": "def load_all():\n    pass\n", **jobs}, {"lib.py": GONE})
    )

    assert found.cut == ()


def test_far_in_a_long_line_a_name_is_found(repository: Repository) -> None:
    """A setting that stands behind hundreds of characters is one."""
    line = f'{{"text": "{"many words " * 60}", "task": "lib.load_all"}}\n'
    assert _open(find(repository.change({"lib.py": LIB, "jobs.json": line}, {"lib.py": GONE}))) == ["jobs.json:1"]
