"""Each fact about a language is stated once, in the language's folder in `deeprepo/impact/languages`."""

import ast
from collections import Counter
from itertools import chain
from pathlib import Path

import pytest

from deeprepo.impact import table
from deeprepo.impact.filetypes import FileType, filetype, filetypes
from deeprepo.impact.language import ReceiverRules, load, refuse_unknown, rules_of
from deeprepo.impact.text.paths import is_code

OF_OTHER_FILES = {key for row in table.others() for key in row}
OF_ONE_LANGUAGE = ("ruff.py", "oxlint.py", "ty.py", "tsc.py")


@pytest.mark.parametrize("folder", table.folders())
def test_every_table_key_is_read(folder: str) -> None:
    """Every key in a language's table is one that the code reads, with a value that the code knows."""
    assert load(folder)
    for row in table.folders()[folder]["grammars"].values():
        refuse_unknown(folder, row)
    assert all(set(row) <= {*FileType.__struct_fields__} for row in table.others())


def test_unknown_key_or_value_is_refused() -> None:
    with pytest.raises(ValueError, match=r"dart/language\.toml: no part of a language has a field named bare_member$"):
        refuse_unknown("dart", {"bare_member": "calls"})
    with pytest.raises(
        ValueError, match=r"bare_members = 'call' in a language\.toml: it must be one of '', 'calls', 'own'"
    ):
        table.filled(ReceiverRules, {"bare_members": "call"})


def test_every_key_is_used_by_several_languages() -> None:
    """Every key is used by several languages; what only one needs is a method of its class."""
    users: dict[str, set[str]] = {}
    for folder, row in table.folders().items():
        for each in (row, *row["grammars"].values()):
            for key in each:
                users.setdefault(key, set()).add(folder)
    assert {key for key, folders in users.items() if len(folders) == 1} <= OF_OTHER_FILES


def test_class_has_few_fields() -> None:
    """A class stays small enough for a person to remember its fields."""
    rows = [
        (sum(isinstance(line, ast.AnnAssign) for line in node.body), node.name)
        for path in Path(table.__file__).parent.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef)
    ]
    assert [row for row in rows if row[0] > 25] == []


def test_suffix_belongs_to_one_file_type() -> None:
    """Each suffix belongs to only one file type."""
    assert {
        suffix: times
        for suffix, times in Counter(chain.from_iterable(one.suffixes for one in filetypes())).items()
        if times > 1
    } == {}


def test_language_suffixes_count_as_code() -> None:
    """Each suffix in a language's table counts as code."""
    assert [
        suffix for one in filetypes() if one.folder for suffix in one.suffixes if not is_code(f"src/a{suffix}")
    ] == []


def test_a_language_has_the_facts_of_its_suffixes() -> None:
    """A file's language, once loaded, has the facts that are known of the file without loading it."""
    paths = [f"x{suffix}" for one in filetypes() if one.is_parsed for suffix in one.suffixes]
    assert [path for path in paths if rules_of(path).files is not filetype(path)] == []


def test_no_module_outside_its_folder_mentions_a_language() -> None:
    """Facts about a single language are in its own folder. No other module checks for its name or suffix."""
    root = Path(table.__file__).parents[2]
    rooms = [path for path in (root / "deeprepo" / "impact").rglob("*.py") if path.parent.parent.name != "languages"]
    rooms += [path for room in ("analyzers", "analyzers/checks") for path in (root / "bot" / room).glob("*.py")]
    rooms = [path for path in rooms if path.name not in OF_ONE_LANGUAGE]
    named = {*table.folders()}
    grammars = {
        name
        for folder in table.folders()
        for name in table.rows(folder)
        if name not in ("header", "component", "template")
    }
    words = named | grammars | {suffix for one in filetypes() if one.folder for suffix in one.suffixes}
    found = [
        f"{path.name}:{node.lineno} {node.value}"
        for path in rooms
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and node.value in words
    ]
    assert len(rooms) > 90
    assert found == []
