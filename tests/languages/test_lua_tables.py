"""A Lua file that returns something else than its table takes every member away."""

import pytest
from fakes import Repository

import deeprepo

MODULE = "local M = {}\nfunction M.total(a)\n  return a\nend\n"
FILES = {"lib.lua": f"{MODULE}return M\n", "pay.lua": 'local lib = require("lib")\nreturn lib.total(1)\n'}


def review(repository: Repository, end: str) -> deeprepo.Review:
    """Review a change of what the file returns."""
    repository.commit(dict(FILES), "before")
    repository.commit({"lib.lua": MODULE + end}, "after")
    return deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")


@pytest.mark.parametrize(
    "end",
    [
        "return nil\n",
        "return setmetatable({}, {})\n",
        "return 1\n",
        "return nil, M\n",
        "return M.total\n",
        'return require("x")\n',
    ],
)
def test_another_result_leaves_the_uses_open(repository: Repository, end: str) -> None:
    """The definition is as it was, and nobody who requires the file gets it."""
    left = review(repository, end)

    assert left.findings or any("total" in row for row in (*left.open, *left.relying))


@pytest.mark.parametrize(
    "end", ["return setmetatable(M, {})\n", "return (M)\n", "local N = M\nreturn N\n", "-- the end\nreturn M\n"]
)
def test_the_same_table_in_other_words_changes_nothing(repository: Repository, end: str) -> None:
    """A second name, brackets, and a metatable of the table itself."""
    left = review(repository, end)

    assert (left.findings, left.open, left.relying) == ((), (), ())
