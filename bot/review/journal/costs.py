"""What a journal has cost, also where nobody saw the end of its review."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from deeprepo.rlm.journal import reader

PAID = (b'"request"', b'"call"', b'"resumed"')  # what lines that cost something hold


@dataclass(frozen=True, slots=True)
class JournalCosts:
    """What was paid. `calls` are those that were answered, or may have been; a free model has some that cost nothing."""

    calls: int = 0
    usd: float = 0.0


def costs(path: Path) -> JournalCosts:
    """Return what the calls of a journal came to, also where nobody saw the end of its review: stopped by a newer push, cancelled, killed."""
    try:
        with path.open("rb") as file:
            return costs_of(file)
    except FileNotFoundError:
        return JournalCosts()


def costs_of(lines: Iterable[bytes]) -> JournalCosts:
    """Return the same, of its lines. What may have been billed counts as it was reserved, and so does a call of unknown price."""
    rows = reader.settled(reader.rows_of(line for line in lines if any(kind in line for kind in PAID)))
    # Others were turned away
    paid = [
        record.get("reserved", 0.0) if record["usd"] is None else record["usd"]
        for record in rows
        if record["kind"] == "lost"
        or (record["kind"] == "call" and ("reply" in record or record["usd"] or record.get("usage")))
    ]
    return JournalCosts(len(paid), math.fsum(paid))
