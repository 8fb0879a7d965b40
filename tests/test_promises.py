"""Each row of PROMISES.md refers to tests or benchmarks that exist."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROW = re.compile(r"^\| (\d+) \| (.+) \| (.+) \|$")
PAGE = (ROOT / "tests" / "PROMISES.md").read_text(encoding="utf-8")
ROWS = [match.groups() for line in PAGE.splitlines() if (match := ROW.match(line))]
HELD = [(number, promise, holder) for number, promise, holders in ROWS for holder in holders.split("; ")]


@cache
def functions(file: Path) -> set[str]:
    """Return the names of all functions and methods in a test file."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


@pytest.mark.parametrize(("number", "promise", "holder"), HELD, ids=[number for number, _, _ in HELD])
def test_each_promise_refers_to_an_existing_test(number: str, promise: str, holder: str) -> None:
    path, _, name = holder.strip("`").partition("::")
    file = ROOT / path
    assert file.is_file(), (
        f"Promise {number} ({promise}) is held by {path}, which is gone. Name another holder before you delete this one."
    )
    assert not name or name in functions(file), (
        f"Promise {number} ({promise}) is held by {holder}, which is gone. Name another holder first."
    )


def test_each_promise_has_a_unique_number() -> None:
    numbers = [int(number) for number, _, _ in ROWS]
    assert len(set(numbers)) == len(numbers) >= 219
