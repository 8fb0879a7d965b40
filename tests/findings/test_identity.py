"""Which reports of a later review are an earlier finding."""

import pytest
import step
from fakes import Repository

from bot.findings.merge import identify
from bot.findings.places import Since
from bot.review.incremental import Past
from bot.review.judging import judge
from bot.values import Basis, EarlierReview, Finding, Severity, Source

DIVIDES, FAILS = "a() divides by zero", "b() fails for an empty list"
BEFORE = "def a(x):\n    return 1 / x\n\n\ndef b(x):\n    return x[0]\n"
EDITED = BEFORE.replace("1 / x", "2 / abs(x)")
MOVED = "LIMIT = 3\n" + BEFORE
SWAPPED = BEFORE.replace("1 / x", "x").replace("x[0]", "1 / x")
Row = tuple[str, Severity, str, Severity]  # open or new, title and severity, in the order of the lines


def reported(text: str, quote: str, title: str, severity: Severity, path: str = "new.py") -> Finding:
    line = next(number for number, row in enumerate(text.split("\n"), 1) if row.strip() == quote)
    basis = Basis((Source("model", "m", "worker"),))
    return identify(Finding(path, f"    {quote}", title, "w", "c", severity, "logic", basis, start=line, end=line))


def followed(
    repository: Repository, now: str, quote: str, title: str, severity: Severity = "low", path: str = "new.py"
) -> list[tuple[str, str, Severity]]:
    """Return status, title and severity of each finding after a report on `now`; a high one on line 2 was open."""
    past = reported(BEFORE, "return 1 / x", DIVIDES, "high")
    pull = repository.change({"old.py": "A = 1\n"}, {path: now})
    since = Since({path: BEFORE}, {path: now})
    earlier = EarlierReview(1, "b", "h", findings=(past.with_number(1),))
    known = Past(earlier, before={path: BEFORE}, since=since)
    new = reported(now, quote, title, severity, path)
    judgement = step.over(pull, lambda tree, _: judge(step.survey(pull, tree, past=known), [new], None))
    return [(one.status, one.title, one.severity) for one in judgement.findings]


@pytest.mark.parametrize(
    ("now", "quote", "title"),
    [
        pytest.param(BEFORE, "return 1 / x", DIVIDES, id="unchanged"),
        pytest.param(BEFORE, "return 1 / x", "Zero divides in a() without a check", id="reworded"),
        pytest.param(MOVED, "return 1 / x", DIVIDES, id="moved"),
        pytest.param(SWAPPED, "return 1 / x", DIVIDES, id="moved to other lines"),
        pytest.param(EDITED, "return 2 / abs(x)", "a() still divides by zero", id="edited"),
    ],
)
def test_report_of_the_same_defect_is_the_earlier_finding(
    repository: Repository, now: str, quote: str, title: str
) -> None:
    """A report of the same or replaced lines with a title that is alike is the earlier finding, which stays high."""
    assert followed(repository, now, quote, title) == [("still", title, "high")]


@pytest.mark.parametrize(
    ("now", "quote", "title"),
    [
        pytest.param(BEFORE, "return x[0]", FAILS, id="four lines on"),
        pytest.param(BEFORE, "return 1 / x", "Rounding loses the cents", id="on the same line"),
        pytest.param(BEFORE, "return x[0]", DIVIDES, id="the same title, while the quote stands"),
        pytest.param(SWAPPED, "return x", DIVIDES, id="on the old line of a quote that moved"),
        pytest.param(MOVED, "LIMIT = 3", DIVIDES, id="on an added line"),
    ],
)
def test_report_of_another_defect_is_another_finding(repository: Repository, now: str, quote: str, title: str) -> None:
    """A report with another title, or of other lines while the earlier ones stand, replaces nothing."""
    rows = followed(repository, now, quote, title)
    assert sorted((status, severity) for status, _, severity in rows) == [("new", "low"), ("still", "high")]
    assert ("still", DIVIDES, "high") in rows


def test_edited_line_with_another_defect_is_another_finding(repository: Repository) -> None:
    """A report about the line that replaced an earlier finding's line is new if its title says something else."""
    rows = followed(repository, EDITED, "return 2 / abs(x)", "Rounding loses the cents")
    assert [row for row in rows if row[0] != "fixed"] == [("new", "Rounding loses the cents", "low")]


def test_short_title_is_like_itself(repository: Repository) -> None:
    """A title without long words is recognized if it is the same."""
    past = reported(BEFORE, "return 1 / x", "x is 0", "high")
    pull = repository.change({"old.py": "A = 1\n"}, {"new.py": BEFORE})
    earlier = EarlierReview(1, "b", "h", findings=(past.with_number(1),))
    known = Past(earlier, before={"new.py": BEFORE}, since=Since({"new.py": BEFORE}, {"new.py": BEFORE}))
    judgement = step.over(pull, lambda tree, _: judge(step.survey(pull, tree, past=known), [past], None))
    assert [(one.number, one.status) for one in judgement.findings] == [(1, "still")]
