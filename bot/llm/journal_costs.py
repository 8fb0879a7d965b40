"""What the calls of a journal came to, also where nobody saw the end of its review: stopped by a newer push, cancelled, killed."""

import json
import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.llm.capacity import OWN_SERVERS

KINDS = (b'"request"', b'"call"', b'"resumed"')
# How a failure begins after which the provider may bill all the same: journals of earlier versions have no `usage` with some of them.
UNSURE = ("cancelled", "TimedOut")


@dataclass(frozen=True, slots=True)
class JournalCosts:
    """What was paid. `calls` are those that were answered, or may have been; a free model has some that cost nothing."""

    calls: int = 0
    usd: float | None = 0.0  # None if nobody knows


def of_journal(path: Path) -> JournalCosts:
    """What a journal shows. What may have been billed counts as it was reserved, and so does a call of unknown price."""
    try:
        with path.open("rb") as file:
            return of_lines(rows(file))
    except FileNotFoundError:
        return JournalCosts()


def of_lines(lines: Iterable[dict[str, Any]]) -> JournalCosts:
    """The same, of the lines."""
    open_: defaultdict[str, list[float | None]] = defaultdict(list)  # reservations of requests without an outcome
    sums: list[float | None] = []
    for row in lines:
        if row["kind"] == "request":
            open_[row["key"]].append(row.get("reserved", _free(row)))
        elif row["kind"] == "call":
            waiting = open_[row["key"]]
            reserved_usd = waiting.pop(0) if waiting else None
            if not _is_refused(row):
                sums.append(row["usd"] if row["usd"] is not None and "error" not in row else row["usd"] or reserved_usd)
        else:  # a new process: what was in flight in the one before is asked again
            sums += [reserved_usd for waiting in open_.values() for reserved_usd in waiting]
            open_.clear()
    sums += [reserved_usd for waiting in open_.values() for reserved_usd in waiting]
    known_usd = [usd for usd in sums if usd is not None]
    return JournalCosts(len(sums), math.fsum(known_usd) if len(known_usd) == len(sums) else None)


def _free(row: dict[str, Any]) -> float | None:
    """What counts where nothing was reserved: a server of the user's own bills nobody."""
    return 0.0 if row["model"].partition("/")[0] in OWN_SERVERS else None


def _is_refused(row: dict[str, Any]) -> bool:
    """Whether a provider has refused the call: it bills nothing then, and has counted no token."""
    return "error" in row and not row["usd"] and not row.get("usage") and not str(row["error"]).startswith(UNSURE)


def rows(lines: Iterable[bytes]) -> Iterable[dict[str, Any]]:
    """The lines that are requests and calls, or begin a process. A line that a crash tore, or that is damaged, is skipped."""
    for line in lines:
        if not any(kind in line for kind in KINDS):
            continue
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict) and row.get("kind") in {"request", "call", "resumed"}:
            yield row
