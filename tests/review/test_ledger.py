from dataclasses import replace

from diff_rows import rows

from bot.review import coverage
from bot.values import ChangedFile, ChangedSymbol, Definition, Dependent, Dependents, Reference, Unit
from deeprepo.impact import structs
from deeprepo.impact.values import Arguments

BODY = "def pay(order):\n    return order.total * 2"
UNIT = Unit(
    "shop.py:pay",
    "shop.py",
    "pay",
    1,
    2,
    "head",
    BODY,
    rows("     1 def pay(order):\n+    2     return order.total * 2"),
    risk=3,
)
OTHER = Unit(
    "shop.py:ship",
    "shop.py",
    "ship",
    5,
    6,
    "head",
    "def ship():\n    return None",
    rows("+    5 def ship():\n+    6     return None"),
)
CALL = Reference(
    "shop.py:pay", "pay", "till.py", 9, "    total = pay(order)", "close", (8, 12), "bound", arguments=Arguments()
)
FILES = (
    ChangedFile("shop.py", "shop.py", "modified"),
    ChangedFile("yarn.lock", "yarn.lock", "modified", skip="lock file"),
)
PAY = Definition("pay", path="shop.py", start=1, end=2)
USERS = Dependents(
    symbols=(ChangedSymbol(structs.replace(PAY, side="base"), PAY, "signature", ("parameters",)),),
    files=(Dependent("till.py", "shop.py", frozenset({"pay"}), 1),),
    references=(CALL,),
    cut=("12 files were left out",),
)


def tracker() -> coverage.CoverageTracker:
    return coverage.CoverageTracker([UNIT, OTHER], FILES, USERS)


def test_path_in_a_prompt_does_not_count_as_reading_the_code() -> None:
    """A prompt that only lists paths doesn't count as reading the code."""
    kept = tracker()
    assert kept.saw("please look at shop.py, pay and ship in shop.py:pay", "worker") == 0
    assert kept.unread() == (UNIT, OTHER)


def test_region_counts_as_read_if_a_prompt_contains_its_text() -> None:
    """A region counts as read if a prompt contains its text, including the root model's prompts."""
    kept = tracker()
    assert kept.saw(f"What is wrong here?\n{BODY}\nThanks.", "root") == 1
    assert kept.unread() == (OTHER,)


def test_region_counts_as_read_if_a_prompt_contains_its_changed_lines() -> None:
    """A region counts as read if a prompt contains all its changed lines."""
    assert (
        tracker().saw("@@ -1 +1 @@\n+2     return order.total * 2\n+5 def ship():\n+6     return None\n", "root") == 2
    )


def test_coverage_lists_unread_code_with_the_reason() -> None:
    """The coverage lists unread regions, skipped files, and what a limit left out."""
    kept = tracker()
    coverage = kept.coverage("no model was asked")
    assert [(row.kind, row.name, row.state, row.reason) for row in coverage.readings] == [
        ("unit", "pay", "unread", "no model was asked"),
        ("unit", "ship", "unread", "no model was asked"),
        ("use", "shop.py:pay", "relies", "the parameters of pay changed"),
    ]
    assert coverage.skipped_files == (("yarn.lock", "lock file"),)
    assert coverage.cut == ("12 files were left out",)
    assert not coverage.complete


def test_same_changed_line_in_two_files_is_counted_for_each_file() -> None:
    """If two files have the same changed line, a prompt with one of them counts only for that file."""
    one = Unit(
        "a.py:lines 1-1",
        "a.py",
        "lines 1-1",
        1,
        1,
        "head",
        "# Copyright 2026",
        rows("-1 # Copyright 2025\n+1 # Copyright 2026"),
    )
    other = replace(
        one,
        id="b.py:lines 1-1",
        path="b.py",
        text="# Copyright 2026\n\nimport os",
        rows=(*one.rows, *rows("+3 import os")),
    )
    kept = coverage.CoverageTracker([one, other], FILES, Dependents())
    assert kept.saw(f"--- b.py ---\n{other.diff}", "worker") == 1
    assert kept.unread() == (one,)
    assert kept.saw(f"--- a.py ---\n{one.diff}", "worker") == 1
