"""`deeprepo eval forgotten`: check whether a review reports a caller that a project forgot to update."""

import asyncio

from fakes import Repository

from deeprepo_evals.forgotten_callers import run
from deeprepo_evals.forgotten_callers.callers import Caller, Name

LIBRARY = "def load_rows(): pass\n\n\ndef keep_rows(): pass\n"
BARE = "def keep_rows(): pass\n"
USER = "from store import load_rows, keep_rows\n\nload_rows()\nkeep_rows()\n"
MENDED = "from store import keep_rows\n\nkeep_rows()\n"


def test_review_proves_the_forgotten_caller(repository: Repository) -> None:
    """The table counts the caller as proven, and shows how many commits later it was repaired."""
    parent = repository.commit({"store.py": LIBRARY, "app.py": USER}, "before")
    broke = repository.commit({"store.py": BARE}, "broken")
    repair = repository.commit({"app.py": MENDED}, "repaired")
    repository.folder.rename(repository.folder.with_name("someone+store"))
    names = (Name("load_rows", "function", "store.py", 1, (1, 3)),)
    listed = [Caller("someone/store", broke, parent, "app.py", repair, 1, names)]
    results, absent = asyncio.run(run.review(repository.folder.parent, listed, lambda _: None))
    assert [(one.is_named, one.is_proven) for one in results] == [(True, True)]
    assert absent == []
    assert "app.py:1 load_rows (repaired 1 commit later)" in run.table(results, absent)
