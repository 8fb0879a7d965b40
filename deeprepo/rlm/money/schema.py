"""Check a structured answer against its schema, and describe the first mismatch for the model. Pure functions.

Supports the part of JSON Schema that our schemas use: type, properties, required, items and enum.
"""

from collections.abc import Mapping, Sequence
from typing import Any

TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (Mapping,),
    "array": (list, tuple),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def misfit(value: Any, schema: Mapping[str, Any], at: str = "the answer") -> str:  # noqa: ANN401 - any JSON value
    """Return the first mismatch as a sentence, or "" if the value fits."""
    kinds = schema.get("type", ())
    names = [kinds] if isinstance(kinds, str) else list(kinds)
    if names and not any(_is(value, name) for name in names):
        return f"{at} must be {' or '.join(names)}, not {'nothing' if value is None else type(value).__name__}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{at} must be one of {', '.join(map(repr, schema['enum']))}, not {str(value)[:60]!r}"
    lacking = [name for name in schema.get("required", ()) if isinstance(value, Mapping) and name not in value]
    if lacking:
        return f"{at} lacks {lacking[0]!r}"
    return next(filter(None, (misfit(*part) for part in _parts(value, schema, at))), "")


def _is(value: object, name: str) -> bool:
    """Return whether a value has this JSON type. Booleans are not numbers, although Python's bool is an int."""
    is_kind = isinstance(value, TYPES.get(name, (object,)))
    return is_kind and not (isinstance(value, bool) and name in {"integer", "number"})


def _parts(value: object, schema: Mapping[str, Any], at: str) -> Sequence[tuple[Any, Mapping[str, Any], str]]:
    if isinstance(value, Mapping):
        properties = schema.get("properties", {})
        return [(value[name], part, f"{at}.{name}") for name, part in properties.items() if name in value]
    items = value if isinstance(value, (list, tuple)) else ()
    return [(item, schema.get("items", {}), f"{at}[{number}]") for number, item in enumerate(items)]
