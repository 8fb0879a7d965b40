import pytest

from deeprepo_evals import intervals


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"), [(0, 10, 0.0, 0.278), (10, 10, 0.722, 1.0), (5, 10, 0.237, 0.763)]
)
def test_a_share_has_wilsons_interval(hits: int, of: int, low: float, high: float) -> None:
    """Published values; also where everything or nothing was a hit, the interval has a width."""
    found = intervals.share(hits, of)
    assert (found.value, found.low, found.high) == pytest.approx((hits / of, low, high), abs=0.001)


def test_the_bootstrap_is_the_same_each_time() -> None:
    """It is seeded, holds the mean, and is narrower with more figures."""
    few, many = [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0] * 25
    assert intervals.mean(few) == intervals.mean(few)
    narrow, wide = intervals.mean(many), intervals.mean(few)
    assert wide.low < narrow.low < 2.5 < narrow.high < wide.high


def test_a_unit_is_drawn_with_all_that_belongs_to_it() -> None:
    """Ten findings of one pull request are one draw, not ten."""
    units = [(9, 10), (0, 10), (0, 10)]
    found = intervals.bootstrap(units, lambda drawn: sum(hit for hit, _ in drawn) / sum(of for _, of in drawn))
    assert found.value == pytest.approx(0.3)
    assert (found.low, found.high) == (0.0, 0.9)
