"""Copies of a model's finding: other changed lines with identical text are listed below it."""

from dataclasses import replace

import pytest

from bot.findings import copies
from bot.values import Basis, ChangedFile, DiffLine, Finding, Hunk, Source

LINE = "        logger.exception(error)"
FINDING = Finding("a.py", LINE, "t", "w", "c", "high", "logic", Basis((Source("model", "m"),)), start=2, end=2)


def changed(path: str, *lines: str, kind: str = "+") -> ChangedFile:
    """Return a changed file whose lines are all added, or of another kind."""
    rows = tuple(DiffLine(kind, text, None, at) for at, text in enumerate(lines, 1))
    return ChangedFile(path, path, "modified", (Hunk(0, 0, 1, len(lines), rows),))


def named(finding: Finding, *files: ChangedFile) -> list[tuple[str, int, str]]:
    """Return the locations in the finding's evidence, with their notes."""
    return [(item.path, item.line, item.note) for item in copies.with_copies(finding, files).evidence]


def test_copies_of_a_finding_are_listed() -> None:
    """Copies in another file, with any indentation, and further down in the same file are listed."""
    files = changed("a.py", "x", LINE, "y", "", "", "", LINE), changed("b.py", "logger.exception(error)")
    assert named(FINDING, *files) == [("a.py", 7, copies.SAME_LINE), ("b.py", 1, copies.SAME_LINE)]


@pytest.mark.parametrize(
    "finding",
    [
        replace(FINDING, quote="    else:"),
        replace(FINDING, basis=Basis((Source("analyser", "contracts"),))),
        replace(FINDING, side="base"),
    ],
)
def test_short_lines_and_static_check_findings_list_no_copies(finding: Finding) -> None:
    assert named(finding, changed("b.py", finding.quote)) == []


def test_copy_in_a_test_is_listed_only_for_a_finding_in_a_test() -> None:
    """A copy in a test is listed only for a finding in a test."""
    elsewhere = changed("tests/test_b.py", LINE)
    assert named(FINDING, elsewhere) == []
    assert named(replace(FINDING, path="tests/test_a.py"), elsewhere) == [("tests/test_b.py", 1, copies.SAME_LINE)]


def test_unchanged_or_very_common_lines_are_not_listed() -> None:
    """Unchanged lines and lines that occur very often are not listed."""
    assert named(FINDING, changed("b.py", LINE, kind=" ")) == []
    assert named(FINDING, changed("b.py", *[LINE] * (copies.MOST_EQUAL + 1))) == []
