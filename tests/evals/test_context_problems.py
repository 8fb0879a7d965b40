import re
from itertools import combinations

import pytest

from deeprepo_evals.context import lines, problems
from deeprepo_evals.context.problems import KINDS, Task
from deeprepo_evals.context.score import Expected, grade, judge


@pytest.mark.parametrize("kind", KINDS)
def test_problem_is_determined_by_its_seed(kind: str) -> None:
    """The same task always gives the same problem, and another seed gives another one."""
    first = problems.make(Task(kind, 9_000))
    problems.make(Task("needle", 5_000))
    assert problems.make(Task(kind, 9_000)) == first
    assert problems.make(Task(kind, 9_000, seed=2)) != first


ASKED = "Which value stands at the key path a.b[412].c in the JSON document?"


@pytest.mark.parametrize(
    ("answer", "expected", "verdict"),
    [
        ("48236", ("48236",), "right"),
        ("It is 48,236.", ("48236",), "right"),
        ("a.b[412].c: 48236", ("48236",), "right"),
        ("48236, and again 48236", ("48236",), "right"),
        ("11111, 22222", ("11111", "22222"), "right"),
        ("22222, 11111", ("11111", "22222"), "wrong"),
        ("11111", ("11111", "22222"), "wrong"),
        ("48236 or 48237", ("48236",), "wrong"),
        ("NOT FOUND", ("48236",), "missed"),
        ("Not found; perhaps 48236", ("48236",), "right"),
        ("NOT FOUND", (), "right"),
        ("Not  found.", (), "right"),
        ("48236", (), "made up"),
        ("NOT FOUND, but 48236 is near", (), "made up"),
        ("I cannot say", (), "made up"),
        ("   ", (), "no answer"),
        ("", ("1",), "no answer"),
    ],
)
def test_answer_is_scored_by_its_numbers(answer: str, expected: tuple[str, ...], verdict: str) -> None:
    """An answer's numbers are compared in order and without repetition, ignoring numbers in the question."""
    assert judge(answer, expected, ASKED) == verdict


def test_expected_counts_and_maxima_match_the_text() -> None:
    """The expected counts and maxima equal those computed from the text."""
    count, compare = problems.make(Task("count", 9_000)), problems.make(Task("compare", 9_000))
    word = count.question.split("'")[1]
    assert count.expected == (str(count.text.replace(".", " ").split().count(word)),)
    company = compare.question.split("company ")[1][0]
    rates = [int(line.split()[7]) for line in compare.text.split("\n") if f"company {company} grew" in line]
    assert compare.expected == (str(max(rates)),)


PAIRS = (("4", "17"), ("17", "23"))


@pytest.mark.parametrize(
    ("answer", "expected", "score"),
    [
        ("Answer: 12", 12, 1.0),
        ("14", 12, 0.5625),
        ("about twelve", 12, 0.0),
        ("Label: [location]", "location", 1.0),
        ("I think that it is location", "location", 1.0),
        ("Location", "location", 0.0),
        ("the Committee on Foreign Affairs", "the Committee on Foreign Affairs", 1.0),
        ("Answer: A is more common than B", "more common than", 1.0),
        ("Answer: A is less common than B", "more common than", 0.0),
        ("Date: March 5, 2023", "2023-03-05", 1.0),
        ("2023-03-06", "2023-03-05", 0.0),
        ("Maria", ("Ann", "Maria"), 1.0),
        ("(17, 4)\n(17, 23)", PAIRS, 1.0),
        ("(4, 17), (4, 23)", PAIRS, 0.5),
        ("none", PAIRS, 0.0),
        ("NOT FOUND", None, 1.0),
        ("12", None, 0.0),
    ],
)
def test_labeled_lines_are_scored_as_in_oolong(answer: str, expected: Expected, score: float) -> None:
    """Counts score 0.75 to the power of the error, pairs their F1, and dates match in any format."""
    assert grade(answer, expected, "?", "oolong")[1] == score


def test_expected_pairs_follow_the_definition() -> None:
    """The expected pairs follow the definition, over all users."""
    made = problems.make(Task("pairs", 20_000))
    has, lacks = re.findall(r"label '(.+?)'", made.question)
    by_user: dict[str, set[str]] = {}
    for row in filter(None, map(lines.read, made.text.split("\n"))):
        by_user.setdefault(row[0], set()).add(row[1])
    fit = sorted(user for user, labels in by_user.items() if has in labels and lacks not in labels)
    assert made.expected == tuple(combinations(fit, 2)) != ()
