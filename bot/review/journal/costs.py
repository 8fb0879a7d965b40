"""Add up what a journal's calls cost, even if its review never finished."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from deeprepo.rlm.journal import reader

PAID = (b'"request"', b'"call"', b'"resumed"')  # what the lines of calls contain that may have cost something


@dataclass(frozen=True, slots=True)
class JournalCosts:
    """The number of calls that were answered, or may have been, and what was paid for them."""

    calls: int = 0
    usd: float = 0.0


def costs(path: Path) -> JournalCosts:
    """Return the cost of a journal's calls, even if its review was replaced, canceled or killed."""
    try:
        with path.open("rb") as file:
            return costs_of(file)
    except FileNotFoundError:
        return JournalCosts()


def costs_of(lines: Iterable[bytes]) -> JournalCosts:
    """Return the cost of these journal lines.

    A call that may have been billed, or has no known price, counts with its reserved amount.
    """
    rows = reader.settled(reader.rows_of(line for line in lines if any(kind in line for kind in PAID)))
    # All other calls were rejected
    paid = [
        record.get("reserved", 0.0) if record["usd"] is None else record["usd"]
        for record in rows
        if record["kind"] == "lost"
        or (record["kind"] == "call" and ("reply" in record or record["usd"] or record.get("usage")))
    ]
    return JournalCosts(len(paid), math.fsum(paid))
