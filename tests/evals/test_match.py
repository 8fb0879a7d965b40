"""Findings against labels: one to one, by file, lines and class."""

from dataclasses import replace

from bot.values import Evidence, Finding, Source
from deeprepo_evals.match import match
from deeprepo_evals.plant.values import Label, Line

LABEL = Label("a.py", 10, "off-by-one", "if n > 3:", "f", Line("a.py", 8, "def f(n):"), "w", "t")
CROSS = replace(LABEL, kind="wrong-key", proof=(Line("b.py", 5, 'row["total"]'),))


def finding(
    start: int = 10, category: str = "logic", path: str = "a.py", evidence: tuple[Evidence, ...] = ()
) -> Finding:
    """A finding at a line."""
    return Finding(
        path, "q", "t", "w", "c", "high", category, (Source("model", "s"),), start=start, end=start, evidence=evidence
    )


def test_the_right_file_lines_and_class_make_a_pair() -> None:
    """All three must fit."""
    assert match([finding()], [LABEL]).pairs == ((0, 0),)
    assert match([finding(path="b.py")], [LABEL]).pairs == ()
    assert match([finding(start=20)], [LABEL]).pairs == ()
    assert match([finding(category="security")], [LABEL]).pairs == ()


def test_lines_may_be_three_off_and_no_more() -> None:
    """A comment stands beside the line."""
    assert match([finding(13)], [LABEL]).recall == 1.0
    assert match([finding(14)], [LABEL]).recall == 0.0


def test_a_label_is_found_once_however_often_it_is_said() -> None:
    """The second one is an extra, and costs precision."""
    found = match([finding(), finding(11)], [LABEL])
    assert (len(found.pairs), found.extra, found.precision) == (1, (1,), 0.5)


def test_the_proof_counts_when_it_is_quoted() -> None:
    """A pair whose proof was not shown is counted separately."""
    shown = (Evidence("b.py", 'row["total"]', 5),)
    assert match([finding(category="contract")], [CROSS]).proven == 0
    assert match([finding(category="contract", evidence=shown)], [CROSS]).proven == 1
    assert match([finding()], [LABEL]).proven == 1
