"""Compare two versions of a value's schema (JSON Schema or OpenAPI), and find what is refused or missing now.

The direction "in" is what others send, which must still be accepted. "out" is what others receive, which must
still contain what they read. What cannot be decided from both versions is not a break: patterns, bounds,
`not`, conditions and changed choices.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Literal

from deeprepo.impact.schemas.breaks import Kind, SchemaBreak, Severity, UnreadableSchemaError
from deeprepo.impact.schemas.documents import Node
from deeprepo.impact.structs import Struct, field
from deeprepo.impact.values import Side

_MOST_STEPS, _DEEPEST = 100_000, 60
_CHOICES = ("oneOf", "anyOf")
_VAGUE = frozenset({"patternProperties", *_CHOICES, "if", "dependentSchemas", "unevaluatedProperties"})
_TYPES = frozenset({"string", "number", "integer", "boolean", "object", "array", "null"})


class Part(Struct, frozen=True):
    """What a schema describes, as shown to people, and what users of it mention."""

    what: str  # "the body of POST /orders", "job.schema.json"
    owner: str
    direction: Literal["in", "out"] = "in"
    noun: Literal["property", "parameter"] = "property"

    def broken(
        self, rule: str, change: str, law: str, at: Node, side: Side, label: tuple[str, ...], name: str = "", *,
        kind: Kind | None = None, alone: Severity | None = "low",
    ) -> SchemaBreak:  # fmt: skip
        """Return a break of a part of the value. `name`: what users write, if it differs from the label."""
        where = ".".join(label)
        return SchemaBreak(
            rule, kind or self.noun, f"{where} of {self.what}" if where else self.what, change, law, at.document.path, at.line, side,
            name or (label[-1] if label else self.what), self.owner, alone,
        )  # fmt: skip


class Members(Struct):
    """What a schema states about an object's properties, including its `allOf` parts."""

    properties: dict[str, Node] = field(default_factory=dict)
    required: dict[str, Node] = field(default_factory=dict)  # name -> where it is required
    is_closed: bool = False  # other properties are refused
    is_vague: bool = False  # keywords that are not compared, or other files, state more


class ShapeComparer:
    """Compares the schemas of two documents.

    A pair of references is compared once per direction, so that recursion ends.
    """

    def __init__(self, *, closed_only: bool) -> None:
        self._closed_only = closed_only  # a removed property only matters if others are refused
        self._done: dict[tuple[int, int, str], tuple[Node, Node]] = {}  # kept alive, so that ids stay unique
        self._steps = 0

    def compare(self, part: Part, old: Node, new: Node, label: tuple[str, ...] = ()) -> Iterator[SchemaBreak]:
        """Yield the breaks between two schemas. Raises `UnreadableSchemaError`."""
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise UnreadableSchemaError(new.document.path, f"comparing it takes more than {_MOST_STEPS:,} steps")
        old, new = old.behind(), new.behind()
        before, after, key = old.mapping, new.mapping, (id(old.value), id(new.value), part.direction)
        # A reference to another file is unknown, and a new choice is not compared.
        is_unknown = "$ref" in before or "$ref" in after or any(one in after and one not in before for one in _CHOICES)
        is_equal = before == after and "$ref" not in repr(before)[:2_000_000]
        if not before or not after or is_unknown or is_equal or key in self._done or len(label) > _DEEPEST:
            return
        self._done[key] = old, new
        yield from _of_types(part, old, new, label)
        if part.direction == "in":
            yield from _of_values(part, old, new, label)
        yield from self.of_members(part, _members(old), _members(new), label)
        for name in ("items", "additionalProperties"):
            yield from self.compare(part, old.at(name), new.at(name), (*label, "*"))
        for name in _CHOICES:
            references = {str(one.value): one for one in new.at(name).parts() if "$ref" in str(one.value)}
            for one in old.at(name).parts():
                if str(one.value) in references:
                    yield from self.compare(part, one, references[str(one.value)], label)

    def of_members(
        self, part: Part, before: Members, after: Members, label: tuple[str, ...] = ()
    ) -> Iterator[SchemaBreak]:
        """Yield the breaks between the properties of two schemas."""
        for name, node in before.properties.items():
            if name in after.properties:
                yield from self.compare(part, node, after.properties[name], (*label, name))
            elif (after.is_closed or not after.is_vague) and not _is_deprecated(node.value):
                law = "What is sent in it is ignored or refused."
                law = "A client that reads it finds nothing." if part.direction == "out" else law
                alone: Severity | None = None if self._closed_only and not after.is_closed else "low"
                rule = f"{part.noun}-removed"
                yield part.broken(rule, "was removed", law, node, "base", (*label, name), alone=alone)
        for name, node in after.required.items() if part.direction == "in" else ():
            if name not in before.required and (name in before.properties or not before.is_vague):
                law = "What is sent without it is refused."
                yield part.broken(f"{part.noun}-required", "is now required", law, node, "head", (*label, name))


