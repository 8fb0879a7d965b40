"""Find removals that broke a consumer in two real histories, and check whether the review names them."""

import asyncio
import json
from pathlib import Path

import pytest
from fakes import Repository

from deeprepo_evals.consumers import run

LIBRARY = {
    "pyproject.toml": '[project]\nname = "quotes"\n',
    "quotes/__init__.py": "def total_tax(cents):\n    return cents\n\n\ndef quote(cents):\n    return cents\n",
}
ASKED = {"requirements.txt": "quotes<2\n"}
ADAPTED = {"pay.py": "from quotes import quote\n\nquote(3)\n"}


def dated(repository: Repository, day: int) -> Repository:
    """Set the date of the next commits in the repository."""
    repository.env |= {f"GIT_{who}_DATE": f"2026-01-{day:02}T12:00:00Z" for who in ("AUTHOR", "COMMITTER")}
    return repository


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A library that removes a function on the 10th, which its consumer uses from the 5th until the 20th."""
    library, consumer = Repository(tmp_path / "acme+quotes"), Repository(tmp_path / "acme+billing")
    dated(library, 1).commit(dict(LIBRARY), "first")
    dated(consumer, 5).commit({**ASKED, "pay.py": "from quotes import total_tax\n\ntotal_tax(3)\n"}, "uses it")
    dated(library, 8).commit({"quotes/more.py": "A = 1\nB = 2\nC = 3\n"}, "ordinary")
    dated(library, 10).commit({"quotes/__init__.py": "def quote(cents):\n    return cents\n"}, "drops it")
    dated(consumer, 20).commit(dict(ADAPTED), "adapted")
    (tmp_path / "pairs.txt").write_text("# library consumer language name\nacme/quotes acme/billing python quotes\n")
    return tmp_path


def test_removal_that_broke_a_consumer_is_a_case(folder: Path) -> None:
    """The removal is found by text and dates, and the review proves the use. Ordinary commits count too."""
    (folder / "out").mkdir()
    plan = run.Plan(folder, folder / "out", each=5, ordinary=5)
    rows = asyncio.run(run.measure(plan, run.pairs(folder / "pairs.txt")))
    cases = [row for row in rows if row["kind"] == "case"]
    assert [(row["name"], row["uses"], row["named"]) for row in cases] == [("total_tax", {"pay.py": [1, 3]}, "proven")]
    assert "| all | | | 1 | 1 | 1 | 0 |" in run.table(rows)
    kept = json.loads((folder / "out" / "acme+quotes--acme+billing.json").read_text())
    assert asyncio.run(run.measure(plan, run.pairs(folder / "pairs.txt"))) == kept == rows
