"""`deeprepo eval forgotten`: what counts as a caller that a project forgot, in histories made for it."""

import asyncio
from collections.abc import Sequence

import pytest
from fakes import Repository

from deeprepo_evals.forgotten_callers import callers, run
from deeprepo_evals.forgotten_callers.search import Report, search

LIBRARY = "def load_rows(): pass\n\n\ndef keep_rows(): pass\n"
BARE = "def keep_rows(): pass\n"
USER = "from store import load_rows, keep_rows\n\nload_rows()\nkeep_rows()\n"
MENDED = "from store import keep_rows\n\nkeep_rows()\n"
Step = dict[str, str | bytes | None]


def find(repository: Repository, steps: Sequence[Step]) -> Report:
    """The report about a history of these commits."""
    for number, step in enumerate(steps):
        repository.git("update-ref", "refs/heads/main", repository.commit(step, f"{number}"))
    return asyncio.run(search(repository.folder, 50))


FIRST: Step = {"readme.txt": "rows\n"}
BEFORE: Step = {"store.py": LIBRARY, "app.py": USER}


def test_a_caller_that_a_later_commit_repairs_is_a_candidate(repository: Repository) -> None:
    """It comes with both commits, the lines that use the name, and how many commits later it was repaired."""
    report = find(repository, [FIRST, BEFORE, {"store.py": BARE}, {"readme.txt": "x\n"}, {"app.py": MENDED}])
    (one,) = report.candidates
    assert (one.name, one.home, one.home_line, one.user, one.lines) == ("load_rows", "store.py", 1, "app.py", (1, 3))
    assert one.later == 2
    assert repository.git("log", "-1", "--format=%s", one.broke) == "2"
    assert repository.git("log", "-1", "--format=%s", one.repair) == "4"


THROWN: dict[str, tuple[list[Step], str]] = {
    "a like name elsewhere": (
        [{**BEFORE, "other.py": "def load_rows(): pass\n"}, {"store.py": BARE}, {"app.py": MENDED}],
        "a like name is defined elsewhere",
    ),
    "a text": (
        [{**BEFORE, "app.py": "import store\n\nX = 'load_rows'  # load_rows\n"}, {"store.py": BARE}, {"app.py": "import store\n"}],
        "only in texts and comments",
    ),
    "a library": (
        [{**BEFORE, "app.py": "from remote import load_rows\n\nload_rows()\n"}, {"store.py": BARE}, {"app.py": "x = 1\n"}],
        "nothing ties the file to the definition",
    ),
    "a guarded import": (
        [
            {**BEFORE, "app.py": "try:\n    from store import load_rows\nexcept ImportError:\n    pass\n"},
            {"store.py": BARE},
            {"app.py": "x = 1\n"},
        ],
        "guarded",
    ),
    "a definition that comes back": (
        [BEFORE, {"store.py": BARE}, {"store.py": LIBRARY}, {"app.py": MENDED}],
        "defined again before the repair",
    ),
    "a definition that moves": (
        [BEFORE, {"store.py": BARE, "place.py": "def load_rows(): pass\n"}, {"app.py": MENDED}],
        "a like name is defined elsewhere",
    ),
    "no definition": (
        [{**BEFORE, "store.py": "print(load_rows)\n" + BARE}, {"store.py": BARE}, {"app.py": MENDED}],
        "not a definition",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", THROWN)
def test_what_is_no_forgotten_caller_is_counted_by_its_reason(repository: Repository, name: str) -> None:
    """Each is thrown out, and the report says why."""
    steps, reason = THROWN[name]
    report = find(repository, [FIRST, *steps])
    assert report.candidates == []
    assert report.reasons[reason] >= 1


def test_a_caller_that_nobody_repairs_is_no_candidate(repository: Repository) -> None:
    """Only a later commit shows that it was forgotten."""
    assert find(repository, [FIRST, BEFORE, {"store.py": BARE}, {"readme.txt": "x\n"}]).candidates == []


def test_each_language_is_searched(repository: Repository) -> None:
    """The parsers of the product read the files: a class of PHP and a function of Go are found alike."""
    before: Step = {
        "src/Order.php": "<?php\nnamespace App;\nclass Order {}\n",
        "src/Cart.php": "<?php\nnamespace App;\nnew Order();\n",
        "a/store.go": "package a\n\nfunc LoadRows() {}\n",
        "a/app.go": "package a\n\nfunc f() { LoadRows() }\n",
    }
    broken: Step = {"src/Order.php": "<?php\nnamespace App;\n", "a/store.go": "package a\n"}
    mended: Step = {"src/Cart.php": "<?php\nnamespace App;\n", "a/app.go": "package a\n\nfunc f() {}\n"}
    report = find(repository, [FIRST, before, broken, mended])
    assert {(one.name, one.user) for one in report.candidates} == {("Order", "src/Cart.php"), ("LoadRows", "a/app.go")}


def test_the_review_names_and_proves_the_caller(repository: Repository) -> None:
    """The table counts it in its half, and says how much later it was repaired."""
    report = find(repository, [FIRST, BEFORE, {"store.py": BARE}, {"app.py": MENDED}])
    repository.folder.rename(repository.folder.with_name("someone+store"))
    listed = callers.of_candidates("someone/store", report.candidates)
    results, absent = asyncio.run(run.review(repository.folder.parent, listed, lambda _: None))
    assert [(one.is_named, one.is_proven) for one in results] == [(True, True)]
    assert absent == []
    assert "app.py:1 load_rows (repaired 1 commit later)" in run.table(results, absent)


def test_the_projects_list_is_whole() -> None:
    """Every row has its commits, its lines and its names; one that was thrown out has the reason."""
    listed = callers.read()
    assert len({(one.repo, one.broke, one.user) for one in listed}) == len(listed)
    for one in listed:
        assert all(len(sha) == 40 for sha in (one.broke, one.parent, one.repair))
        assert one.later >= 1
        assert one.names
        assert all(name.lines for name in one.names)
