"""A rename that changes what a file is used for is checked like a deletion and an addition."""

from collections.abc import Mapping

import pytest
from fakes import Repository
from families import few

import deeprepo

Files = Mapping[str, str | None]
INJECTED = "on: issues\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo ${{ github.event.issue.title }}\n"
TABLE = {
    "migrations/1.sql": "CREATE TABLE orders (id INT, total INT);\n",
    "pay.py": 'SQL = "SELECT total FROM orders"\n',
}
UNDEFINED = "def f():\n    return yy\n"
SETTINGS = "timeout_seconds: 3\nretry_count: 2\n"
READER = 'import yaml\n\nC = yaml.safe_load(open(PATH))\n\n\ndef f():\n    return C["timeout_seconds"]\n'
KEY = "-----BEGIN " + "PRIVATE KEY-----\n" + "MIIEpAIBAAKCAQEA7d8sK3mQv1xPz5nR0tYwUeHjLkGfDsAqWzXcVbNmPoIuYtRe\n" * 2
LIVE = {
    "a workflow among documents": ("docs/a.yml", ".github/workflows/a.yml", INJECTED),
    "a text that becomes Python": ("b.txt", "b.py", UNDEFINED),
    "a stub": ("b.pyi", "b.py", UNDEFINED),
    "a test": ("tests/test_b.py", "b.py", UNDEFINED),
    "a template": ("b.py.j2", "b.py", UNDEFINED),
    "a script": ("x.txt", "x.sh", 'if [ "$1" > 3 ]; then echo x; fi\n'),
    "an image": ("Dockerfile.txt.x", "Dockerfile", "FROM a:1\nEXPOSE 70000\n"),
    "a key of tests": ("tests/k.pem", "deploy/k.pem", KEY),
    "JavaScript": ("b.txt", "b.js", "export const a = { k: 1, k: 2 }\n"),
}  # fmt: skip
QUIET = {
    "code in another folder": ("shop/b.py", "cart/b.py", UNDEFINED),
    "code that becomes a test": ("shop/b.py", "tests/b.py", UNDEFINED),
    "TypeScript": ("b.js", "b.ts", "export const a = 1\n"),
    "settings in another folder": ("config.yml", "conf/config.yml", SETTINGS),
    "a workflow that is called like a test": (".github/workflows/ci.yml", ".github/workflows/tests.yml", INJECTED),
    "a document": ("README.md", "docs/index.rst", "words\n"),
    "a picture": ("docs/logo.svg", "assets/logo.svg", "<svg></svg>\n"),
}  # fmt: skip


def rename(
    repository: Repository, old: str, new: str, text: str, base: Files = TABLE, head: str | None = None
) -> deeprepo.Review:
    """Review a change that renames one file."""
    repository.commit({**base, "app.py": READER, old: text}, "before")
    repository.commit({old: None, new: head or text}, "after")
    return deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")


@pytest.mark.parametrize(("old", "new", "text"), few(LIVE.values(), 0, 3, 5, 9))
def test_file_renamed_into_use_is_checked_as_new(repository: Repository, old: str, new: str, text: str) -> None:
    """The renamed file has a finding, as if all its lines were added."""
    review = rename(repository, old, new, text)

    assert new in {finding.path for finding in review.findings}


def test_unchanged_lines_of_a_renamed_and_edited_file_are_checked(repository: Repository) -> None:
    """If a renamed file is also edited, its unchanged lines are still checked."""
    review = rename(repository, "docs/a.yml", ".github/workflows/a.yml", INJECTED, head=f"name: x\n{INJECTED}")

    assert [finding.start for finding in review.findings] == [7]


def test_deleted_file_that_reappears_twice_is_checked_as_new(repository: Repository) -> None:
    """A deleted file that reappears as two files is checked, although git calls one of them a copy."""
    repository.commit({"docs/a.txt": UNDEFINED, "pay.py": "x = 1\n"}, "before")
    repository.commit({"docs/a.txt": None, "b.py": UNDEFINED, "docs/b.txt": UNDEFINED}, "after")
    review = deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")

    assert "b.py" in {finding.path for finding in review.findings}


def test_file_moved_out_of_an_ignored_folder_is_checked_as_new(repository: Repository) -> None:
    """A file that moves out of an ignored or generated folder is checked like a new file."""
    spared = {".deeprepo.yml": "ignore: [legacy/**]\n", ".gitattributes": "made/** linguist-generated\n"}
    repository.commit({**spared, "legacy/b.py": UNDEFINED, "made/c.py": UNDEFINED.replace("yy", "zz")}, "before")
    repository.commit(
        {"legacy/b.py": None, "b.py": UNDEFINED, "made/c.py": None, "c.py": UNDEFINED.replace("yy", "zz")}, "after"
    )
    review = deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")

    assert {finding.path for finding in review.findings} == {"b.py", "c.py"}


@pytest.mark.parametrize(("old", "new", "text"), few(QUIET.values(), 1, 4, 5))
def test_rename_within_one_role_is_not_checked_again(repository: Repository, old: str, new: str, text: str) -> None:
    """A file that keeps its role is not checked again."""
    review = rename(repository, old, new, text)

    assert (review.findings, review.open, review.complete) == ((), (), True)
