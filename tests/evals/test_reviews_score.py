import pytest

from deeprepo_evals.reviews import compare, score
from deeprepo_evals.reviews.cases import Case, Defect, Span
from deeprepo_evals.reviews.judge import JudgeAnswers, Pair, agreement
from deeprepo_evals.reviews.matching import Place, Words
from deeprepo_evals.reviews.outcome import MeasuredFinding, MeasuredReview, Outcome


def row(
    name: str, reviewer: str, *said: MeasuredFinding, defects: int = 1, kind: str = "natural", **changed: object
) -> MeasuredReview:
    """A review of a case whose defects stand at lines 100, 200 and so on."""
    known = tuple(Defect(f"defect {n}", (Span("a.py", n * 100, n * 100),)) for n in range(1, defects + 1))
    case = Case(id=name, kind=kind, clone="a/b", base="0" * 40, defects=known)
    return MeasuredReview(case, reviewer, 1, Outcome(findings=said, **changed))  # type: ignore[arg-type]


def at(line: int, title: str = "it", place: str = "inline", path: str = "a.py") -> MeasuredFinding:
    """A finding."""
    return MeasuredFinding(path, line, line, title, place=place)


def value(found: list[score.Figure], measure: str) -> float:
    """One figure of the only reviewer."""
    return next(f.value for f in found if f.measure == measure and not f.group)


@pytest.mark.parametrize(
    ("line", "path", "hit"), [(90, "a.py", 1), (110, "a.py", 1), (111, "a.py", 0), (100, "b.py", 0)]
)
def test_a_finding_is_near_within_ten_lines_of_the_same_file(line: int, path: str, hit: int) -> None:
    """The place alone decides where nobody reads the words."""
    assert value(score.figures([row("x", "ours", at(line, path=path))], [Place()]), "recall") == hit


def test_precision_counts_what_was_said_aloud() -> None:
    """One of three findings is a known defect, one of two defects is found."""
    found = score.figures([row("x", "ours", at(100), at(300), at(400), defects=2, kind="martian")], [Place()])
    assert value(found, "precision") == pytest.approx(1 / 3)
    assert value(found, "recall") == 0.5
    assert value(found, "F1") == pytest.approx(0.4)


def judges(one: bool, other: bool) -> list[Words]:
    """Two judges of the same findings."""
    pairs = [Pair("defect 1", "it")]
    return [Words(JudgeAnswers(name, dict.fromkeys(pairs, said))) for name, said in (("one", one), ("other", other))]


def both(count: int) -> list[MeasuredReview]:
    """Ours finds every defect, theirs none, over as many pull requests."""
    names = [f"case {n}" for n in range(count)]
    return [row(n, "ours", at(100)) for n in names] + [row(n, "theirs") for n in names]


def test_a_difference_that_only_one_judge_sees_is_no_result() -> None:
    """And one that both see is one."""
    told = list(compare.sentences(compare.differences(both(8), judges(one=True, other=False))))
    assert told[0].startswith("natural: ours against theirs: only one sees a difference: no result")
    told = list(compare.sentences(compare.differences(both(8), judges(one=True, other=True))))
    assert told[0].startswith("natural: ours against theirs: ours finds more")


def test_agreement_is_told_beyond_chance() -> None:
    """Kappa is 0 where two judges agree as often as chance would have it; pairs without an answer do not count."""
    pairs = [Pair("d", str(n)) for n in range(5)]
    one = JudgeAnswers("one", dict(zip(pairs, (True, True, False, False, None), strict=True)))
    other = JudgeAnswers("other", dict(zip(pairs, (True, False, True, False, True), strict=True)))
    told = agreement(one, other)
    assert (told.pairs, told.share, told.kappa) == (4, 0.5, 0)
    assert agreement(one, one).kappa == 1
    assert list(compare.agreements([one, other]))[1].startswith("one gave no usable answer on 1 of 5 pairs")
