"""Members of a family of tests: a few are always run, the others with the slow tests."""

from collections.abc import Iterable
from typing import Any

import pytest


def few(members: Iterable[Any], *kept: int) -> list[Any]:
    """Mark all members as slow but those at these positions. A tuple holds the values of several parameters."""
    return [
        member
        if at in kept
        else pytest.param(*(member if isinstance(member, tuple) else (member,)), marks=pytest.mark.slow)
        for at, member in enumerate(members)
    ]
