"""A JSON document with one value to be found by its key path, among thousands that have the same keys. Pure."""

import random
from dataclasses import dataclass

REGIONS = ("north", "east", "south", "west")
RECORD = '{{"id": {id}, "audit": {{"code": {code}, "year": {year}}}, "stock": [{a}, {b}], "open": {open}}}'


@dataclass(frozen=True, slots=True)
class Document:
    """The text, the path that is asked for, its value, and where that value ends in the text."""

    text: str
    path: str
    value: str
    end: int


def document(size: int, at: float, chance: random.Random) -> Document:
    """A document of `size` characters, within a record; `at` from 0 to 1 says which record is asked for, above 1 the last."""
    records: list[str] = []
    room = size - 250  # what stands around the records
    while room > 0:
        records.append(_record(len(records), chance))
        room -= len(records[-1]) + 2
    wanted = min(int(at * len(records)), len(records) - 1)
    share = -(-len(records) // len(REGIONS))
    parts = [records[share * n : share * (n + 1)] for n in range(len(REGIONS))]
    lists = [f'"{name}": [\n{_join(part)}\n]' for name, part in zip(REGIONS, parts, strict=True)]
    text = f'{{"catalogue": {{{", ".join(lists)}}}}}'
    path = f"catalogue.{REGIONS[wanted // share]}[{wanted % share}].audit.code"
    value = records[wanted].split('"code": ')[1].split(",")[0]
    end = text.index(f'{{"id": {wanted}, "audit": {{"code": {value}') + len(
        f'{{"id": {wanted}, "audit": {{"code": {value}'
    )
    return Document(text, path, value, end)


def _join(records: list[str]) -> str:
    return ",\n".join(records)


def _record(number: int, chance: random.Random) -> str:
    return RECORD.format(
        id=number,
        code=chance.randint(10_000_000, 99_999_999),
        year=chance.randint(1990, 2025),
        a=chance.randint(0, 9_999),
        b=chance.randint(0, 9_999),
        open=chance.choice(("true", "false")),
    )
