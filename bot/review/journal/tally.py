"""Add up the calls in a journal, for commands that show them."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from deeprepo.rlm.journal.codec import Row


@dataclass(frozen=True, slots=True)
class Tally:
    """Totals of some calls. `usd` is None if a price is unknown."""

    calls: int
    failures: int
    input: int  # tokens
    output: int
    usd: float | None
    seconds: float

    @classmethod
    def of(cls, calls: Iterable[Row]) -> "Tally":
        """Return the totals of these lines."""
        rows = list(calls)
        usages, prices = [call.get("usage") or (0, 0) for call in rows], [call["usd"] for call in rows]
        return cls(
            len(rows),
            sum("error" in call for call in rows),
            sum(usage[0] for usage in usages),
            sum(usage[1] for usage in usages),
            None if None in prices else math.fsum(prices),
            sum(call["seconds"] for call in rows),
        )
