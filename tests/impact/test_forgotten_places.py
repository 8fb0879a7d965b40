"""The lines that still contain what a change took away, in any text file."""

import asyncio

import pytest
from fakes import Repository

from deeprepo.impact.forgotten.find import find
from deeprepo.impact.forgotten.values import ForgottenPlace
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


@pytest.mark.parametrize(
    ("path", "before", "after", "asker", "line", "name"),
    [
        ("a.ts", "read(process.env.MAIL_KEY)\n", "read(1)\n", "Dockerfile", "ENV MAIL_KEY=x", "MAIL_KEY"),
        ("a.py", "class A:\n    mail_key: int\n", "class A:\n    key: int\n", ".env", "MAIL_KEY=x", "MAIL_KEY"),
        ("a.md", "the `old_name`\n", "the\n", "c.md", "`old_name`", "old_name"),
        ("a.py", 'x = {"old_name": 1}\n', 'x = {"name": 1}\n', "b.py", 'y["old_name"]', "old_name"),
        ("a.py", 'x = ["pages/old/a.txt"]\n', "x = []\n", "b.py", "# files of `pages/old`", "pages/old"),
        ("a.md", "https://a.org/old\n", "https://a.org/new\n", "b.md", "see https://a.org/old", "a.org/old"),
    ],
)  # fmt: skip
def test_name_that_removed_lines_only_used_is_found_where_it_can_refer(
    repository: Repository, path: str, before: str, after: str, asker: str, line: str, name: str
) -> None:
    """Variables of the environment, keys, quoted texts, code in documents, folders and addresses are found."""
    (place,) = left(repository, {path: before, asker: f"{line}\n"}, {path: after})
    assert (place.path, place.name) == (asker, name)


@pytest.mark.parametrize(
    ("path", "before", "asker", "line"),
    [
        ("a.py", "old_name(1)\n", "b.md", "the `old_name`"),
        ("a.yaml", "old_name: 1\n", "b.md", "the old_name of it"),
        ("a.json", '{"a": "Récupérer élément"}\n', "b.json", '{"b": "Récupérer tout"}'),
        ("a.yaml", "- old_name: 1\n", "b.po", "#: old_name"),
        ("a.py", "def old_name(): ...\n", "LICENSE", "`old_name`"),
        ("test_a.py", 'x = "old_name"\n', "b.md", "`old_name`"),
        ("a.yaml", "x: (b.toml|old)\n", "c.yaml", "- b.toml"),
        ("a.ts", "const oldName = 1;\n", "b.ts", "  const oldName = f();"),
    ],
)
def test_place_that_cannot_refer_is_not_listed(
    repository: Repository, path: str, before: str, asker: str, line: str
) -> None:
    """Sentences, messages, licenses, words of tests, paths that exist and names with an own definition are left out."""
    assert left(repository, {path: before, "b.toml": "x = 1\n", asker: f"{line}\n"}, {path: "x\n"}) == ()


@pytest.mark.parametrize(
    ("path", "before", "asker", "line"),
    [
        ("app/tasks.py", "def check_it(): ...\n", "app/plan.py", 'run("app.tasks.check_it")'),
        ("package.json", '{"scripts": {"check_it": "x"}}\n', ".github/workflows/a.yml", "  - run: npm run check_it"),
        ("a/_b.tpl", '{{- define "check_it" -}}\n', "a/c.yaml", 'x: {{ include "check_it" . }}'),
    ],
)
def test_form_that_only_users_write_is_certain(
    repository: Repository, path: str, before: str, asker: str, line: str
) -> None:
    """A dotted path, a script that a workflow runs and an included template are certain, however common the name is."""
    rest = {"other.md": "`check_it`\n" * 9, asker: f"{line}\n"}
    (place,) = left(repository, {path: before, **rest}, {path: "{}\n"})
    assert (place.path, place.name, place.certainty) == (asker, "check_it", "certain")


@pytest.mark.parametrize(
    ("old", "asker", "line", "name"),
    [
        ("faqs/can't-x.md", "a.md", "[x](faqs/can't-x.md)", "faqs/can't-x.md"),
        (".lint.yml", "a.yml", "- .lint.yml", ".lint.yml"),
        ("d/e.md", "a.rb", '"https://github.com/a/b/blob/main/d/e.md"', "//github.com/a/b/blob/main/d/e.md"),
        ("Project/a.cs", "a.csproj", "</Project>", ""),
        ("lib/one/a.rb", "a.md", "`one/a` moved to `two/a`", ""),
        ("src/one.rs", "b.rs", "  .one()", ""),
    ],
)
def test_path_is_read_as_its_file_writes_it(repository: Repository, old: str, asker: str, line: str, name: str) -> None:
    """Apostrophes, leading dots and own addresses belong to paths; closing tags, calls and told moves are none."""
    places = left(repository, {old: "text\n", asker: f"{line}\n"}, {old: None, "lib/two/a.rb": "text\n"})
    assert [place.name for place in places] == ([name] if name else [])


def test_four_places_at_most_and_two_of_a_file(repository: Repository) -> None:
    """Paths come first, then each name once, with the number of its further files."""
    before: Files = {
        "conf.yaml": "old_name_a: 1\nold_name_b: 1\n",
        "docs/b.md": "text of the page\n",
        "y.md": "`old_name_b`\n",
        "z.md": "`old_name_a`\n`old_name_b`\n`docs/b.md`\n",
        **{f"{letter}.md": "`old_name_a`\n" for letter in "cdef"},
    }
    places = left(repository, before, {"conf.yaml": "x: 1\n", "docs/b.md": None})
    assert [(place.path, place.name, place.more_files) for place in places] == [
        ("z.md", "docs/b.md", 0),
        ("y.md", "old_name_b", 0),
        ("c.md", "old_name_a", 4),
        ("z.md", "old_name_b", 0),
    ]
