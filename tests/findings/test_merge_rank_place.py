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
    first, second = (Source("model", "m", "worker", view=view) for view in ("diff", "backwards"))
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
    readings = [changed(one, sources=(Source("model", "m", "worker", view=view),)) for view in ("diff", "backwards")]
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


def test_lock_file_does_not_raise_the_limit() -> None:
    """Its lines are not reviewed, so the change still shows four findings in full."""
    (lock,) = changed_files(1, 9_000)
    assert placing.room([*changed_files(1, 1), replace(lock, skip="lock file")]) == 4


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


def test_unconfirmed_low_finding_from_two_passes_is_collapsed() -> None:
    """An unconfirmed low-severity finding is collapsed, even if two passes report it."""
    low = placed(severity="low", sources=TWICE, path="low.py")
    assert places(4, low, placed(sources=TWICE, path="medium.py")) == {"medium.py": "inline", "low.py": "folded"}


def test_low_finding_from_a_single_source_gets_leftover_room() -> None:
    """A low-severity finding from a single source gets leftover room; a root's repeat is no second source."""
    found = places(
        1,
        placed(severity="low", verdict=Verdict.CONFIRMED, sources=TWICE, path="twice.py"),
        placed(severity="low", verdict=Verdict.CONFIRMED, path="once.py"),
        placed(severity="low", verdict=Verdict.PROVEN, path="proven.py"),
        placed(severity="low", sources=(TWICE[0], ROOT), path="repeated.py"),
    )
    assert found == {"twice.py": "inline", "once.py": "folded", "proven.py": "folded", "repeated.py": "folded"}


def test_root_only_finding_ranks_last_unless_reproduced_or_critical() -> None:
    """A finding that only the root's search reports ranks last, unless it is reproduced or critical."""
    confirmed = {"severity": "high", "verdict": Verdict.CONFIRMED}
    found = places(
        3,
        placed(sources=(ROOT,), path="root.py", **confirmed),
        placed(sources=(replace(ROOT, view=""),), path="alone.py", **confirmed),
        placed(sources=(replace(ROOT, view="pairs"),), path="pairs.py", **confirmed),
        placed(sources=(ROOT,), path="run.py", verdict=Verdict.REPRODUCED),
        placed(sources=(ROOT,), path="critical.py", severity="critical"),
    )
    assert [path for path, place in found.items() if place == "folded"] == ["root.py"]


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


def test_unproven_model_finding_ranks_before_a_linter_hint() -> None:
    """A model's unproven finding ranks before a linter's unproven hint."""
    hint, told = placed(rule="S608", sources=(Source("analyser", "ruff"),)), placed(path="b.py")
    assert [(item.finding.rule, item.place) for item in placing.rank([hint, told], 1)] == [
        ("", "inline"),
        ("S608", "folded"),
    ]


def test_hint_is_shown_if_there_is_room() -> None:
    """A hint is shown if there is room, unless an earlier review collapsed it."""
    ruff = (Source("analyser", "ruff"),)
    hint = placed(rule="S608", sources=ruff, category="security", severity="low", path="sql.py")
    minor = [placed(rule="B018", sources=ruff, path=f"{number}.py") for number in range(4)]
    assert [row.place for row in placing.rank([hint], 4)] == ["inline"]
    ranked = placing.rank([*minor, hint], 4)
    assert ranked[-1].place == "folded"
    assert [row.finding.path for row in ranked if row.place != "folded"] == ["0.py", "1.py", "2.py", "sql.py"]
    assert [row.place for row in placing.rank([hint], 4, {hint.finding.fingerprint})] == ["folded"]
    assert [row.place for row in placing.rank([hint], 0)] == ["folded"]


@pytest.mark.parametrize(
    ("path", "quote", "title", "place"),
    [
        ("a.py", "    # teh total", "Typo in the comment", "folded"),
        ("README.md", "Run teh bot", "A misspelled word", "folded"),
        ("a.py", "    retrun_code = 1", "Typo in a name that nothing defines", "inline"),
        ("README.md", "Run `deeprepo revew`", "The command does not exist", "inline"),
    ],
)
def test_typo_in_a_comment_or_document_is_collapsed(path: str, quote: str, title: str, place: str) -> None:
    """A typo in a comment or document is collapsed at any severity, but not one in code."""
    found = replace(BASE, path=path, quote=quote, title=title, severity="critical")
    assert [row.place for row in placing.rank([PlacedFinding(found, "inline")], 4)] == [place]
