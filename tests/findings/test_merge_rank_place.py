from dataclasses import replace

import pytest

from bot.findings import merge, placing
from bot.values import Basis, ChangedFile, Evidence, Finding, PlacedFinding, Source, Verdict
from tests.findings_changed import changed

BASE = Finding(
    "a.py",
    "x = f(1)",
    "f takes no argument",
    "w",
    "c",
    "high",
    "logic",
    Basis((Source("model", "m", "worker"),)),
    start=5,
    end=5,
)


def test_proven_finding_absorbs_an_unproven_one_on_its_line() -> None:
    """A proven finding absorbs an unproven one on its line, with its evidence and source."""
    proven = changed(
        BASE,
        title="call breaks",
        sources=(Source("analyser", "contracts"),),
        verdict=Verdict.PROVEN,
        evidence=(Evidence("b.py", "def f():", 1),),
    )
    other = replace(BASE, evidence=(Evidence("c.py", "f()", 3),))
    (found,) = merge.merge([other, proven])
    assert (found.title, found.verdict, found.source) == ("call breaks", "proven", "contracts + worker m")
    assert [item.path for item in found.evidence] == ["b.py", "c.py"]


def test_two_passes_reporting_nearby_lines_give_one_finding() -> None:
    """Findings from different passes on nearby lines are merged, but not two from the same pass."""
    first, second = (Source("model", "m", "worker", view=view) for view in ("diff", ""))
    one = changed(BASE, title="Errors of the new endpoint are not documented", sources=(first,))
    other = changed(
        BASE, quote="y", start=8, end=8, title="The documented responses leave out errors", sources=(second,)
    )
    assert len(merge.merge([one, other])) == 1
    assert len(merge.merge([one, changed(other, sources=(first,))])) == 2
    assert len(merge.merge([one, replace(other, start=14, end=14)])) == 2


def test_different_claims_on_one_line_stay_separate() -> None:
    """Different claims stay separate, unless two passes report them in one category on one line."""
    one = replace(BASE, title="Every update sets the whole base map anew and mounts all layers again")
    other = replace(BASE, title="The light of extrusions is lost because it was only set for the first style")
    found = list(merge.merge([one]))
    merge.add_or_replace(found, other)
    assert [finding.title for finding in found] == [one.title, other.title]
    readings = [changed(one, sources=(Source("model", "m", "worker", view=view),)) for view in ("diff", "")]
    assert len(merge.merge([readings[0], replace(readings[1], title=other.title)])) == 1  # two passes, one line


def test_different_defects_on_one_line_stay_separate() -> None:
    """Findings on one line with another category and another claim stay separate."""
    other = replace(BASE, category="security", title="user input reaches the shell")
    assert len(merge.merge([BASE, other])) == 2


def test_reworded_findings_with_shared_evidence_are_merged() -> None:
    """Reworded findings on one line are merged if they share evidence and part of their words."""
    shows = (Evidence("clean.sql", "WHERE ends_at < now", 3),)
    one = replace(
        BASE,
        category="contract",
        title="`ends_at` mixes seconds and milliseconds: the cleanup fits neither",
        evidence=shows,
    )
    other = replace(one, category="logic", title="Leases are kept in milliseconds, the cleanup compares with seconds")
    assert len(merge.merge([one, other])) == 1
    assert len(merge.merge([one, replace(other, evidence=())])) == 2
    assert len(merge.merge([one, replace(other, title="The row is written before its owner exists")])) == 2


def test_fingerprint_depends_on_the_defect_and_not_only_on_the_line() -> None:
    """The category and the line alone don't make two findings the same; the same defect reworded does."""
    one = replace(BASE, title="`parse_row()` gets None for an empty line")
    other = replace(BASE, title="`open_file` leaks its handle when reading fails")
    found = merge.merge([one, other])
    assert [finding.title for finding in found] == [one.title, other.title]
    assert len({finding.fingerprint for finding in found}) == 2
    again = merge.merge([*found, replace(other, title="`open_file` never closes its handle")])
    assert [finding.fingerprint for finding in again] == [finding.fingerprint for finding in found]
    assert len(merge.merge([one, replace(one, title="An empty line crashes the reader")])) == 1


