"""The one table of languages: what `language.toml` of each folder says, read once and without loading a grammar."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar, get_origin

FOLDER = Path(__file__).parent / "languages"
OTHERS = "others.toml"  # types of files that no folder is about
NESTED = ("calls", "results")  # tables of which a grammar's own row is joined with the folder's
Value = TypeVar("Value")


@cache
def folders() -> Mapping[str, Mapping[str, Any]]:
    """Return folder of a language -> its table."""
    found = sorted(entry.name for entry in FOLDER.iterdir() if (entry / "language.toml").is_file())
    return MappingProxyType(
        {name: tomllib.loads((FOLDER / name / "language.toml").read_text("utf-8")) for name in found}
    )


@cache
def others() -> tuple[Mapping[str, Any], ...]:
    """Return the rows of files that no language reads."""
    return tuple(tomllib.loads((FOLDER / OTHERS).read_text("utf-8"))["types"])


def rows(folder: str) -> Mapping[str, Mapping[str, Any]]:
    """Return what holds of each grammar of a folder: what its own row says goes before what the table says."""
    table = folders()[folder]
    return {
        name: {**table, **row, **{key: {**table.get(key, {}), **row.get(key, {})} for key in NESTED}}
        for name, row in table["grammars"].items()
    }


def filled(kind: type[Value], row: Mapping[str, Any], **more: object) -> Value:
    """Return a value of a class from a row: words between spaces where it has a collection, the default where the row says nothing."""
    given = {name: _as(type_, row[name]) for name, type_ in kind.__annotations__.items() if name in row}
    return kind(**{**given, **more})


def _as(kind: Any, value: Any) -> Any:  # noqa: ANN401 - what a table holds
    origin = get_origin(kind) or kind
    if origin in (tuple, frozenset):
        return origin(value.split() if isinstance(value, str) else value)
    return value
