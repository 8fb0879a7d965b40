"""Extend the journal (`deeprepo.rlm.journal`) for reviews: open it, write its last line, and add up its calls."""

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TextIO

from bot.machine import files
from bot.values import Review
from deeprepo.rlm.journal import reader
from deeprepo.rlm.journal.codec import Row


def open_file(path: Path) -> TextIO:
    """Open a journal file, readable only by its owner, without following links. Raises UsageError."""
    return files.append(path, label="the journal ", private=True, folders=True)


def end(review: Review) -> Row:
    """Return the last line, a summary of the review."""
    finding_fields = ("path", "start", "severity", "title", "verdict", "source")
    findings = [{name: getattr(p.finding, name) for name in finding_fields} for p in review.reported]
    coverage = {
        kind: {state: review.coverage.count(kind, state) for state in ("reviewed", "reused", "skipped", "unread")}
        for kind in ("unit", "use")
    }
    return {
        "kind": "end",
        "seconds": review.seconds,
        "fault": review.cut.fault,
        "partial": review.cut.partial,
        "findings": findings,
        "coverage": coverage,
        "cost": asdict(review.cost),
        "notes": list(review.notes),
    }


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