def test_fingerprint_survives_a_move() -> None:
    """A fingerprint ignores line numbers and indentation, but not the quoted code."""
    moved = replace(BASE, start=90, end=90, quote="    x  = f(1)")
    assert merge.fingerprint(moved) == merge.fingerprint(BASE)
    assert merge.fingerprint(replace(BASE, quote="x = g(1)")) != merge.fingerprint(BASE)


def test_same_text_at_two_lines_is_two_findings() -> None:
    """Two findings with the same text at different lines are not merged."""
    assert len(merge.merge([BASE, replace(BASE, start=50, end=50)])) == 2


def placed(**fields: object) -> PlacedFinding:
    return PlacedFinding(changed(BASE, **fields), "inline")


def test_findings_over_the_limit_are_collapsed_and_not_lost() -> None:
    """A small change shows four findings in full; critical findings don't count towards the limit."""
    items = [placed(start=number) for number in range(6)] + [placed(severity="critical", start=9)]
    ranked = placing.rank(items, placing.room(changed_files(1, 1)))
    assert [item.place for item in ranked] == ["inline"] * 5 + ["folded"] * 2
    assert ranked[0].finding.severity == "critical"


def changed_files(files: int, lines: int) -> list[ChangedFile]:
    """Return this number of new files, each with this number of lines."""
    numbers = frozenset(range(1, lines + 1))
    return [ChangedFile(f"{at}.py", None, "added", (), added_lines=numbers) for at in range(files)]


@pytest.mark.parametrize(
    ("files", "lines", "shown"),
    [(1, 1, 4), (16, 1, 4), (50, 1, 7), (100, 1, 10), (5_000, 1, 10), (2, 500, 7), (20, 100, 10), (1, 9_000, 10)],
)
def test_larger_change_shows_more_findings_in_full(files: int, lines: int, shown: int) -> None:
    """The limit grows from four findings to ten, for a hundred files or two thousand lines."""
    assert placing.room(changed_files(files, lines)) == shown


TWICE = (Source("model", "m", "worker"), Source("model", "m", "worker", view="diff"))
ROOT = Source("model", "r", "root", view="search")


def places(quota: int, *rows: PlacedFinding) -> dict[str, str]:
    return {item.finding.path: item.place for item in placing.rank(rows, quota)}


def test_undecided_finding_is_collapsed() -> None:
    """A finding that no call could decide is collapsed at any severity."""
    rows = (
        placed(severity="critical", unsettled="read_row decides", path="open.py"),
        placed(severity="low", verdict=Verdict.CONFIRMED, path="sure.py"),
    )
    assert places(4, *rows) == {"open.py": "folded", "sure.py": "inline"}


def test_at_equal_severity_proven_and_repeated_findings_come_first() -> None:
    """At equal severity, proven findings come first, then those found twice, then those that quote files."""
    quotes = placed(evidence=(Evidence("x.py", "a", 1),), path="quotes.py")
    twice, proven = placed(sources=TWICE, path="twice.py"), placed(verdict=Verdict.PROVEN, path="proven.py")
    assert placing.rank([placed(), quotes, twice, proven], 4) == (proven, twice, quotes, placed())


def test_severity_outranks_quoted_files_and_ties_keep_their_order() -> None:
    """Severity outranks quoted files, and otherwise findings keep their order."""
    quotes = (Evidence("x.py", "a", 1), Evidence("y.py", "b", 1))
    medium, high = placed(evidence=quotes, severity="medium", start=5), placed(severity="high", path="z.py", start=9)
    last, first = placed(severity="medium", path="b.py"), placed(severity="medium", path="a.py")
    assert placing.rank([last, medium, first, high], 4) == (high, medium, last, first)
