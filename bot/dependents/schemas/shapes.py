"""Two versions of the schema of a value (JSON Schema, or OpenAPI's form of it): what the new one refuses, or no longer gives.

Directions: "in" is what others send or write, which must still be accepted; "out" is what others receive, which must still be there.
What cannot be decided by looking at both (patterns, `not`, conditions, a choice that has another form) is not a break.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from bot.dependents.schemas.breaks import Document, UnreadableSchemaError
from bot.dependents.schemas.documents import load, target_of
from bot.values import Side

Direction = Literal["in", "out"]
Keys = tuple[str, ...]
Shape = Mapping[str, object]
_MOST_STEPS, _DEEPEST = 100_000, 60
_BOUNDS = (("maxLength", -1), ("maximum", -1), ("maxItems", -1), ("minLength", 1), ("minimum", 1), ("minItems", 1))
_VAGUE = frozenset({"patternProperties", "anyOf", "oneOf", "if", "dependentSchemas", "unevaluatedProperties"})
_CHOICES = ("oneOf", "anyOf")
_ALL = frozenset({"string", "number", "integer", "boolean", "object", "array", "null"})


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


@dataclass(slots=True)
class _Members:
    """What a shape states about the properties of an object, with what the parts of `allOf` state."""

    properties: dict[str, tuple[object, Keys]]
    required_names: set[str]
    closed_parts: list[frozenset[str]] = field(
        default_factory=list
    )  # the names that each part takes which refuses others
    is_by_pattern: bool = False  # such a part takes names by patterns, too
    is_vague: bool = False  # keywords that are not compared state more

    def accepts(self, name: str) -> bool:
        """Whether no part refuses a property."""
        return all(name in part for part in self.closed_parts)

    def decides(self, name: str) -> bool:
        """Whether what is compared decides that a property is gone: nothing takes it back that a part refuses, except patterns."""
        return not self.is_vague or not (self.is_by_pattern or self.accepts(name))


class ShapeComparer:
    """Compares shapes of two documents. A pair of references is compared once for each direction, so that recursion ends."""

    def __init__(self, old: Document, new: Document, *, closed_only: bool) -> None:
        self._old, self._new = load(old), load(new)
        self._path = new.path
        self._closed_only = closed_only  # whether a property that is gone matters only if others are refused
        self._done: set[tuple[int, int, Direction]] = set()
        self._kept: list[object] = []  # so that no two shapes have the same id
        self._steps = 0

    def compare(
        self, old: object, new: object, direction: Direction, at_old: Keys, at_new: Keys, label: Keys = ()
    ) -> Iterator[ShapeBreak]:
        """The breaks between two shapes."""
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise UnreadableSchemaError(self._path, f"comparing it takes more than {_MOST_STEPS:,} steps")
        old, at_old = _resolved(self._old, old, at_old)
        new, at_new = _resolved(self._new, new, at_new)
        if not isinstance(old, Mapping) or not isinstance(new, Mapping) or len(label) > _DEEPEST:
            return
        pair = id(old), id(new), direction
        if pair in self._done or (old == new and not _has_references(old)):
            return
        self._done.add(pair)
        self._kept += [old, new]
        is_elsewhere = "$ref" in old or "$ref" in new  # it leads to another file: what it takes is not known
        if not is_elsewhere and not any(key in new and key not in old for key in _CHOICES):
            yield from self._of_pair(old, new, direction, at_old, at_new, label)

    def _of_pair(
        self, old: Shape, new: Shape, direction: Direction, at_old: Keys, at_new: Keys, label: Keys
    ) -> Iterator[ShapeBreak]:
        """The breaks between two shapes behind their references."""
        yield from _of_types(old, new, direction, at_new, label)
        yield from _of_values(old, new, direction, at_old, at_new, label)
        yield from self._of_properties(old, new, direction, at_old, at_new, label)
        yield from self._of_parts(old, new, direction, at_old, at_new, label)

    def _of_properties(
        self, old: Shape, new: Shape, direction: Direction, at_old: Keys, at_new: Keys, label: Keys
    ) -> Iterator[ShapeBreak]:
        before, after = self._members(self._old, old, at_old), self._members(self._new, new, at_new)
        if not before.properties and not after.properties and not after.required_names:
            return
        for name, (shape, keys) in before.properties.items():
            is_refused = before.accepts(name) and not after.accepts(name)
            if name in after.properties and not is_refused:
                other, other_keys = after.properties[name]
                yield from self.compare(shape, other, direction, keys, other_keys, (*label, name))
            elif after.decides(name) and not _is_deprecated(shape):
                yield self._removal(name, keys, direction, label, is_closed=bool(after.closed_parts))
        if direction == "in":
            if after.closed_parts and not before.closed_parts and not after.is_vague and not before.is_vague:
                law = "A value with a property that the schema does not name was accepted, and is refused now."
                keys, where = (*at_new, "additionalProperties"), _where(label)
                yield ShapeBreak("properties-closed", "no longer allows other properties", law, keys, "head", "", where)
            yield from self._of_requirements(before, after, at_new, label)

    def _removal(self, name: str, keys: Keys, direction: Direction, label: Keys, *, is_closed: bool) -> ShapeBreak:
        """Build the break of a property that is gone, by what becomes of a value that has it."""
        if is_closed:
            law = "A value that sets it is refused."
        elif direction == "out":
            law = "A client that reads it finds nothing."
        else:
            law = "The schema no longer describes what a client sends in it."
        is_open = self._closed_only and not is_closed
        return _of_property("property-removed", "was removed", law, keys, "base", label, name, is_open=is_open)

    def _of_requirements(self, before: _Members, after: _Members, at_new: Keys, label: Keys) -> Iterator[ShapeBreak]:
        law = "A value without it is refused."
        for name in sorted(after.required_names - before.required_names):
            shape = after.properties.get(name, ({}, at_new))[0]
            if not (isinstance(shape, Mapping) and "default" in shape and not self._closed_only):
                keys = (*at_new, "required", name)
                yield _of_property("property-required", "is required now", law, keys, "head", label, name)

    def _members(self, root: Shape, shape: Shape, at: Keys, depth: int = 0) -> _Members:
        own = shape.get("properties")
        properties: dict[str, tuple[object, Keys]] = (
            {str(name): (value, (*at, "properties", str(name))) for name, value in own.items()}
            if isinstance(own, Mapping)
            else {}
        )
        entries = shape.get("required")
        required_names = {name for name in entries if isinstance(name, str)} if isinstance(entries, list) else set()
        members = _Members(properties, required_names, is_vague=not _VAGUE.isdisjoint(shape))
        if shape.get("additionalProperties") is False:
            members.closed_parts.append(frozenset(properties))
            members.is_by_pattern = "patternProperties" in shape
        parts = shape.get("allOf")
        for number, part in enumerate(parts if isinstance(parts, list) and depth < 8 else []):  # noqa: PLR2004 - parts of parts of parts
            inner, keys = _resolved(root, part, (*at, "allOf", str(number)))
            if isinstance(inner, Mapping):
                more = self._members(root, inner, keys, depth + 1)
                members.properties |= more.properties
                members.required_names |= more.required_names
                members.closed_parts += more.closed_parts
                members.is_vague |= more.is_vague
                members.is_by_pattern |= more.is_by_pattern
        return members

    def _of_parts(
        self, old: Shape, new: Shape, direction: Direction, at_old: Keys, at_new: Keys, label: Keys
    ) -> Iterator[ShapeBreak]:
        """What a shape is made of: items, other properties, variants."""
        for key in ("items", "additionalProperties"):
            if isinstance(old.get(key), Mapping) and isinstance(new.get(key), Mapping):
                yield from self.compare(old[key], new[key], direction, (*at_old, key), (*at_new, key), (*label, "*"))
        for key in ("oneOf", "anyOf"):
            before, after = old.get(key), new.get(key)
            if isinstance(before, list) and isinstance(after, list):
                yield from self._of_variants(before, after, key, direction, at_old, at_new, label)

    def _of_variants(
        self,
        before: Sequence[object],
        after: Sequence[object],
        key: str,
        direction: Direction,
        at_old: Keys,
        at_new: Keys,
        label: Keys,
    ) -> Iterator[ShapeBreak]:
        """Variants are compared by what they refer to or are called; one that has no partner is not decided."""
        names, own_names = _variants(after), _variants(before)
        for number, one in enumerate(before):
            name = _variant(one)
            if name in names and name in own_names:
                at = names[name]
                yield from self.compare(
                    one, after[at], direction, (*at_old, key, str(number)), (*at_new, key, str(at)), label
                )
            elif len(before) == len(after) == 1:
                yield from self.compare(one, after[0], direction, (*at_old, key, "0"), (*at_new, key, "0"), label)
        if direction == "in":
            fixed_before, fixed_after = _fixed(before), _fixed(after)
            if fixed_after is not None and fixed_before is not None:
                for value in sorted(fixed_before - fixed_after):
                    law = "A value that has it is refused."
                    yield ShapeBreak(
                        "value-removed",
                        f"no longer allows `{value}`",
                        law,
                        (*at_old, key, value),
                        "base",
                        value,
                        _where(label),
                    )


def _of_property(
    rule: str, change: str, law: str, keys: Keys, side: Side, label: Keys, name: str, *, is_open: bool = False
) -> ShapeBreak:
    return ShapeBreak(rule, change, law, keys, side, name, ".".join((*label, name)), is_open)


def _where(label: Keys) -> str:
    return ".".join(label) or "the value"


def _resolved(root: Mapping[str, object], shape: object, at: Keys) -> tuple[object, Keys]:
    """A shape behind its references, and where it is."""
    for _ in range(20):
        reference = shape.get("$ref") if isinstance(shape, Mapping) else None
        if not isinstance(reference, str) or not reference.startswith("#"):
            break
        target = target_of(root, reference)
        if target is None:
            break
        shape, at = target, tuple(reference.removeprefix("#").strip("/").split("/"))
    return shape, at


def _has_references(shape: object) -> bool:
    return "$ref" in repr(shape)[:2_000_000]


def _is_deprecated(shape: object) -> bool:
    return isinstance(shape, Mapping) and (
        shape.get("deprecated") is True or "doNotSuggest" in shape or "deprecationMessage" in shape
    )


def _types(shape: Mapping[str, object]) -> frozenset[str] | None:
    """The types that a shape allows; None if it does not say."""
    kind = shape.get("type")
    names = (
        {kind}
        if isinstance(kind, str)
        else {one for one in kind if isinstance(one, str)}
        if isinstance(kind, list)
        else None
    )
    if not names:
        return None
    if shape.get("nullable") is True:
        names = {*names, "null"}
    return frozenset(names | ({"integer"} if "number" in names else set()))


def _of_types(
    old: Mapping[str, object], new: Mapping[str, object], direction: Direction, at: Keys, label: Keys
) -> Iterator[ShapeBreak]:
    before, after = _types(old), _types(new)
    where = _where(label)
    if before is None and (
        direction == "out"
        or after is None
        or any(key in old for key in ("$ref", "anyOf", "oneOf", "allOf", "enum", "const", "properties", "not"))
    ):
        return
    if after is None or not after <= _ALL:
        return
    lost_types = (before or _ALL) - after if direction == "in" else after - (before or _ALL)
    if lost_types and (before is None or before <= _ALL):
        was = (
            " or ".join(sorted(before - {"integer"} if before and "number" in before else before))
            if before
            else "anything"
        )
        law = "A value of the old type is refused." if direction == "in" else "Code that reads it expects the old type."
        now = " or ".join(sorted(after - {"integer"} if "number" in after else after))
        yield ShapeBreak(
            "type-changed", f"is {now} instead of {was}", law, (*at, "type"), "head", label[-1] if label else "", where
        )


def _fixed(values: Sequence[object]) -> frozenset[str] | None:
    """The values of variants that are constants or lists of values, if each of them is."""
    constants: set[str] = set()
    for one in values:
        if not isinstance(one, Mapping):
            return None
        if isinstance(one.get("const"), str):
            constants.add(str(one["const"]))
        elif isinstance(one.get("enum"), list):
            constants.update(value for value in one["enum"] if isinstance(value, str))
        else:
            return None
    return frozenset(constants)


def _of_values(
    old: Mapping[str, object], new: Mapping[str, object], direction: Direction, at_old: Keys, at_new: Keys, label: Keys
) -> Iterator[ShapeBreak]:
    if direction == "out":
        return
    before, after = old.get("enum"), new.get("enum")
    if after is None and "const" in new:
        after = [new["const"]]
    where = _where(label)
    allowed = after if isinstance(after, list) else []
    if isinstance(before, list) and isinstance(after, list):
        for value in [one for one in before if one not in allowed][:50]:
            law = "A value that has it is refused."
            yield ShapeBreak(
                "value-removed",
                f"no longer allows `{_written(value)[:60]}`",
                law,
                (*at_old, "enum", _written(value)),
                "base",
                _written(value),
                where,
            )
    elif (
        isinstance(new.get("enum"), list)
        and not isinstance(before, list)
        and _types(old) is not None
        and "const" not in old
        and not {"anyOf", "oneOf", "allOf", "$ref"} & old.keys()
    ):
        law = "Any other value that was accepted is refused."
        yield ShapeBreak(
            "value-restricted",
            "allows only listed values now",
            law,
            (*at_new, "enum"),
            "head",
            label[-1] if label else "",
            where,
        )
    for key, sign in _BOUNDS:
        was, now = old.get(key), new.get(key)
        if (
            isinstance(now, (int, float))
            and not isinstance(now, bool)
            and (was is None or isinstance(was, (int, float)))
        ):
            tighter = (now - was) * sign > 0 if was is not None else not (sign > 0 and now <= 0)
            if tighter and (was is not None or _types(old) is not None):
                yield ShapeBreak(
                    "bound-tightened",
                    f"has {key} {now}" + (f" instead of {was}" if was is not None else ""),
                    "A value beyond it was accepted, and is refused now.",
                    (*at_new, key),
                    "head",
                    label[-1] if label else "",
                    where,
                )


def _written(value: object) -> str:
    """A value as a document has it."""
    return value if isinstance(value, str) else json.dumps(value)


def _variants(shapes: Sequence[object]) -> dict[str, int]:
    """The variants by what they refer to or are called, without those of which several are called so."""
    names = [_variant(one) for one in shapes]
    counts = Counter(names)
    return {name: number for number, name in enumerate(names) if name and counts[name] == 1}


def _variant(shape: object) -> str:
    """What a variant refers to, or is called."""
    if not isinstance(shape, Mapping):
        return ""
    title = shape.get("$ref") or shape.get("title")
    return str(title) if title else str(shape["type"]) if set(shape) and isinstance(shape.get("type"), str) else ""
