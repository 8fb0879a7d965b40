"""Answer whether the tree still provides a name after the change: it is absent, or that is unknown.

Only `Absent` allows a proven "removed", "moved" or "must be given" finding. A lookup that found nothing is not
enough for it: all ways to provide a name must have been searched.
"""

from deeprepo.impact.structs import Struct


class Absent(Struct, frozen=True):
    """Nothing provides the name in any way."""


class Unknown(Struct, frozen=True):
    """The code is not enough to decide. `reason` completes "this is not certain because ..."."""

    reason: str
    is_by_line: bool = True  # a line that may provide the name is known; otherwise the search was incomplete


Resolution = Absent | Unknown
