"""What the calls of a journal came to, also where nobody saw the end of its review: stopped by a newer push, cancelled, killed."""

import json
import math
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

KINDS = (b'"request"', b'"call"', b'"resumed"')
UNSURE = ("cancelled", "TimedOut")  # how a failure begins after which the provider may bill all the same


def paid(path: Path) -> float | None:
    """Dollars, 0 if no call was paid; None if a price is unknown. What may have been billed counts as it was reserved."""
    try:
        with path.open("rb") as file:
            return dollars(_rows(file))
    except FileNotFoundError:
        return 0.0


def dollars(rows: Iterable[dict[str, Any]]) -> float | None:
    """The same, of the lines."""
    open_: defaultdict[str, list[float | None]] = defaultdict(list)  # reservations of requests without an outcome
    sums: list[float | None] = []
    for row in rows:
        if row["kind"] == "request":
            open_[row["key"]].append(row.get("reserved"))
        elif row["kind"] == "call":
            waiting = open_[row["key"]]
            sums.append(_cost(row, waiting.pop(0) if waiting else None))
        else:  # a new process: what was in flight in the one before is asked again
            sums += [reserved for waiting in open_.values() for reserved in waiting]
            open_.clear()
    sums += [reserved for waiting in open_.values() for reserved in waiting]
    known = [usd for usd in sums if usd is not None]
    return math.fsum(known) if len(known) == len(sums) else None


def _cost(row: dict[str, Any], reserved: float | None) -> float | None:
    """Of one call: what it was billed, or of one that failed what it may have been."""
    usd: float | None = row["usd"]
    if "error" not in row:
        return usd
    if str(row["error"]).startswith(UNSURE):
        return usd or reserved
    return usd or 0.0  # a refusal is not billed


def _rows(lines: Iterable[bytes]) -> Iterable[dict[str, Any]]:
    """The lines that are requests and calls, or begin a process. A line that a crash tore, or that is damaged, is none."""
    for line in lines:
        if not any(kind in line for kind in KINDS):
            continue
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict) and row.get("kind") in {"request", "call", "resumed"}:
            yield row
