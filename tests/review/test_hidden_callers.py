"""Callers that git takes for binary: they are searched like others, or open."""

import asyncio
from pathlib import Path

import pytest
from fakes import Repository

from bot import wiring
from bot.values import Review, ReviewRequest

LIBRARY = "export function total(a) {\n  return a;\n}\n"
CALLER = 'import { total } from "./lib.js";\n// NOTE\nconsole.log(total(1));\n'
SHARP = "namespace X {{ public class Lib {{ public static int LoadAll(int a{}) {{ return a; }} }} }}\n"
USER = "\ufeffnamespace X { public class App { public int Run() { return BODY; } } }\n"


def review(repository: Repository, scratch: Path) -> Review:
    return asyncio.run(wiring.local_review(ReviewRequest(str(repository.folder)), {"effort": "none"}, str(scratch)))


@pytest.mark.parametrize("when", ["before", "in the change"])
@pytest.mark.parametrize("note", ["a\0b", "\0"])
def test_a_nul_byte_hides_no_caller(repository: Repository, tmp_path: Path, when: str, note: str) -> None:
    """Programs run such a file, and git searches it if it is told to."""
    caller = CALLER.replace("NOTE", note)
    repository.commit({"lib.js": LIBRARY, "cart.js": caller if when == "before" else CALLER}, "before")
    repository.git("checkout", "-qb", "feature")
    repository.commit({"lib.js": LIBRARY.replace("total", "sum"), "cart.js": caller}, "after")
    assert [placed.finding.path for placed in review(repository, tmp_path).findings] == ["cart.js"]


def test_a_nul_byte_hides_no_reader_of_a_key(repository: Repository, tmp_path: Path) -> None:
    """The same for names that no syntax ties together."""
    repository.commit(
        {".env.example": "SHOP_URL=1\n", "a.js": "const s = `a\0b`;\nconsole.log(process.env.SHOP_URL);\n"}, "before"
    )
    repository.git("checkout", "-qb", "feature")
    repository.commit({".env.example": "STORE_ADDRESS=1\n"}, "after")
    assert [row.path for row in review(repository, tmp_path).coverage.relying] == ["a.js"]


@pytest.mark.parametrize(("body", "is_open"), [("Lib.LoadAll(1, 2)", True), ("1", False)])
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_caller_in_another_encoding_is_open(
    repository: Repository, tmp_path: Path, encoding: str, body: str, is_open: bool
) -> None:
    """No search reads UTF-16: the file is named if it may hold what is looked for."""
    repository.commit({"A.cs": SHARP.format(", int b"), "B.cs": USER.replace("BODY", body).encode(encoding)}, "before")
    repository.git("checkout", "-qb", "feature")
    repository.commit({"A.cs": SHARP.format("")}, "after")
    assert any("B.cs" in row.reason for row in review(repository, tmp_path).coverage.open) is is_open
