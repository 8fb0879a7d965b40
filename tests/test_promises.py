"""Each row of PROMISES.md refers to a page, a heading, and tests or benchmarks that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TABLE = (ROOT / "tests" / "PROMISES.md").read_text(encoding="utf-8")
ROWS = [line.strip("| ").split(" | ") for line in TABLE.splitlines() if re.match(r"\| \d", line)]


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub spells them."""
    headings = re.findall(r"^#{1,6} (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_row_names_a_heading_and_at_most_two_tests_that_exist(row: list[str]) -> None:
    _, _, place, tests = row
    page, _, heading = place.partition("#")
    assert heading in anchors(ROOT / page), f"{page} has no heading {heading}. On which page is this promised?"
    holders = [test.strip("`").partition("::") for test in tests.split("; ")]
    assert len(holders) <= 2
    missing = [
        f"{path}::{name}" for path, _, name in holders if f"def {name}(" not in (ROOT / path).read_text() and name
    ]
    assert not missing, "Name another test, or drop the promise together with its sentence on the page."


def test_there_are_at_most_160_promises_with_unique_numbers() -> None:
    assert 100 < len({row[0] for row in ROWS}) == len(ROWS) <= 160
