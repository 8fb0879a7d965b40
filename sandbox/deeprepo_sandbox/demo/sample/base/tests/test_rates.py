import pytest

from parcel.rates import quote


def test_weight_must_be_positive():
    with pytest.raises(ValueError, match="weighs"):
        quote(0, "local")
