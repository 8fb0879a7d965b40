"""Read the `language.toml` of each language, once and without loading a grammar."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar, get_origin

FOLDER = Path(__file__).parent / "languages"
OTHERS = "others.toml"  # file types without a language folder
NESTED = ("calls",)  # tables in which a grammar's row is merged with the folder's
Value = TypeVar("Value")


@cache
def folders() -> Mapping[str, Mapping[str, Any]]:
    """Return language folder -> its table."""
    found = sorted(entry.name for entry in FOLDER.iterdir() if (entry / "language.toml").is_file())
    return MappingProxyType(
        {name: tomllib.loads((FOLDER / name / "language.toml").read_text("utf-8")) for name in found}
    )


@cache
def others() -> tuple[Mapping[str, Any], ...]:
    """Return the rows for files that no language reads."""
    return tuple(tomllib.loads((FOLDER / OTHERS).read_text("utf-8"))["types"])


def rows(folder: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the settings of each grammar in a folder; a grammar's own row takes precedence."""
    table = folders()[folder]
    return {
        name: {**table, **row, **{key: {**table.get(key, {}), **row.get(key, {})} for key in NESTED}}
        for name, row in table["grammars"].items()
    }


def filled(kind: type[Value], row: Mapping[str, Any], **more: object) -> Value:
    """Return an instance from a row. Collections are split at spaces, and missing values get their defaults."""
    given = {name: _as(type_, row[name]) for name, type_ in kind.__annotations__.items() if name in row}
    return kind(**{**given, **more})


def _as(kind: Any, value: Any) -> Any:  # noqa: ANN401 - what a table holds
    origin = get_origin(kind) or kind
    if origin in (tuple, frozenset):
        return origin(value.split() if isinstance(value, str) else value)
    return value
