"""The lines that still contain what a change took away, in any text file."""

import asyncio

import pytest
from fakes import Repository

from deeprepo.impact.forgotten.find import ForgottenPlace, find
from deeprepo.impact.git import GitTree

Files = dict[str, str | bytes | None]


def left(repository: Repository, before: Files, after: Files) -> tuple[ForgottenPlace, ...]:
    """Return the lines that the change from `before` to `after` may have forgotten."""
    pull = repository.change(before, after)
    tree = GitTree(str(repository.folder), pull.base, pull.head)

    async def run() -> tuple[ForgottenPlace, ...]:
        return await find(tree, await tree.changed(), lambda path: path.startswith("made/"))

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("path", "before", "after", "asker", "line", "name"),
    [
        ("app.py", "def sum_up():\n    pass\n", "def add_up():\n    pass\n", "docs/a.md", "Call `sum_up`.", "sum_up"),
        ("app.py", "run('--old-flag')\n", "run('--new-flag')\n", "Makefile", "\tapp --old-flag", "--old-flag"),
        ("conf.yaml", "retry_limit: 3\n", "retries: 3\n", "docs/a.md", "Set `retry_limit`.", "retry_limit"),
        ("conf.toml", "[tool.old_part]\n", "[tool.part]\n", "ci.sh", "read tool.old_part", "tool.old_part"),
        ("a.sql", "CREATE TABLE t (\n  paid_at DATE,\n  b INT\n);\n", "CREATE TABLE t (\n  b INT\n);\n", "x.sh", "paid_at", "paid_at"),
        ("Makefile", "pack-all: x\n\tcc\n", "build: x\n\tcc\n", ".github/workflows/a.yml", "script: make pack-all", "pack-all"),
        ("a.sh", "export OLD_HOME=1\n", "export NEW_HOME=1\n", "Dockerfile", "RUN $OLD_HOME", "OLD_HOME"),
        ("docs/b.md", "# First steps\n", "# Steps\n", "docs/a.md", "[b](b.md#first-steps)", "b.md#first-steps"),
    ],
)  # fmt: skip
def test_name_that_a_file_gave_is_found(
    repository: Repository, path: str, before: str, after: str, asker: str, line: str, name: str
) -> None:
    """Definitions, keys, targets, fields, columns, variables, options and headings are found where they are left."""
    (place,) = left(repository, {path: before, asker: f"first\n{line}\n"}, {path: after})
    assert (place.path, place.line, place.name, place.source) == (asker, 2, name, path)


@pytest.mark.parametrize(
    ("old", "asker", "line"),
    [
        ("docs/b.md", "docs/c/a.md", "[b](../b.md)"),
        ("scripts/run.sh", ".github/workflows/a.yml", "  run: bash scripts/run.sh"),
        ("tools/win/a.c", ".github/labeler.yml", "- 'tools/win/**'"),
        ("docs/guide/part.md", "sidebar.json", '"guide/part"'),
    ],
)
def test_path_that_leads_nowhere_is_certain(repository: Repository, old: str, asker: str, line: str) -> None:
    """A path relative to its file, to the root or to a folder led to a file or folder that was moved."""
    places = left(
        repository, {old: "text of the file\n", asker: f"{line}\n"}, {old: None, "new/place.x": "text of the file\n"}
    )
    assert [(place.path, place.line, place.certainty) for place in places] == [(asker, 1, "certain")]


@pytest.mark.parametrize(
    "rest",
    [
        {"b.md": "`old_name`\n" * 20},
        {"made/b.md": "`old_name`\n"},
        {"vendor/b.md": "`old_name`\n"},
        {"CHANGES.md": "## 1.2\nx\n## 1.1\nnew: `old_name`\n## 1.0\ny\n"},
        {"b.md": "old_name_of_others, v1.2.3\n"},
    ],
)
def test_common_names_and_files_that_nobody_edits_are_not_listed(repository: Repository, rest: Files) -> None:
    """Names with many other uses, versions, generated and vendored files and change logs are left out."""
    assert left(repository, {"a.yaml": "old_name: v1.2.3\n", **rest}, {"a.yaml": "name: 1\n"}) == ()


def test_name_that_is_still_given_is_not_listed(repository: Repository) -> None:
    """A name that moved to another file or that another file gives, and a path that still leads to a file, are not gone."""
    before: Files = {
        "a.yaml": "old_name: 1\nx: 1\n",
        "b.md": "`old_name` in [c](c/d.md)\n",
        "c/d.md": "text\n",
        "e/c/d.md": "other\n",
    }
    assert left(repository, before, {"a.yaml": "x: 1\n", "f.yaml": "old_name: 1\n", "e/c/d.md": None}) == ()
    before = {"a.py": "def old_name(): ...\n", "b.go": "package b\n\nfunc old_name() {}\n"}
    assert left(repository, before, {"a.py": "x = 1\n"}) == ()


def test_word_that_lines_only_used_is_not_looked_for_in_code(repository: Repository) -> None:
    """A word that nothing gave is listed in documents, and in code if it was removed often and no other line has it."""
    before: Files = {"a.md": "the `old_name`\n", "b.py": 'use("old_name")\n', "c.md": "`old_name`\n"}
    assert [place.path for place in left(repository, before, {"a.md": "the\n"})] == ["c.md"]
    before = {"a.py": "run(conf.last_name)\n" * 3, "b.py": "last_name = 1\n"}
    assert [place.path for place in left(repository, before, {"a.py": "run()\n"})] == ["b.py"]


def test_lines_of_edited_files_come_first_and_four_at_most(repository: Repository) -> None:
    """Paths come first, then the rarest names; at most four in all."""
    names = [f"old_name_{letter}" for letter in "abcdefghijkl"]
    before: Files = {
        "conf.yaml": "".join(f"{name}: 1\n" for name in names),
        "docs/b.md": "text of the page\n",
        "z.md": "".join(f"{name}\n" for name in names) + "docs/b.md\n",
    }
    after: Files = {"conf.yaml": "x: 1\n", "docs/b.md": None, "z.md": f"new\n{before['z.md']}"}
    places = left(repository, before, after)
    assert len(places) == 4
    assert (places[0].path, places[0].line, places[0].certainty) == ("z.md", 14, "certain")
