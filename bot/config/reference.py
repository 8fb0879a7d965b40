"""List every setting for the reference, from the same schemas that validate the settings."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from bot.config.removed import REMOVED_VARIABLES
from bot.config.repository import json_schema
from bot.config.server import SECRETS, App, ServerOptions
from bot.config.settings import PREFIX, Settings, own_variables

AS_FILE = (*SECRETS, "database_url")  # secrets that can also be read from the file named in NAME_FILE


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One row of the reference: a setting's name, type, default and description, as Markdown."""

    name: str
    form: str
    default: str
    about: str


def tables() -> dict[str, list[SettingRow]]:
    """Return the rows of every table.

    The tables are "repository" (the settings file), "everywhere" (the variables for every command), "server"
    and "app" (the App's credentials).
    """
    return {
        "repository": list(_keys(json.loads(json_schema()))),
        "everywhere": list(_variables(TypeAdapter(Settings).json_schema())),
        "server": list(_variables(ServerOptions.model_json_schema())),
        "app": list(_variables(App.model_json_schema())),
    }


def variables() -> set[str]:
    """Return the names of all environment variables that are settings, including NAME_FILE for secrets."""
    names = (*ServerOptions.model_fields, *App.model_fields, *(f"{name}_file" for name in AS_FILE))
    return own_variables() | {f"{PREFIX}{name}".upper() for name in names}


def unknown_variables(others: Iterable[str]) -> Iterator[str]:
    """Yield a sentence for each of these variables that is not a setting.

    Without this warning, a misspelled limit would silently have no effect.
    """
    from difflib import get_close_matches

    names = variables()
    for name in sorted({name.upper() for name in others} - names):
        if (instead := REMOVED_VARIABLES.get(name.removeprefix(PREFIX))) is not None:
            yield f"{name} was removed: {instead}"
            continue
        near = get_close_matches(name.removeprefix(PREFIX), [one.removeprefix(PREFIX) for one in names], 1, 0.7)
        hint = f"did you mean {PREFIX}{near[0]}?" if near else "run `deeprepo config --reference` to list all settings"
        yield f"{name} is not a deeprepo setting; {hint}"


def _keys(whole: Mapping[str, Any], part: Mapping[str, Any] | None = None, prefix: str = "") -> Iterator[SettingRow]:
    """Yield the keys in the repository's file, or in one section of it as "section.key"."""
    section = part or whole
    for name, field in section["properties"].items():
        inner, key = _section(whole, field), f"{prefix}{name}"
        if inner is not None and field.get("type") != "array":
            yield from _keys(whole, inner, f"{key}.")
            continue
        yield SettingRow(f"`{key}`", _form(field), _default(section, name), field["description"])
        if inner is not None:
            yield from _keys(whole, inner, f"{key}[].")


def _default(part: Mapping[str, Any], name: str) -> str:
    return "needed" if name in part.get("required", ()) else default_text(part["properties"][name].get("default"))


def _section(whole: Mapping[str, Any], part: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the schema of a key's section or of its list's entries, or None for a plain value."""
    items = part.get("items", {})
    schemas = (part, *part.get("anyOf", ()), items, *items.get("anyOf", ()))
    where = next((schema["$ref"] for schema in schemas if "$ref" in schema), None)
    section: Mapping[str, Any] | None = whole["$defs"][where.rpartition("/")[2]] if where else None
    return section


def _variables(whole: Mapping[str, Any]) -> Iterator[SettingRow]:
    for name, part in whole["properties"].items():
        variable = f"`{PREFIX}{name.upper()}`"
        both = f"{variable} or `{PREFIX}{name.upper()}_FILE`" if name in AS_FILE else variable
        yield SettingRow(both, _form(part), _default(whole, name), part["description"])


def default_text(value: object) -> str:
    """Return a default as it would be written in the file or variable, in backticks, or "none"."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, list | tuple):
        return f"`[{', '.join(map(str, value))}]`"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return f"`{value}`"


def _form(part: Mapping[str, Any]) -> str:
    """Return the allowed values in words, such as "whole number, at least 1"."""
    if "anyOf" in part:
        return " or ".join(_form(option) for option in part["anyOf"] if option.get("type") != "null")
    if "enum" in part:
        return ", ".join(f"`{option}`" for option in part["enum"] if option)
    kind = part.get("type")
    if kind == "array":
        items = part["items"]
        return f"list: {_form(items)}" if "enum" in items else f"list of {_items(items)}"
    if kind in {"integer", "number"}:
        return f"{'whole number' if kind == 'integer' else 'number'}{_range(part)}"
    if kind == "boolean":
        return "`true`, `false`"
    return {"password": "text, a secret", "path": "path"}.get(part.get("format", ""), "text")


def _items(part: Mapping[str, Any]) -> str:
    if "anyOf" in part:
        return " or ".join(map(_items, part["anyOf"]))
    return "sections" if "$ref" in part else "texts"


def _range(part: Mapping[str, Any]) -> str:
    low, above, high = (part.get(name) for name in ("minimum", "exclusiveMinimum", "maximum"))
    if low is not None and high is not None:
        return f", {low} to {high}"
    if above is not None:
        return f" above {above}"
    return f", at least {low}" if low is not None else ""
