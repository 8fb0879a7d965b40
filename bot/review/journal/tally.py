"""Calls of a journal, added up for people who look at it."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from rlm.journal.codec import Row


@dataclass(frozen=True, slots=True)
class Tally:
    """Calls, added up. `usd` is None where a price is unknown."""

    calls: int
    failures: int
    input: int  # tokens
    output: int
    usd: float | None
    seconds: float

    @classmethod
    def of(cls, calls: Iterable[Row]) -> "Tally":
        """Return the sum of these lines."""
        rows = list(calls)
        usages, prices = [row.get("usage") or (0, 0) for row in rows], [row["usd"] for row in rows]
        return cls(
            len(rows),
            sum("error" in row for row in rows),
            sum(usage[0] for usage in usages),
            sum(usage[1] for usage in usages),
            None if None in prices else math.fsum(prices),
            sum(row["seconds"] for row in rows),
        )
