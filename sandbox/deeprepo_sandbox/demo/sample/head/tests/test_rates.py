from decimal import Decimal

import pytest

from parcel.rates import quote


def test_weight_must_be_positive():
    with pytest.raises(ValueError, match="weighs"):
        quote(0, "local", service="standard")


def test_overnight_costs_four_times_as_much():
    assert quote(2, "local", service="overnight") == Decimal("9.60")
