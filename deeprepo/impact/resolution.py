"""Answer whether the tree still provides a name after the change: found, absent, or unknown with a reason.

Only `Absent` allows a proven "removed", "moved" or "must be given" finding. A lookup that found nothing is not
enough for it: all ways to provide a name must have been searched.
"""

from deeprepo.impact.structs import Struct


class Found(Struct, frozen=True):
    """The line that still provides the name."""

    path: str
    line: int


class Absent(Struct, frozen=True):
    """Nothing provides the name in any way."""


class Unknown(Struct, frozen=True):
    """The code is not enough to decide. `reason` completes "this is not certain because ..."."""

    reason: str
    is_by_line: bool = True  # a line that may provide the name is known; otherwise the search was incomplete


Resolution = Found | Absent | Unknown
