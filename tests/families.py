"""Mark most members of a large parameter list as slow, so that only a few always run."""

from collections.abc import Iterable
from typing import Any

import pytest


def few(members: Iterable[Any], *kept: int) -> list[Any]:
    """Mark all members as slow except those at the given positions. A tuple sets several parameters."""
    return [
        member
        if at in kept
        else pytest.param(*(member if isinstance(member, tuple) else (member,)), marks=pytest.mark.slow)
        for at, member in enumerate(members)
    ]
