"""The core of `make bench NAME=misbehave`: what a model may answer, and what a review must not claim then."""

import pytest

from benchmarks.misbehave import Case, played

CASES = [
    ("a refusal as text", "clean", "medium"),
    ("a bare form", "clean", "low"),
    ("a root that refuses in its answer", "clean", "high"),
    ("names one of its files", "clean", "medium"),
    ("names a file of the same name elsewhere", "clean", "low"),
    ("drops a proof, as about a test", "proven break", "medium"),
    ("drops a proof by a learned sentence", "proven break", "high"),
    ("writes a placeholder as _P_", "break for models", "medium"),
    ("writes a placeholder as xP", "break for models", "low"),
    ("drops ids of megabytes", "clean", "medium"),
    ("reports another defect near it", "two pushes", "low"),
    ("reports it as small", "two pushes", "low"),
    ("reports a neighbor under its title", "two pushes", "low"),
    ("honest", "clean", "medium"),
]
HOSTED = [
    ("a root that refuses in its answer", "clean", "medium"),
    ("drops a proof, as smaller", "proven break", "medium"),
]


@pytest.mark.parametrize(
    ("door", "rows"), [*(("command line", [row]) for row in CASES), ("Action", HOSTED), ("App", HOSTED)], ids=str
)
def test_review_never_claims_more_than_models_judged(door: str, rows: list[tuple[str, str, str]]) -> None:
    """No reply makes a review green, loses a proof or an earlier finding, or shows a secret; an honest one makes it green."""
    assert played([Case(way, door, kind, effort, later=False) for way, kind, effort in rows], door) == {}
