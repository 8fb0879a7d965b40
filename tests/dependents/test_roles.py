"""A renamed file that becomes something else is a deletion and an addition: what nothing ran or read before, nobody has judged."""

from collections.abc import Callable, Mapping

import pytest
from fakes import Repository
from families import few

import deeprepo
from bot.analyzers import ANALYZERS
from bot.dependents.roles import changes_role
from bot.dependents.schemas.languages import SCHEMAS
from bot.languages import LANGUAGES
from bot.values import ChangedFile

Files = Mapping[str, str | None]
Others = Callable[[str], Repository]
INJECTED = "on: issues\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo ${{ github.event.issue.title }}\n"
DROP = "ALTER TABLE orders DROP COLUMN total;\n"
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
    "a workflow that was put aside": (".github/disabled/a.yml", ".github/workflows/a.yml", INJECTED),
    "a workflow in a folder below": (".github/workflows/old/a.yml", ".github/workflows/a.yml", INJECTED),
    "a draft of a migration": ("drafts/2.sql", "migrations/2.sql", DROP),
    "a draft of a migration as a text": ("drafts/2.sql.txt", "migrations/2.sql", DROP),
    "a way back": ("migrations/2.down.sql", "migrations/2.sql", DROP),
    "a migration in a drawer": ("migrations/later/2.sql", "migrations/2.sql", DROP),
    "a text that becomes Python": ("b.txt", "b.py", UNDEFINED),
    "a stub": ("b.pyi", "b.py", UNDEFINED),
    "a test": ("tests/test_b.py", "b.py", UNDEFINED),
    "a copy of another project": ("vendor/b.py", "b.py", UNDEFINED),
    "a template": ("b.py.j2", "b.py", UNDEFINED),
    "a script": ("x.txt", "x.sh", 'if [ "$1" > 3 ]; then echo x; fi\n'),
    "a script without an ending": ("x", "x.sh", 'if [ "$1" > 3 ]; then echo x; fi\n'),
    "an image": ("Dockerfile.txt.x", "Dockerfile", "FROM a:1\nEXPOSE 70000\n"),
    "a variant of an image": ("Dockerfile.old", "Dockerfile", "FROM a:1\nEXPOSE 70000\n"),
    "a key of tests": ("tests/k.pem", "deploy/k.pem", KEY),
    "a key of a sample": ("k.example.pem", "k.pem", KEY),
    "a key in a document of examples": ("examples/k.md", "k.md", KEY),
    "JavaScript": ("b.txt", "b.js", "export const a = { k: 1, k: 2 }\n"),
}  # fmt: skip
QUIET = {
    "code in another folder": ("shop/b.py", "cart/b.py", UNDEFINED),
    "code that becomes a test": ("shop/b.py", "tests/b.py", UNDEFINED),
    "TypeScript": ("b.js", "b.ts", "export const a = 1\n"),
    "the other ending of YAML": ("config.yml", "config.yaml", SETTINGS),
    "settings in another folder": ("config.yml", "conf/config.yml", SETTINGS),
    "a workflow that is called like a test": (".github/workflows/ci.yml", ".github/workflows/tests.yml", INJECTED),
    "a workflow of another name": (".github/workflows/ci.yml", ".github/workflows/a.yml", INJECTED),
    "a document": ("README.md", "docs/index.rst", "words\n"),
    "a document that leaves its folder": ("docs/guide.md", "guide.md", "words\n"),
    "a key in another folder": ("keys/k.pem", "deploy/k.pem", KEY),
    "a picture": ("docs/logo.svg", "assets/logo.svg", "<svg></svg>\n"),
    "a migration of another number": ("migrations/2.sql", "migrations/3.sql", DROP),
}  # fmt: skip


def rename(
    repository: Repository, old: str, new: str, text: str, base: Files = TABLE, head: str | None = None
) -> deeprepo.Review:
    """Review a change that renames one file."""
    repository.commit({**base, "app.py": READER, old: text}, "before")
    repository.commit({old: None, new: head or text}, "after")
    return deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")


@pytest.mark.parametrize(("old", "new", "text"), few(LIVE.values(), 0, 3, 5, 9))
def test_what_a_rename_makes_live_is_judged_like_a_new_file(
    repository: Repository, old: str, new: str, text: str
) -> None:
    """Every line of it counts as added, and what was reported about it under its old path counts for nothing."""
    review = rename(repository, old, new, text)

    assert new in {finding.path for finding in review.findings}


