"""New findings by one pass in a small push are collapsed unless they are severe or reach `fail_on`."""

import pytest
from pushes import SECOND, Hand

from bot.values import Review

STAMPS = "A letter without stamps crashes"
LONG = "".join(f"NAME_{number} = {number}\n" for number in range(101))


def places(review: Review) -> dict[str, str]:
    """Return where each new finding is shown, by its title."""
    return {row.finding.title: row.place for row in review.reported if row.finding.status == "new"}


@pytest.mark.parametrize(
    ("more", "flags", "place"),
    [
        ({}, {}, "folded"),
        ({}, {"fail_on": "medium"}, "inline"),
        ({"shop/names.py": LONG}, {}, "inline"),
    ],
)
def test_single_pass_finding_in_a_small_push_is_collapsed(
    hand: Hand, more: dict[str, str], flags: dict[str, str], place: str
) -> None:
    """A medium finding on new lines is collapsed in a small push, unless it reaches `fail_on`."""
    first = hand.review(**flags)
    assert {*places(first).values()} == {"inline"}
    hand.repository.commit({**SECOND, **more}, "second push")
    again = hand.review(first, **flags)
    assert places(again)[STAMPS] == place
    assert STAMPS in {row.finding.title for row in again.reported}
