"""What a review did, read off its journal while it runs and afterwards: turns, calls, money. No prompt, reply or code is shown.

The journal is read line by line, and most of its bytes (the prompts) are not even parsed.
"""

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from bot.storage import Store
from bot.values import PullRef
from bot.workflow import journals

ROLES = {"root": "root", "worker": "workers", "pairs": "pairs", "verify": "second opinions"}
READ = tuple(f'{{"kind": "{kind}"'.encode() for kind in ("review", "strategy", "request", "call", "failed", "turn"))
LARGEST = 256 << 20  # bytes of a journal that are read
WORDS = 60  # characters of a model's name


@dataclass(frozen=True, slots=True)
class Tally:
    """Calls of one kind, added up. `usd` is None where a price is unknown."""

    name: str
    calls: int = 0
    failures: int = 0
    input: int = 0
    output: int = 0
    usd: float | None = 0.0
    seconds: float = 0.0

    def plus(self, row: dict[str, Any]) -> "Tally":
        """With one call more."""
        usage, usd = row.get("usage") or [0, 0], row.get("usd")
        return replace(
            self,
            calls=self.calls + 1,
            failures=self.failures + ("error" in row),
            input=self.input + int(usage[0]),
            output=self.output + int(usage[1]),
            usd=None if self.usd is None or usd is None else self.usd + float(usd),
            seconds=self.seconds + float(row.get("seconds") or 0.0),
        )


@dataclass(frozen=True, slots=True)
class TurnRow:
    """One turn of the root, with the calls that its code made."""

    name: str
    outcome: Literal["ok", "error", "syntax", "limit", "crash"]
    seconds: float
    calls: Tally


@dataclass(frozen=True, slots=True)
class Trace:
    """A review so far."""

    strategy: str
    whole: Tally
    roles: tuple[Tally, ...]
    models: tuple[Tally, ...]
    turns: tuple[TurnRow, ...]
    flying: int  # requests without an answer yet


async def of(journal: str, store: Store, folder: Path) -> Trace | None:
    """The trace of a journal; None if there is no journal."""
    import asyncio

    if store.database.postgres:
        lines = [line.encode() for line in await store.journals.lines(journal)]
        return read(lines) if lines else None
    return await asyncio.to_thread(_read, journals.path(folder, journal))


async def newest(pull: PullRef, store: Store, folder: Path) -> str | None:
    """The journal of a pull request that was written last: that of a review under way."""
    prefix = f"{pull.repository}-{pull.number}-"
    if store.database.postgres:
        return await store.journals.newest(prefix)
    journals_of_job = [
        one for one in (folder / journals.FOLDER).glob(f"{prefix}*.jsonl") if not one.stem.endswith(".left")
    ]
    with suppress(OSError):
        return max(journals_of_job, key=lambda one: one.stat().st_mtime).stem if journals_of_job else None
    return None


def _read(path: Path) -> Trace | None:
    with suppress(OSError), path.open("rb") as file:
        return read(_within_limit(file))
    return None


def _within_limit(lines: Iterable[bytes]) -> Iterator[bytes]:
    left = LARGEST
    for line in lines:
        left -= len(line)
        if left < 0:
            return
        yield line


def read(lines: Iterable[bytes]) -> Trace:
    """The trace of a journal's last review. A line that was cut off by a crash counts as none."""
    rows: list[dict[str, Any]] = []
    for line in lines:
        if not line.startswith(READ):
            continue
        with suppress(ValueError):
            row = json.loads(line)
            if row["kind"] == "review":
                rows = []
            rows.append(row)
    calls = [row for row in rows if row["kind"] == "call"]
    whole, by_role, by_model, by_turn = Tally("all"), dict[str, Tally](), dict[str, Tally](), dict[str, Tally]()
    for row in calls:
        whole = whole.plus(row)
        for names, key in (
            (by_role, ROLES.get(str(row.get("role")), "others")),
            (by_model, str(row.get("model"))[:WORDS]),
            (by_turn, str(row.get("at"))),
        ):
            names[key] = names.get(key, Tally(key)).plus(row)
    turns = [_turn(row, by_turn) for row in rows if row["kind"] == "turn"]
    request_count = sum(row["kind"] == "request" for row in rows)
    strategy = next((str(row.get("name")) for row in reversed(rows) if row["kind"] == "strategy"), "")
    return Trace(
        strategy,
        whole,
        tuple(by_role.values()),
        tuple(by_model.values()),
        tuple(turns),
        max(request_count - len(calls), 0),
    )


def _turn(row: dict[str, Any], calls: dict[str, Tally]) -> TurnRow:
    name = f"{row.get('run')}:{row.get('number')}"
    return TurnRow(name, row.get("outcome") or "ok", float(row.get("seconds") or 0.0), calls.get(name, Tally(name)))
