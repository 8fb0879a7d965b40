"""Read the `language.toml` of each language, once and without loading a grammar."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Protocol, TypeVar, get_args, get_origin

FOLDERS = [Path(__file__).parent / "languages"]  # each contains one folder for each language
OTHERS = "others.toml"  # file types without a language folder


class Fielded(Protocol):
    """A value with fields that a row can fill."""

    __struct_fields__: ClassVar[tuple[str, ...]]


Value = TypeVar("Value", bound=Fielded)


@cache
def folders() -> Mapping[str, Mapping[str, Any]]:
    """Return language folder -> its table."""
    found = {file.parent.name: file for folder in FOLDERS for file in folder.glob("*/language.toml")}
    return MappingProxyType({name: tomllib.loads(found[name].read_text("utf-8")) for name in sorted(found)})


@cache
def others() -> tuple[Mapping[str, Any], ...]:
    """Return the rows for files that no language reads."""
    return tuple(tomllib.loads((FOLDERS[0] / OTHERS).read_text("utf-8"))["types"])


def rows(folder: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the settings of each grammar in a folder; a grammar's own row takes precedence."""
    table = folders()[folder]
    return {name: {**table, **row} for name, row in table["grammars"].items()}


def filled(kind: type[Value], row: Mapping[str, Any], **more: object) -> Value:
    """Return an instance from a row. Collections are split at spaces, and missing values get their defaults."""
    types = {name: type_ for base in kind.__mro__ for name, type_ in vars(base).get("__annotations__", {}).items()}
    given = {name: _as(name, types[name], row[name]) for name in kind.__struct_fields__ if name in row}
    return kind(**{**given, **more})


def _as(name: str, kind: Any, value: Any) -> Any:  # noqa: ANN401 - what a table contains
    origin = get_origin(kind) or kind
    if origin is Literal and value not in get_args(kind):
        raise ValueError(
            f"{name} = {value!r} in a language.toml: it must be one of {', '.join(map(repr, get_args(kind)))}"
        )
    if origin in (tuple, frozenset):
        return origin(value.split() if isinstance(value, str) else value)
    return value
