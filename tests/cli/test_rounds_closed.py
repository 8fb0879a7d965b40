"""A caller that is proven broken goes to where no check can read it: its finding is not fixed."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from fakes import Repository
from recorded import deeprepo

from tests.rows import of

POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'4d' * 32}\nsize 12345\n"
BEFORE: dict[str, str | bytes | None] = {
    "lib/shop.rb": "def total(items, tax)\n  items.sum * tax\nend\n",
    "app/main.rb": 'require_relative "../lib/shop"\nputs total([1], 20)\n',
}
BROKEN: dict[str, str | bytes | None] = {"lib/shop.rb": "def total(items)\n  items.sum\nend\n"}


def submodule(repository: Repository, name: str) -> None:
    """The folder goes, and a submodule comes."""
    repository.git("rm", "-rq", "app")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},{name}")
    repository.git("commit", "-qm", "a repository of its own")


def link(repository: Repository, target: str) -> None:
    """The folder becomes a link."""
    repository.git("rm", "-rq", "app")
    (repository.folder / "app").symlink_to(target)
    repository.git("add", "--all")
    repository.git("commit", "-qm", "a link")


WAYS: dict[str, Callable[[Repository], None]] = {
    "a pointer of Git LFS": lambda repository: repository.commit({"app/main.rb": POINTER}, "large") and None,
    "a submodule in the place of its folder": lambda repository: submodule(repository, "app"),
    "a link out of the tree": lambda repository: link(repository, "/nowhere/at/all"),
}


def review(repository: Repository, *arguments: str) -> str:
    done = deeprepo("review", "main..HEAD", "--strategy", "offline", "--format", "json", *arguments, cwd=repository.folder)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("way", WAYS)
def test_a_finding_whose_caller_cannot_be_read_stays(repository: Repository, tmp_path: Path, way: str) -> None:
    """It is neither fixed nor gone, and it counts in the conclusion."""
    repository.commit(BEFORE, "before")
    repository.git("checkout", "-qb", "feature")
    repository.commit(BROKEN, "broken")
    saved = tmp_path / "first.json"
    saved.write_text(review(repository))
    WAYS[way](repository)
    document = json.loads(review(repository, "--previous", str(saved)))
    assert of(document, "fixed") == []
    assert [one["category"] for one in of(document, "still")] == ["broken-caller"]
    assert document["conclusion"] == "findings"


def test_a_caller_that_is_deleted_ends_its_finding(repository: Repository, tmp_path: Path) -> None:
    """Nothing in the change may hold its lines."""
    repository.commit(BEFORE, "before")
    repository.git("checkout", "-qb", "feature")
    repository.commit(BROKEN, "broken")
    saved = tmp_path / "first.json"
    saved.write_text(review(repository))
    repository.commit({"app/main.rb": None, "NEWS.md": "The command is gone.\n"}, "gone")
    document = json.loads(review(repository, "--previous", str(saved)))
    assert [one["category"] for one in of(document, "fixed")] == ["broken-caller"]
