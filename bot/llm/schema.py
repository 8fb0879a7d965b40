"""Whether a structured answer fits the schema that was asked for, as a sentence that the model can act on. Pure.

Only the part of JSON Schema that our schemas use: type, properties, required, items, enum, minimum and maximum lengths.
"""

from collections.abc import Mapping, Sequence
from typing import Any

Value = Any  # any JSON value

TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (Mapping,),
    "array": (list, tuple),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def misfit(value: Value, schema: Mapping[str, Any], at: str = "the answer") -> str:
    """What is wrong, the first fault only; "" where it fits."""
    if "anyOf" in schema:
        faults = [misfit(value, one, at) for one in schema["anyOf"]]
        return "" if "" in faults else faults[0]
    wrong = _type(value, schema.get("type"), at) or _choice(value, schema, at)
    if wrong:
        return wrong
    if isinstance(value, Mapping):
        return _object(value, schema, at)
    if isinstance(value, (list, tuple)):
        return _array(value, schema, at)
    return ""


def _type(value: object, type_wanted: str | Sequence[str] | None, at: str) -> str:
    names = [type_wanted] if isinstance(type_wanted, str) else list(type_wanted or ())
    if not names or any(isinstance(value, TYPES.get(name, (object,))) and _number(value, name) for name in names):
        return ""
    return f"{at} must be {' or '.join(names)}, not {'nothing' if value is None else type(value).__name__}"


def _number(value: object, name: str) -> bool:
    """In JSON true is no number, though Python's bool is an int."""
    return not (isinstance(value, bool) and name in {"integer", "number"})


def _choice(value: object, schema: Mapping[str, Any], at: str) -> str:
    choices = schema.get("enum")
    if choices is None or value in choices:
        return ""
    return f"{at} must be one of {', '.join(map(repr, choices))}, not {str(value)[:60]!r}"


def _object(value: Mapping[str, Any], schema: Mapping[str, Any], at: str) -> str:
    for name in schema.get("required", ()):
        if name not in value:
            return f"{at} lacks {name!r}"
    for name, part in schema.get("properties", {}).items():
        wrong = misfit(value[name], part, f"{at}.{name}") if name in value else ""
        if wrong:
            return wrong
    return ""


def _array(value: Sequence[Any], schema: Mapping[str, Any], at: str) -> str:
    if len(value) < schema.get("minItems", 0):
        return f"{at} must have at least {schema['minItems']} items"
    for number, item in enumerate(value):
        wrong = misfit(item, schema.get("items", {}), f"{at}[{number}]")
        if wrong:
            return wrong
    return ""