def test_an_edit_beside_a_rename_hides_nothing(repository: Repository) -> None:
    """The lines that the change leaves as they were are live now, too."""
    review = rename(repository, "docs/a.yml", ".github/workflows/a.yml", INJECTED, head=f"name: x\n{INJECTED}")

    assert [finding.start for finding in review.findings] == [7]


def test_what_a_deleted_file_becomes_twice_is_new(repository: Repository) -> None:
    """Git calls one of the two a copy."""
    repository.commit({"docs/a.txt": UNDEFINED, "pay.py": "x = 1\n"}, "before")
    repository.commit({"docs/a.txt": None, "b.py": UNDEFINED, "docs/b.txt": UNDEFINED}, "after")
    review = deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")

    assert "b.py" in {finding.path for finding in review.findings}


def test_what_the_owner_no_longer_spares_is_judged(repository: Repository) -> None:
    """A file that leaves what `ignore` or `.gitattributes` of the base name is the change's."""
    spared = {".deeprepo.yml": "ignore: [legacy/**]\n", ".gitattributes": "made/** linguist-generated\n"}
    repository.commit({**spared, "legacy/b.py": UNDEFINED, "made/c.py": UNDEFINED.replace("yy", "zz")}, "before")
    repository.commit(
        {"legacy/b.py": None, "b.py": UNDEFINED, "made/c.py": None, "c.py": UNDEFINED.replace("yy", "zz")}, "after"
    )
    review = deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")

    assert {finding.path for finding in review.findings} == {"b.py", "c.py"}


@pytest.mark.parametrize("new", ["config.yml.j2", "config.txt", "tests/config.yml", "config"])
def test_settings_that_nothing_parses_any_more_are_gone(repository: Repository, new: str) -> None:
    """Their readers are listed, as if the file was deleted."""
    review = rename(repository, "config.yml", new, SETTINGS, base={})

    assert any("timeout_seconds is gone" in row for row in review.relying), review.relying


@pytest.mark.parametrize(("old", "new", "text"), few(QUIET.values(), 1, 4, 5, 8))
def test_a_move_within_a_role_stays_quiet(repository: Repository, old: str, new: str, text: str) -> None:
    """What was judged under its old path is not judged again."""
    review = rename(repository, old, new, text)

    assert (review.findings, review.open, review.complete) == ((), (), True)


def test_a_consumer_is_told_what_becomes_live(repository: Repository, repositories: Others) -> None:
    """A draft that becomes a migration breaks those who use its column."""
    repository.commit({"db/migrations/1.sql": TABLE["migrations/1.sql"], "drafts/2.sql": DROP}, "before")
    repository.commit({"drafts/2.sql": None, "db/migrations/2.sql": DROP}, "after")
    other = repositories("billing")
    other.commit({"pay.py": 'SQL = "SELECT orders.total FROM orders"\n'}, "uses it")
    review = deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none", consumers=[other.folder])

    assert any(item.path == "billing:pay.py" for one in review.findings for item in one.evidence)


NAMES = [
    "b.py", "b.pyi", "b.pyw", "b.pyx", "b.txt", "b.md", "b.js", "b.ts", "b.vue", "b.sh", "b.ksh", "b.go", "b.java", "b.sql", "b.ddl",
    "b.proto", "b.graphql", "b.json", "b.yml", "b.yml.j2", "b", "Dockerfile", "Dockerfile.x", "action.yml", "action.txt",
]  # fmt: skip
FOLDERS = ["", "docs/", "tests/", "vendor/", ".github/workflows/", ".github/", "migrations/"]
SPARED = {"schemas"}  # asks of both paths of a renamed file by itself


@pytest.mark.parametrize("check", sorted(ANALYZERS.keys() - SPARED))
def test_a_check_that_begins_to_want_a_file_makes_it_another(check: str) -> None:
    """Whatever a check wants of the new path and not of the old one, the rename changes the file's role."""
    analyzer = ANALYZERS[check](LANGUAGES)
    paths = [folder + name for folder in FOLDERS for name in NAMES]
    wanted = {path: analyzer.wants(ChangedFile(path, None, "added", added_lines=frozenset({1}))) for path in paths}

    assert [
        (old, new) for old in paths for new in paths if wanted[new] > wanted[old] and not changes_role(old, new)
    ] == []


def test_a_file_that_becomes_a_migration_is_another() -> None:
    """What the check of SQL wants, it wants of added statements."""
    paths = [folder + name for folder in FOLDERS for name in NAMES]

    assert [
        (old, new) for old in paths for new in paths
        if SCHEMAS["sql"].wants(new) > SCHEMAS["sql"].wants(old) and not changes_role(old, new)
    ] == []  # fmt: skip
