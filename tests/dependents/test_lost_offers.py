"""Public names that a published package has no more."""

import pytest
from dependents_scene import find
from fakes import Repository

import deeprepo

PYTHON = '[project]\nname = "acme"\nversion = "{}"\n\n[build-system]\nrequires = ["hatchling"]\n'
DOOR = 'from .box import load, save\n\n__all__ = ["load"]\n'
BOX = "def load(path):\n    return path\n\n\ndef save(path):\n    return path\n"
NODE = '{{"name": "acme", "version": "{}", "main": "./dist/index.js"{}}}'
CARGO = '[package]\nname = "acme"\nversion = "{}"\n'
WITHOUT = {"acme/__init__.py": "__all__ = []\n", "acme/box.py": "def read(path):\n    return path\n"}
OWN = {"acme/__init__.py": "def load(path):\n    return path\n\n\ndef _inner(path):\n    return path\n"}


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [
        ({"pyproject.toml": PYTHON.format("1.4.2"), "acme/__init__.py": DOOR, "acme/box.py": BOX}, WITHOUT, [("load", "2.0.0")]),
        ({"pyproject.toml": PYTHON.format("0.3.0"), **OWN}, {"acme/__init__.py": "VERSION = 1\n"}, [("load", "0.4.0")]),
        (
            {"package.json": NODE.format("3.1.0", ""), "src/index.ts": "export * from './box';\n", "src/box.ts": "export function load() {}\nexport function save() {}\n"},
            {"src/box.ts": "export function save() {}\n"},
            [("load", "4.0.0")],
        ),
        (
            {"Cargo.toml": CARGO.format("1.0.3"), "src/lib.rs": "mod store;\npub use store::load;\n", "src/store.rs": "pub fn load() {}\n"},
            {"src/lib.rs": "mod store;\npub use store::read;\n", "src/store.rs": "pub fn read() {}\n"},
            [("load", "2.0.0")],
        ),
    ],
)  # fmt: skip
def test_a_public_name_that_goes_asks_for_a_version(
    repository: Repository,
    before: dict[str, str | bytes | None],
    after: dict[str, str | bytes | None],
    lost: list[tuple[str, str]],
) -> None:
    """Nobody in the tree has to use it."""
    found = find(repository.change(before, after))
    assert [(one.name, one.asks) for one in found.offers] == lost


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"pyproject.toml": PYTHON.format("2.0.0.dev1"), **OWN}, {"acme/__init__.py": "VERSION = 1\n"}),
        ({"pyproject.toml": PYTHON.format("2026.1"), **OWN}, {"acme/__init__.py": "VERSION = 1\n"}),
        ({"pyproject.toml": PYTHON.format("1.0").partition("[build")[0], **OWN}, {"acme/__init__.py": "VERSION = 1\n"}),
        ({"pyproject.toml": PYTHON.format("1.0"), **OWN}, {"acme/__init__.py": "VERSION = 1\n", "pyproject.toml": PYTHON.format("2.0")}),
        ({"pyproject.toml": PYTHON.format("1.0"), **OWN}, {"acme/__init__.py": "def read(path):\n    return path\n\n\nload = read\n"}),
        ({"pyproject.toml": PYTHON.format("1.0"), "acme/__init__.py": "import os\nfrom typing import Any\n\nX: Any = os.sep\n"}, {"acme/__init__.py": "X = 1\n"}),
        ({"pyproject.toml": PYTHON.format("1.0"), "acme/__init__.py": DOOR, "acme/box.py": BOX}, {"acme/__init__.py": DOOR.replace(", save", "")}),
        ({"package.json": NODE.format("3.1.0", ', "private": true'), "src/index.ts": "export function load() {}\n"}, {"src/index.ts": "export const x = 1;\n"}),
        ({"package.json": NODE.format("3.1.0", ""), "src/index.ts": "export {};\n", "src/box.ts": "export function load() {}\n"}, {"src/box.ts": "export const x = 1;\n"}),
        ({"Cargo.toml": CARGO.format("1.0.3") + "publish = false\n", "src/lib.rs": "pub fn load() {}\n"}, {"src/lib.rs": "pub fn read() {}\n"}),
        ({"Cargo.toml": CARGO.format("1.0.3"), "src/lib.rs": "mod store;\nuse store::put;\npub(crate) use store::get;\nfn load() {}\npub(crate) fn save() {}\n", "src/store.rs": "pub fn put() {}\npub fn get() {}\n"}, {"src/lib.rs": "pub fn read() {}\n"}),
    ],
)  # fmt: skip
def test_what_no_release_has_offered_asks_for_none(
    repository: Repository, before: dict[str, str | bytes | None], after: dict[str, str | bytes | None]
) -> None:
    """A version in the making, one that is a year, no package, the version that may lack it, an alias, names of others or of the inside, a private package."""
    assert find(repository.change(before, after)).offers == ()


def test_a_review_says_it_without_a_verdict(repository: Repository) -> None:
    """It is a note: no finding, and nothing that is left open."""
    repository.commit(
        {"pyproject.toml": PYTHON.format("1.4.2"), "acme/__init__.py": DOOR, "acme/box.py": BOX}, "before"
    )
    repository.commit(WITHOUT, "after")
    reviewed = deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")
    assert (reviewed.findings, reviewed.open) == ((), ())
    said = "`load` of the package `acme` is removed, and users of the package may depend on it. If 1.4.2 is published, the next version must be 2.0.0."
    assert said in reviewed.to_markdown()
