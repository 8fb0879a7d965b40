"""Which numbers can be a limit: of dollars, tokens, calls, seconds. Every door asks here."""

import math


def is_amount(value: object) -> bool:
    """Whether it is a finite number of 0 or more: no comparison holds against what is not a number, and nothing is above infinity."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value >= 0
