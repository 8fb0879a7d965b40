"""Two versions of the schema of a value (JSON Schema, or OpenAPI's form of it): what the new one refuses, or no longer gives.

Directions: "in" is what others send or write, which must still be accepted; "out" is what others receive, which must still be there.
What cannot be decided by looking at both (patterns, `not`, conditions, a choice that has another form) is not a break.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from bot.dependents.schemas.breaks import Document, UnreadableSchemaError
from bot.dependents.schemas.documents import resolved
from bot.values import Side

Direction = Literal["in", "out"]
Keys = tuple[str, ...]
Shape = Mapping[str, object]
_MOST_STEPS, _DEEPEST = 100_000, 60
_MOST_VALUES = 50  # of one list that are reported
# Keywords whose number grows (1), or shrinks (-1), when they refuse more.
_BOUNDS = {"maxLength": -1, "maximum": -1, "maxItems": -1, "minLength": 1, "minimum": 1, "minItems": 1}
_CHOICES = ("oneOf", "anyOf")
_VAGUE = frozenset({"patternProperties", *_CHOICES, "if", "dependentSchemas", "unevaluatedProperties"})
_TYPES = frozenset({"string", "number", "integer", "boolean", "object", "array", "null"})
_REFUSED = "A value that has it is refused."


@dataclass(frozen=True, slots=True)
class ShapeBreak:
    """One difference. `keys` lead to it in the document of its side; `name` is the property, or the value."""

    rule: str
    change: str
    law: str
    keys: Keys
    side: Side
    name: str
    label: str  # where in the value: "order.items.price"
    is_open: bool = False  # the value is still accepted: only code that names it breaks


@dataclass(frozen=True, slots=True)
class _Pair:
    """A shape on both sides, with the keys that lead to it, and where it is in the value."""

    old: Shape
    new: Shape
    at_old: Keys
    at_new: Keys
    direction: Direction
    label: Keys

    @property
    def name(self) -> str:
        return self.label[-1] if self.label else ""

    def changed(self, rule: str, change: str, law: str, key: str) -> ShapeBreak:
        """Build a break at a keyword of the new side."""
        return ShapeBreak(
            rule, change, law, (*self.at_new, key), "head", self.name, ".".join(self.label) or "the value"
        )


@dataclass(slots=True)
class _Members:
    """What a shape states about the properties of an object, with what the parts of `allOf` state."""

    properties: dict[str, tuple[object, Keys]] = field(default_factory=dict)
    required: set[str] = field(default_factory=set)
    is_closed: bool = False  # it refuses other properties
    is_vague: bool = False  # keywords that are not compared state more


class ShapeComparer:
    """Compares shapes of two documents. A pair of references is compared once for each direction, so that recursion ends."""

    def __init__(self, old: Document, new: Document, *, closed_only: bool) -> None:
        self._old, self._new = old, new
        self._closed_only = closed_only  # whether a property that is gone matters only if others are refused
        self._done: dict[tuple[int, int, Direction], tuple[object, object]] = {}  # kept, so that no two have one id
        self._steps = 0

    def compare(
        self, old: object, new: object, direction: Direction, at_old: Keys, at_new: Keys, label: Keys = ()
    ) -> Iterator[ShapeBreak]:
        """The breaks between two shapes. Raises `UnreadableSchemaError`."""
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise UnreadableSchemaError(self._new.path, f"comparing it takes more than {_MOST_STEPS:,} steps")
        old, at_old = resolved(self._old, old, at_old)
        new, at_new = resolved(self._new, new, at_new)
        if not isinstance(old, Mapping) or not isinstance(new, Mapping) or len(label) > _DEEPEST:
            return
        # What refers to another file is not known; what gets a choice is not judged by it.
        is_unknown = "$ref" in old or "$ref" in new or any(key in new and key not in old for key in _CHOICES)
        is_equal = old == new and "$ref" not in repr(old)[:2_000_000]
        if is_unknown or is_equal or (id(old), id(new), direction) in self._done:
            return
        self._done[id(old), id(new), direction] = old, new
        pair = _Pair(old, new, at_old, at_new, direction, label)
        yield from _of_types(pair)
        if direction == "in":
            yield from _of_values(pair)
            yield from _of_bounds(pair)
        yield from self._of_properties(pair)
        yield from self._of_parts(pair)

    def _of_properties(self, pair: _Pair) -> Iterator[ShapeBreak]:
        before = self._members(self._old, pair.old, pair.at_old)
        after = self._members(self._new, pair.new, pair.at_new)
        for name, (shape, keys) in before.properties.items():
            if name in after.properties:
                other, other_keys = after.properties[name]
                yield from self.compare(shape, other, pair.direction, keys, other_keys, (*pair.label, name))
            elif (after.is_closed or not after.is_vague) and not _is_deprecated(shape):
                law = "The schema no longer describes what a client sends in it."
                law = "A client that reads it finds nothing." if pair.direction == "out" else law
                law = "A value that sets it is refused." if after.is_closed else law
                is_open = self._closed_only and not after.is_closed
                where = ".".join((*pair.label, name))
                yield ShapeBreak("property-removed", "was removed", law, keys, "base", name, where, is_open)
        if pair.direction == "out":
            return
        if after.is_closed and before.properties and not before.is_closed and not before.is_vague:
            law = "A value with a property that the schema does not name was accepted, and is refused now."
            yield pair.changed("properties-closed", "no longer allows other properties", law, "additionalProperties")
        for name in sorted(after.required - before.required):
            shape = after.properties.get(name, ({}, ()))[0]
            if self._closed_only or not (isinstance(shape, Mapping) and "default" in shape):
                where, keys = ".".join((*pair.label, name)), (*pair.at_new, "required", name)
                law = "A value without it is refused."
                yield ShapeBreak("property-required", "is required now", law, keys, "head", name, where)

    def _members(self, document: Document, shape: Shape, at: Keys, depth: int = 0) -> _Members:
        members = _Members(is_vague=not _VAGUE.isdisjoint(shape))
        members.is_closed = shape.get("additionalProperties") is False and "patternProperties" not in shape
        properties, required, parts = shape.get("properties"), shape.get("required"), shape.get("allOf")
        if isinstance(properties, Mapping):
            members.properties = {
                str(name): (value, (*at, "properties", str(name))) for name, value in properties.items()
            }
        if isinstance(required, list):
            members.required = {name for name in required if isinstance(name, str)}
        for number, part in enumerate(parts if isinstance(parts, list) and depth < 8 else []):  # noqa: PLR2004 - parts of parts of parts
            inner, keys = resolved(document, part, (*at, "allOf", str(number)))
            if isinstance(inner, Mapping):
                more = self._members(document, inner, keys, depth + 1)
                members.properties |= more.properties
                members.required |= more.required
                members.is_closed |= more.is_closed
                members.is_vague |= more.is_vague
        return members

    def _of_parts(self, pair: _Pair) -> Iterator[ShapeBreak]:
        """What a shape is made of: items, other properties, and variants that are called alike."""
        for key in ("items", "additionalProperties"):
            keys = (*pair.at_old, key), (*pair.at_new, key)
            yield from self.compare(pair.old.get(key), pair.new.get(key), pair.direction, *keys, (*pair.label, "*"))
        for key in _CHOICES:
            before, after = _variants(pair.old.get(key)), _variants(pair.new.get(key))
            for name in [one for one in before if one in after]:
                keys = (*pair.at_old, key), (*pair.at_new, key)
                yield from self.compare(before[name], after[name], pair.direction, *keys, pair.label)


def _is_deprecated(shape: object) -> bool:
    return isinstance(shape, Mapping) and (
        shape.get("deprecated") is True or "doNotSuggest" in shape or "deprecationMessage" in shape
    )


def _types(shape: Shape) -> frozenset[str]:
    """The types that a shape allows; none if it does not say."""
    kind = shape.get("type")
    names = {one for one in (kind if isinstance(kind, list) else [kind]) if isinstance(one, str)}
    if names and shape.get("nullable") is True:
        names.add("null")
    return frozenset(names | ({"integer"} if "number" in names else set()))


def _of_types(pair: _Pair) -> Iterator[ShapeBreak]:
    before, after = _types(pair.old), _types(pair.new)
    lost = before - after if pair.direction == "in" else after - before
    if before and after and lost and before | after <= _TYPES:
        law = "Code that reads it expects the old type."
        law = "A value of the old type is refused." if pair.direction == "in" else law
        yield pair.changed("type-changed", f"is {_either(after)} instead of {_either(before)}", law, "type")


def _either(types: frozenset[str]) -> str:
    return " or ".join(sorted(types - {"integer"} if "number" in types else types))


def _of_values(pair: _Pair) -> Iterator[ShapeBreak]:
    before, after = _values(pair.old), _values(pair.new)
    if before is None and after is not None and _types(pair.old):
        law = "Any other value that was accepted is refused."
        yield pair.changed("value-restricted", "allows only listed values now", law, "enum")
    for value in [one for one in before or () if after is not None and one not in after][:_MOST_VALUES]:
        text = value if isinstance(value, str) else json.dumps(value)
        keys, where = (*pair.at_old, "enum", text), ".".join(pair.label) or "the value"
        yield ShapeBreak("value-removed", f"no longer allows `{text[:60]}`", _REFUSED, keys, "base", text, where)


def _values(shape: Shape) -> Sequence[object] | None:
    """The values to which a shape is limited, None if it is not."""
    values = shape.get("enum")
    return values if isinstance(values, list) else [shape["const"]] if "const" in shape else None


def _of_bounds(pair: _Pair) -> Iterator[ShapeBreak]:
    for key, sign in _BOUNDS.items():
        was, now = pair.old.get(key, 0 if sign > 0 else float("inf")), pair.new.get(key)
        if type(now) in (int, float) and isinstance(was, int | float) and (now - was) * sign > 0 and _types(pair.old):  # type: ignore[operator]
            change = f"has {key} {now}" + (f" instead of {was}" if key in pair.old else "")
            yield pair.changed("bound-tightened", change, "A value beyond it was accepted, and is refused now.", key)


def _variants(shapes: object) -> dict[str, object]:
    """The variants by what they refer to or are called, without those of which several are called so."""
    named = [(_name(one), one) for one in shapes] if isinstance(shapes, list) else []
    names = [name for name, _ in named]
    return {name: one for name, one in named if name and names.count(name) == 1}


def _name(shape: object) -> str:
    """What a variant refers to, or is called."""
    if not isinstance(shape, Mapping):
        return ""
    alone = shape.get("type") if len(shape) == 1 else ""
    return str(shape.get("$ref") or shape.get("title") or alone or "")