def _members(shape: Node, depth: int = 0) -> Members:
    value, properties, required = shape.mapping, shape.at("properties"), shape.at("required")
    names = [one for one in required.value if isinstance(one, str)] if isinstance(required.value, list) else []
    members = Members(
        {name: properties.at(name) for name in properties.mapping},
        {name: Node(shape.document, name, (*required.keys, name)) for name in names},
        value.get("additionalProperties") is False and "patternProperties" not in value,
        not _VAGUE.isdisjoint(value),
    )
    for part in shape.at("allOf").parts() if depth < 8 else ():  # noqa: PLR2004 - parts of parts of parts
        more = _members(part, depth + 1)
        members.properties |= more.properties
        members.required |= more.required
        members.is_closed |= more.is_closed
        members.is_vague |= more.is_vague
    return members


def _is_deprecated(shape: object) -> bool:
    return isinstance(shape, Mapping) and shape.get("deprecated") is True


def _types(shape: Node) -> frozenset[str]:
    """Return the types that a schema allows; empty if unlimited."""
    kind = shape.mapping.get("type")
    names = {one for one in (kind if isinstance(kind, list) else [kind]) if isinstance(one, str)}
    if names and shape.mapping.get("nullable") is True:
        names.add("null")
    return frozenset(names | ({"integer"} if "number" in names else set()))


def _of_types(part: Part, old: Node, new: Node, label: tuple[str, ...]) -> Iterator[SchemaBreak]:
    before, after = _types(old), _types(new)
    lost = before - after if part.direction == "in" else after - before
    if before and after and lost and before | after <= _TYPES:
        law = (
            "A value of the old type is refused."
            if part.direction == "in"
            else "Code that reads it expects the old type."
        )
        change = f"is {_either(after)} instead of {_either(before)}"
        yield part.broken("type-changed", change, law, new.at("type"), "head", label)


def _either(types: frozenset[str]) -> str:
    return " or ".join(sorted(types - {"integer"} if "number" in types else types))


def _of_values(part: Part, old: Node, new: Node, label: tuple[str, ...]) -> Iterator[SchemaBreak]:
    before, after = _values(old), _values(new)
    if before is None and after is not None and _types(old):
        law = "Any other value that was accepted is refused."
        yield part.broken("value-restricted", "allows only listed values now", law, new.at("enum"), "head", label)
    for value in [one for one in before or () if after is not None and one not in after]:
        text = value if isinstance(value, str) else json.dumps(value)
        at, change = Node(old.document, value, (*old.keys, "enum", text)), f"no longer allows `{text[:60]}`"
        yield part.broken(
            "value-removed", change, "A value that has it is refused.", at, "base", label, text, kind="value"
        )


def _values(shape: Node) -> list[object] | None:
    """Return the values that a schema allows; None if unlimited."""
    values, value = shape.mapping.get("enum"), shape.mapping
    return values if isinstance(values, list) else [value["const"]] if "const" in value else None
