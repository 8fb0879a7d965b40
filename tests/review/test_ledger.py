import pytest
from diff_rows import rows

from bot.findings import read
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


@pytest.mark.parametrize(
    ("told", "judged"),
    [
        ([], ()),
        (["none", "shop.py", "shop.py | ", "shop.py | all of it", "shop.py | 1", "shop.py | 7"], ()),
        (["shop/shop.py | 2", "SHOP.PY | 2", "./shop.py | 2"], ()),
        (["shop.py | 5"], (UNIT, OTHER)),
        (["shop.py | return   order.total * 2"], (UNIT, OTHER)),
        (["shop.py | 2 | Totals | doubles them"], (UNIT, OTHER)),
    ],
)
def test_answer_judges_the_shown_regions_of_files_that_it_names_with_a_changed_line(
    told: list[str], judged: tuple[Unit, ...]
) -> None:
    """A file counts only under its whole path, with the number or the text of one of its changed lines."""
    kept = tracker()
    kept.judge([UNIT, OTHER], read.judged({"files": told}), "worker")
    assert set(kept.unread()) == {UNIT, OTHER} - {*judged}


def test_answer_judges_only_what_it_was_shown() -> None:
    """Another region of a named file stays open, and so does a line that uses what changed, unless it was shown, too."""
    kept = tracker()
    kept.judge([OTHER], {("shop.py", "5")}, "worker")
    assert kept.unread() == (UNIT,)
    assert [row.read for row in kept.coverage().readings if row.kind == "use"] == [""]
    kept.judge([UNIT], {("shop.py", "2")}, "worker", {("till.py", 9)})
    assert [row.read for row in kept.coverage().readings if row.kind == "use"] == ["worker"]


def test_coverage_lists_unread_code_with_the_reason() -> None:
    """The coverage lists unread regions, skipped files, and what a limit left out."""
    kept = tracker()
    coverage = kept.coverage()
    assert [(row.kind, row.name, row.state, row.reason) for row in coverage.readings] == [
        ("unit", "pay", "unread", "no model answered for this file"),
        ("unit", "ship", "unread", "no model answered for this file"),
        ("use", "shop.py:pay", "relies", "the parameters of pay changed"),
    ]
    assert coverage.skipped_files == (("yarn.lock", "lock file"),)
    assert coverage.cut == ("12 files were left out",)
    assert not coverage.complete
