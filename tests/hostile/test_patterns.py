"""No regular expression in the package takes more than linear time."""

import re

import patterns
import pytest

# Patterns that only get short texts: their location, and the longest text that they get.
CAPPED = {
    "deeprepo.impact.resolving.importers.CHAIN": 120,
    "deeprepo.impact.resolving.importers.ROOTED": 120,
}


@pytest.mark.parametrize("every", [8, pytest.param(1, marks=pytest.mark.slow)])
def test_every_pattern_is_linear(every: int) -> None:
    """No pattern takes more than linear time on strings built from it."""
    found = patterns.collected()
    assert len(found) > 200
    slow = {one.where: bad for one in found[::every] if one.where not in CAPPED and (bad := patterns.grows(one))}
    assert not slow


def test_exempted_pattern_is_at_most_quadratic_below_its_cap() -> None:
    """At its maximum text length, an exempted pattern costs at most twenty quadratic searches."""
    known = {one.where: one for one in patterns.collected()}
    plain = re.compile(r"\w+!")  # quadratic: each word is tried from each of its letters
    for where, cap in CAPPED.items():
        pattern = known[where].pattern
        texts = [patterns.built(pattern, parts, cap) for parts in patterns.texts(pattern)]
        usual = patterns.seconds(plain.search, "w" * 1_000, 5)
        assert max(patterns.seconds(pattern.search, text, 3) for text in texts) < 20 * usual, where
