"""Cached search results do not change what a search of the next tree finds."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from fakes import Repository

from bot.checkout import Checkout
from bot.machine.fact_files import FactFiles
from bot.values import PullRequest, Query
from deeprepo.impact.reading import memo

QUERIES = (
    Query(["two"]),
    Query(["two"], ["*.py"]),
    Query(["two", "three"], word=True, without=["kept"]),
    Query([r"tw\w\("], syntax="perl"),
    Query(["two"], side="base"),
    Query(["two"], limit=3),
)
FIRST = {"kept/a.py": "two\n\ntwo(1)\n", "b.py": "two\n", "c/gone.py": "two\n", "d.js": "three two()\n", "-e": "two\n"}
PUSHED = {
    "a.py": "three\ntwo(2)\n",
    "b.py": "one\ntwo\ntwo\n",
    "d.js": "four\n",
    "e/\xe9\\x41.py": "two\n",
    "z": b"two\0",
}


@pytest.fixture
def facts(tmp_path: Path) -> Iterator[Path]:
    """Use a new fact store in this process during the test."""
    memo.use_store(FactFiles(tmp_path / "facts"))
    yield tmp_path / "facts"
    memo.use_store(None)


def search(pull: PullRequest) -> list[object]:
    """Run all queries on a change, and return the paths and lines found."""

    async def ask() -> list[object]:
        async with Checkout(pull) as tree:
            return [(await tree.grep(query), await tree.grep_lines(query), tree.stopped_searches) for query in QUERIES]

    return asyncio.run(ask())


def test_cached_searches_do_not_change_the_results(repository: Repository, facts: Path) -> None:
    """The cache changes no result for edited, added, removed and moved files, or missing trees."""
    base = repository.commit({"b.py": "two\n", "x.py": "two\n"}, "base")
    first = repository.commit(FIRST, "first")
    repository.git("rm", "-q", "c/gone.py", "x.py")
    pushed = repository.commit(PUSHED, "pushed")
    pulls = [repository.pull(base, head) for head in (first, pushed, first)]
    kept_rows = [search(pull) for pull in pulls]
    assert len([*facts.glob("[!.]*")]) == 2 * (len(QUERIES) - 1)  # a limit does not add a cache entry
    for file in facts.glob("[!.]*"):  # as if another repository had left it
        text = memo.load(file.name)
        assert text is not None
        memo.keep(file.name, text.replace(first.encode(), b"1" * 40).replace(base.encode(), b"2" * 40))
    elsewhere = search(pulls[1])
    memo.use_store(None)
    anew = [search(pull) for pull in pulls]
    assert kept_rows == anew
    assert elsewhere == anew[1]
    assert anew[0] != anew[1]
