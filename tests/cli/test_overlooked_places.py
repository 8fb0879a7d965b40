"""The list of places that a change may have forgotten, in a review's outputs."""

import json
from pathlib import Path

import pytest
from fakes import Repository
from recorded import deeprepo

BEFORE = {
    "src/run.sh": "export OLD_HOME=1\n",
    "src/run.py": "run('--old-flag')\n",
    "docs/setup.md": "# Setup\n",
    "docs/guide.md": "See docs/setup.md.\n\nSet `OLD_HOME`.\n",
    "docs/usage.md": "Use --old-flag.\n",
    "shop/A.kt": "package com.shop\n\nclass Keep\nclass Item\n",
    "shop/B.kt": "package com.shop\n\nimport lib.Base\n\nclass Box : Base() { fun get(): Item? = null }\n",
    "shop/C.kt": "package com.shop\n\nimport lib.Base\n\nclass Bag : Base() { fun get(): Item? = null }\n",
}
AFTER = {
    "src/run.sh": "export NEW_HOME=1\n",
    "src/run.py": "run('--new-flag')\n",
    "docs/setup.md": None,
    "docs/install.md": "# Setup\n",
    "shop/A.kt": "package com.shop\n\nclass Keep\n",
}
ROWS = [
    "Item was removed, and shop/B.kt may still use it (and 1 more file): shop/B.kt:5",
    "docs/setup.md, renamed to docs/install.md, is still in docs/guide.md:1",
    "OLD_HOME, removed in src/run.sh:1, is still in docs/guide.md:3",
    "--old-flag, no longer in src/run.py:1, is still in docs/usage.md:1",
]


@pytest.fixture
def forgetful(repository: Repository) -> Repository:
    """Return a repository with a change that left three lines and a removed class behind."""
    repository.commit({**BEFORE}, "before")
    repository.git("checkout", "-q", "-b", "feature")
    repository.commit({**AFTER}, "after")
    return repository


def run(repository: Repository, *arguments: str) -> str:
    """Return the output of a review without a model, which succeeds."""
    done = deeprepo("review", "main..feature", *arguments, cwd=repository.folder, HOME=str(repository.folder.parent))
    assert done.returncode == 0, done.stderr
    return done.stdout


def words(text: str) -> str:
    """Return a text without its line breaks."""
    return " ".join(text.split())


def test_places_are_listed_with_reasons(forgetful: Repository, tmp_path: Path) -> None:
    """The terminal and the comment list each place with its reason. The next push doesn't list it again."""
    shown = words(run(forgetful))
    assert "Places this change may have forgotten" in shown
    assert [row for row in ROWS if row in shown] == ROWS
    last = tmp_path / "review.json"
    run(forgetful, "--format", "json", "--output", str(last))
    places = json.loads(last.read_text())["overlooked"]
    assert [(place["certainty"] == "definition", place["is_known"]) for place in places] == [
        (True, False), *[(False, False)] * 3,
    ]  # fmt: skip
    comment = run(forgetful, "--format", "markdown")
    assert [place for place in places if place["name"] in comment and place["fingerprint"] in comment] == places
    forgetful.commit({"docs/usage.md": "Done.\n", "a.md": "docs/setup.md\n"}, "next push")
    again = run(forgetful, "--previous", str(last))
    assert "Places this change" not in again


def test_ignored_place_is_not_listed(forgetful: Repository) -> None:
    """An entry with a place's ID on the base branch removes the place from the list."""
    (first, *_) = json.loads(run(forgetful, "--format", "json"))["overlooked"]
    forgetful.git("checkout", "-q", "main")
    entry = f"- finding: {first['fingerprint']}\n  reason: on purpose\n"
    forgetful.commit({".deeprepo/ignore.yml": entry}, "ignore it")
    forgetful.git("checkout", "-q", "feature")
    shown = words(run(forgetful))
    assert ROWS[0] not in shown
    assert ROWS[1] in shown
