"""One sample tree per language; marks on its lines state which references the change breaks."""

import re
from pathlib import Path

import pytest
from fakes import Repository

import deeprepo
from deeprepo.impact.filetypes import installed
from deeprepo.impact.language import leading

FOLDER = Path(__file__).parent / "conformance"
SECTION = re.compile(r"^--- (base|head|both) (\S+)\n", re.MULTILINE)
MARK = re.compile(r"(broken|open|fine): (\w+)")
KINDS = ("rename", "remove", "resign", "move", "shadow", "reexport", "alias", "overload")
ABSENT = {  # kinds that the language has no syntax for, or that would only repeat another kind
    "c": {"move", "alias", "overload"},
    "cpp": {"move", "alias"},
    "csharp": {"reexport"},
    "go": {"reexport", "overload"},
    "java": {"reexport"},
    "kotlin": {"reexport"},
    "lua": {"reexport", "overload"},
    "php": {"reexport"},
    "ruby": {"reexport", "alias"},
    "rust": {"reexport", "overload"},
}
SAMPLES = sorted(FOLDER.glob("*.txt"))


def trees(text: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the files before the change, and the changed files."""
    parts = SECTION.split(text)[1:]
    before, after = dict[str, str](), dict[str, str]()
    for side, path, content in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        if side != "head":
            before[path] = content
        if side == "head":
            after[path] = content
    return before, after


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_only_the_marked_lines_are_broken(sample: Path, repository: Repository) -> None:
    """Marked references are reported, doubtful ones listed, and nothing else is proven."""
    before, after = trees(sample.read_text(encoding="utf-8"))
    repository.commit(before, "before")
    repository.git("checkout", "-q", "-b", "change")
    repository.commit(after, "change")
    expected = {
        (path, line): (match[1], match[2])
        for path, content in before.items()
        for line, row in enumerate(content.split("\n"), 1)
        if (match := MARK.search(row))
    }
    found = deeprepo.analyze(repository.folder, "main..change")
    broken = {(one.path, line) for one in found.broken for line in one.lines}
    proven = {(one.path, line) for one in found.broken if one.proven for line in one.lines}
    marked = {place for place, (state, _) in expected.items() if state == "broken"}
    assert broken >= marked >= proven
    assert {(use.path, use.line) for use in found.uses} >= {
        place for place, (state, _) in expected.items() if state != "fine"
    }
    assert {kind for _, kind in expected.values()} == {*KINDS} - ABSENT.get(sample.stem, set())


@pytest.mark.parametrize("name", installed())
def test_every_language_has_a_sample(name: str) -> None:
    """At least one sample contains a file with a suffix of that language."""
    paths = [path for sample in SAMPLES for path in trees(sample.read_text(encoding="utf-8"))[0]]
    assert any(path.endswith(leading(name).suffixes) for path in paths)
