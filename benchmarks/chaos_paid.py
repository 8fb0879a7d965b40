"""Model calls that were paid twice, by the journals that servers leave: a request after the reply to the very same one."""

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import sqlalchemy as sa

from bot import storage
from bot.storage.tables import line


async def again(folder: Path, url: str) -> tuple[int, int]:
    """Requests whose reply stood in the journal already, and how many replies there are; in the database, else in files."""
    journals = (
        await _stored(url) if url else [found.read_text().splitlines() for found in folder.rglob("journals/*.jsonl")]
    )
    rows = [counted(map(json.loads, journal)) for journal in journals]
    return sum(twice for twice, _ in rows), sum(calls for _, calls in rows)


def counted(rows: Iterable[dict[str, object]]) -> tuple[int, int]:
    """Of one journal."""
    twice = 0
    answered: Counter[object] = Counter()
    for row in rows:
        twice += row["kind"] == "request" and row["key"] in answered
        if row["kind"] == "call" and "reply" in row:
            answered[row["key"]] += 1
    return twice, answered.total()


async def _stored(url: str) -> list[list[str]]:
    async with storage.open_store(url) as store:
        names = await store.database.run(lambda c: list(c.execute(sa.select(line.c.journal).distinct()).scalars()))
        return [await store.journals.lines(name) for name in names]
