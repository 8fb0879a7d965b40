"""What a review did, read off its journal while it runs and afterwards: turns, calls, money. No prompt, reply or code is shown."""

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bot.journal import reader
from bot.journal.codec import Row
from bot.journal.reader import Tally
from bot.storage import Store
from bot.values import PullRef
from bot.workflow import journals


@dataclass(frozen=True, slots=True)
class TurnRow:
    """One turn of the root, with the calls that its code made."""

    name: str
    outcome: str
    calls: Tally


@dataclass(frozen=True, slots=True)
class Trace:
    """A review so far. The tallies are by role, and by model."""

    strategy: str
    whole: Tally
    roles: dict[str, Tally]
    models: dict[str, Tally]
    turns: tuple[TurnRow, ...]
    flying: int  # requests without an answer yet


async def of(journal: str, store: Store, folder: Path) -> Trace | None:
    """The trace of a journal; None if there is no journal."""
    if store.database.postgres:
        lines = [line.encode() for line in await store.journals.lines(journal)]
        return read(lines) if lines else None
    return await asyncio.to_thread(_read, journals.path(folder, journal))


async def newest(pull: PullRef, store: Store, folder: Path) -> str | None:
    """The journal of a pull request that was written last: that of a review under way."""
    prefix = f"{pull.repository}-{pull.number}-"
    if store.database.postgres:
        return await store.journals.newest(prefix)
    paths = [one for one in (folder / journals.FOLDER).glob(f"{prefix}*.jsonl") if not one.stem.endswith(".left")]
    with suppress(OSError):
        return max(paths, key=lambda one: one.stat().st_mtime).stem if paths else None
    return None


def _read(path: Path) -> Trace | None:
    with suppress(OSError), path.open("rb") as file:
        return read(file)
    return None


def read(lines: Iterable[bytes]) -> Trace:
    """The trace of a journal's last review. A line that was cut off by a crash counts as none."""
    section = reader.last_section(lines)
    calls = section.of("call")
    by_turn = _tallies(calls, lambda row: row["at"])
    turns = ((f"{row['run']}:{row['number']}", row["outcome"]) for row in section.turns)
    return Trace(
        next((row["name"] for row in reversed(section.of("strategy"))), ""),
        Tally.of(calls),
        _tallies(calls, lambda row: reader.ROLES.get(row["role"], "others")),
        _tallies(calls, lambda row: row["model"]),
        tuple(TurnRow(name, outcome, by_turn.get(name, Tally.of(()))) for name, outcome in turns),
        max(len(section.of("request")) - len(calls), 0),
    )


def _tallies(calls: Iterable[Row], key: Callable[[Row], str]) -> dict[str, Tally]:
    groups: dict[str, list[Row]] = {}
    for row in calls:
        groups.setdefault(key(row), []).append(row)
    return {name: Tally.of(rows) for name, rows in groups.items()}
