"""Two versions of the schema of a value (JSON Schema, or OpenAPI's form of it): what the new one refuses, or no longer gives.

Directions: "in" is what others send or write, which must still be accepted; "out" is what others receive, which must still be there.
What cannot be decided by looking at both (patterns, `not`, conditions) is not a break.
"""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
_LIMITING = ("anyOf", "oneOf", "allOf", "not", "if", "pattern", "$ref")  # that may refuse a value of a list
# Keywords of JSON Schema that may refuse a value and are not compared.
_NOT_COMPARED = (
    "const", "not", "if", "then", "else", "pattern", "format", "multipleOf", "divisibleBy", "exclusiveMinimum", "exclusiveMaximum", "uniqueItems",
    "contains", "minContains", "maxContains", "minProperties", "maxProperties", "propertyNames", "dependencies", "dependentRequired",
    "dependentSchemas", "unevaluatedProperties", "unevaluatedItems", "additionalItems", "prefixItems", "disallow", "extends", "$dynamicRef",
    "$recursiveRef",
)  # fmt: skip
_WHERE_NEW = ("enum", "items", "additionalProperties", "allOf", "anyOf", "oneOf", *(key for key, _ in _BOUNDS))
_TELLING = frozenset({"title", "description", "$comment", "default", "examples"})  # refuses nothing
_START = re.compile(r"\^((?:[\w-]|\\[.-])++)(?![?*{])")
_MOST_PAIRS = 100_000  # of parts that are compared with each other
_LOWER, _UPPER = re.compile(r"min|exclusiveMin"), re.compile(r"max|exclusiveMax")
_CHOICES, _CHOICES_DEEP = ("oneOf", "anyOf"), 3
_KINDS: Mapping[type, str] = {
    str: "string", bool: "boolean", int: "integer", float: "number", dict: "object", list: "array"
}  # fmt: skip
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
    doubt: str = ""  # a keyword that the change adds and that is not compared


@dataclass(frozen=True, slots=True)
class _Closure:
    """What one part with `additionalProperties: false` takes."""

    names: frozenset[str]
    patterns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Members:
    """What a shape states about the properties of an object, with what the parts of `allOf` state."""

    properties: dict[str, tuple[object, Keys]]
    required_names: set[str]
    closed_parts: tuple["_Closure", ...]  # the parts that refuse other properties
    vague: Mapping[str, object]  # keywords that are not compared and state more, with their values

    def accepts(self, name: str) -> bool:
        """Whether no part refuses a property."""
        return all(name in part.names for part in self.closed_parts)

    def refuses(self, name: str) -> bool:
        """Whether a part certainly refuses a property: what is written beside `additionalProperties` takes nothing back, except patterns."""
        return any(
            name not in part.names and not any(_may_match(pattern, name) for pattern in part.patterns)
            for part in self.closed_parts
        )

    def doubt(self, before: "_Members") -> str | None:
        """Why it is unknown which properties are refused: a reason if the change adds a keyword that is not compared, None if such keywords stood there before, "" if there are none."""
        new_keys = [key for key, value in self.vague.items() if key not in before.vague or before.vague[key] != value]
        if new_keys:
            return f"the change adds `{new_keys[0]}` to it, which is not compared"
        return None if self.vague else ""


class ShapeComparer:
    """Compares shapes of two documents. A pair of references is compared once for each direction, so that recursion ends."""

    def __init__(self, old: Document, new: Document, *, closed_only: bool) -> None:
        self._old, self._new = load(old), load(new)
        self._path = new.path
        self._closed_only = closed_only  # whether a property that is gone matters only if others are refused
        self._done: set[tuple[int, int, Direction]] = set()
        self._order: list[tuple[int, int, Direction]] = []  # of what is done, so that an attempt can be taken back
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
        self._order.append(pair)
        self._kept += [old, new]
        if "$ref" in old and old["$ref"] != new.get("$ref"):  # it leads to another file: what it took is not known
            if self._closed_only:
                yield _of_keyword("$ref", old, at_new, label)
        elif direction == "out" or not self._is_variant(old, new, at_old, at_new):
            yield from self._of_pair(old, new, direction, at_old, at_new, label)

    def _of_pair(
        self, old: Shape, new: Shape, direction: Direction, at_old: Keys, at_new: Keys, label: Keys
    ) -> Iterator[ShapeBreak]:
        """The breaks between two shapes behind their references."""
        yield from _of_types(old, new, direction, at_new, label)
        yield from _of_values(old, new, direction, at_old, at_new, label)
        yield from self._of_properties(old, new, direction, at_old, at_new, label)
        yield from self._of_parts(old, new, direction, at_old, at_new, label)
        settled_keys: set[str] = set()
        if direction == "in":
            for key in _CHOICES:
                rows = self._of_lost_variants(old, new, key, at_old, at_new, label)
                yield from (row for row in rows if row is not None)
                if rows and None not in rows:
                    settled_keys.add(key)
        if self._closed_only:
            yield from _of_rest(old, new, at_new, label, settled_keys)

    def _is_variant(self, old: Shape, new: Shape, at_old: Keys, at_new: Keys) -> bool:
        """Whether the new shape is a choice of which one variant takes all that the old one took, and no other variant does."""
        rules = new.keys() - _TELLING
        (key,) = rules if len(rules) == 1 else ("",)
        variants = new.get(key)
        if key not in ("oneOf", "anyOf") or key in old or not isinstance(variants, list):
            return False
        types = _types(old)
        for number, one in enumerate(variants):
            others = [_types_behind(self._new, other) for other in variants[:number] + variants[number + 1 :]]
            is_one = key == "anyOf" or (types is not None and all(each and not each & types for each in others))
            before = len(self._order)
            if is_one and next(self.compare(old, one, "in", at_old, (*at_new, key, str(number))), None) is None:
                return True
            self._done -= set(self._order[before:])
            del self._order[before:]
        return False

    def _of_properties(
        self, old: Shape, new: Shape, direction: Direction, at_old: Keys, at_new: Keys, label: Keys
    ) -> Iterator[ShapeBreak]:
        before, after = self._members(self._old, old, at_old), self._members(self._new, new, at_new)
        if not before.properties and not after.properties and not after.required_names:
            return
        for name, (shape, keys) in before.properties.items():
            is_refused = before.accepts(name) and not after.accepts(name)
            doubt = "" if is_refused and after.refuses(name) else after.doubt(before)
            if name in after.properties and not is_refused:
                other, other_keys = after.properties[name]
                yield from self.compare(shape, other, direction, keys, other_keys, (*label, name))
            elif doubt is not None and not _is_deprecated(shape):
                row = self._removal(name, keys, direction, label, is_closed=bool(after.closed_parts))
                yield replace(row, doubt=doubt)
        if direction == "in":
            if not self._has_closed_choice(old):
                yield from _of_closing(before, after, at_new, label)
            yield from self._of_requirements(before, after, at_new, label)

    def _has_closed_choice(self, old: Shape) -> bool:
        """Whether each variant of a choice refuses other properties."""
        for variants in (old.get(key) for key in _CHOICES):
            shapes = [_resolved(self._old, one, ())[0] for one in variants] if isinstance(variants, list) else []
            objects = [one for one in shapes if isinstance(one, Mapping) and "object" in (_kinds(one) or {"object"})]
            if objects and all(self._members(self._old, one, ()).closed_parts for one in objects):
                return True
        return False

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
        closed_parts: tuple[_Closure, ...] = ()
        if shape.get("additionalProperties") is False:
            patterns = shape.get("patternProperties")
            keys = tuple(map(str, patterns)) if isinstance(patterns, Mapping) else ()
            closed_parts = (_Closure(frozenset(properties), keys),)
        vague = {key: shape[key] for key in shape if key in _VAGUE}
        parts = shape.get("allOf")
        for number, part in enumerate(parts if isinstance(parts, list) and depth < 8 else []):  # noqa: PLR2004 - parts of parts of parts
            inner, keys = _resolved(root, part, (*at, "allOf", str(number)))
            if isinstance(inner, Mapping):
                more = self._members(root, inner, keys, depth + 1)
                properties |= more.properties
                required_names |= more.required_names
                closed_parts += more.closed_parts
                vague |= {key: (vague.get(key), value) if key in vague else value for key, value in more.vague.items()}
        return _Members(properties, required_names, closed_parts, vague)

    def _of_parts(
        self, old: Shape, new: Shape, direction: Direction, at_old: Keys, at_new: Keys, label: Keys
    ) -> Iterator[ShapeBreak]:
        """What a shape is made of: items, other properties, variants."""
        for key in ("items", "additionalProperties"):
            if isinstance(old.get(key), Mapping) and isinstance(new.get(key), Mapping):
                yield from self.compare(old[key], new[key], direction, (*at_old, key), (*at_new, key), (*label, "*"))
        patterns, others = old.get("patternProperties"), new.get("patternProperties")
        if isinstance(patterns, Mapping) and isinstance(others, Mapping):
            for key, shape in patterns.items():
                if key in others:
                    yield from self.compare(
                        shape,
                        others[key],
                        direction,
                        (*at_old, "patternProperties", key),
                        (*at_new, "patternProperties", key),
                        (*label, "*"),
                    )
        yield from self._of_conditions(old, new, direction, at_old, at_new, label)
        for key in ("oneOf", "anyOf"):
            before, after = old.get(key), new.get(key)
            if isinstance(before, list) and isinstance(after, list):
                yield from self._of_variants(before, after, key, direction, at_old, at_new, label)

    def _of_conditions(
        self, old: Shape, new: Shape, direction: Direction, at_old: Keys, at_new: Keys, label: Keys
    ) -> Iterator[ShapeBreak]:
        """What is asked for under a condition that both sides have."""
        for one, other, at_one, at_other in _conditions(old, new):
            for key in ("then", "else"):
                if isinstance(one.get(key), Mapping) and isinstance(other.get(key), Mapping):
                    keys = (*at_old, *at_one, key), (*at_new, *at_other, key)
                    absent_names, named = _condition_names(one["if"])
                    for row in self.compare(one[key], other[key], direction, *keys, label):
                        name = next(iter(row.label.split(".")[len(label) :]), "")
                        if name in named and not row.doubt:
                            yield replace(row, doubt=f"a condition decides which values of {row.label} reach it")
                        elif key == "else" or name not in absent_names:
                            yield row

    def _of_lost_variants(
        self, old: Shape, new: Shape, key: str, at_old: Keys, at_new: Keys, label: Keys
    ) -> list[ShapeBreak | None]:
        """The break of each variant without a partner whose values every new variant refuses; None for one of which that is not known."""
        before, after = old.get(key), new.get(key)
        others = after if isinstance(after, list) else [new] if not new.keys() & set(_CHOICES) else []
        if not isinstance(before, list) or not others or len(before) * len(others) > _MOST_PAIRS:
            return []
        if _fixed(before) is not None and _fixed(others) is not None:
            return []  # the values are compared
        names = _variants(others).keys() & _variants(before).keys()
        around = self._members(self._old, old, at_old)
        rows: list[ShapeBreak | None] = []
        for number, one in enumerate(before):
            if one in others or _variant(one) in names or any(_is_same_condition(one, other) for other in others):
                continue
            shape, keys = _resolved(self._old, one, (*at_old, key, str(number)))
            row = None
            if isinstance(shape, Mapping) and "$ref" not in shape:
                row = self._of_lost_variant(shape, others, keys, at_new, label, around)
            rows.append(row)
        return rows

    def _of_lost_variant(
        self, shape: Shape, others: Sequence[object], at_old: Keys, at_new: Keys, label: Keys, around: _Members
    ) -> ShapeBreak | None:
        """The break of a variant, told by a value that it took: one with a fixed value, with a property, or of its type."""
        types = _kinds(shape)
        own = self._members(self._old, shape, at_old)
        properties = own.properties if types is None or "object" in types else {}
        for name, (part, keys) in properties.items():
            values = _fixed([part]) or frozenset()
            if values and all(self._refuses(one, shape, own, "", {name: values}) for one in others):
                value = min(values)
                law, place = "A value that has it is refused.", ".".join((*label, name))
                return ShapeBreak("value-removed", f"no longer allows `{value}`", law, keys, "base", value, place)
        for name in sorted(properties, key=lambda name: name not in own.required_names):
            part, keys = properties[name]
            is_own = name not in around.properties and own.accepts(name) and around.accepts(name)
            if is_own and not _is_deprecated(part) and all(self._refuses(one, shape, own, name, {}) for one in others):
                return self._removal(name, keys, "in", label, is_closed=True)
        if types and all(self._refuses(one, shape, own, "", {}) for one in others):
            kinds = " or ".join(sorted(types - {"integer"} if "number" in types else types))
            law, name, where = "A value of that type is refused.", label[-1] if label else "", ".".join(label)
            change = f"no longer allows {kinds}"
            return ShapeBreak("type-changed", change, law, at_new, "head", name, where or "the value")
        return None

    def _refuses(
        self,
        other: object,
        shape: Shape,
        own: _Members,
        name: str,
        values: Mapping[str, frozenset[str]],
        depth: int = 0,
    ) -> bool:
        """Whether a new shape refuses each value of an old one that has a property `name`, and one of the fixed values of some properties."""
        inner, at = _resolved(self._new, other, ())
        if not isinstance(inner, Mapping):
            return inner is False
        types = frozenset({"object"}) if name or values else _kinds(shape)
        kinds = _kinds(inner)
        if types and kinds and not types & kinds:
            return True
        if "$ref" in inner:
            return False  # what it refers to is not at hand
        members = self._members(self._new, inner, at)
        if name and members.refuses(name):
            return True
        asked_names = {*values, *own.required_names}
        for one in asked_names & own.properties.keys() & members.properties.keys():
            was, now = _fixed([own.properties[one][0]]), _fixed([members.properties[one][0]])
            if was and now and not was & now:
                return True
        choices = [inner[key] for key in _CHOICES if isinstance(inner.get(key), list)]
        return depth < _CHOICES_DEEP and any(
            choice and all(self._refuses(one, shape, own, name, values, depth + 1) for one in choice)
            for choice in choices
        )

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
                        ".".join(label) or "the value",
                    )


def _conditions(old: Shape, new: Shape) -> Iterator[tuple[Shape, Shape, Keys, Keys]]:
    """The parts that ask for something under the same condition, with where they stand."""
    if "if" in old and old["if"] == new.get("if"):
        yield old, new, (), ()
    was, now = old.get("allOf"), new.get("allOf")
    if isinstance(was, list) and isinstance(now, list) and len(was) * len(now) <= _MOST_PAIRS:
        for number, one in enumerate(was):
            partner = next((at for at, other in enumerate(now) if _is_same_condition(one, other)), -1)
            if partner >= 0:
                yield one, now[partner], ("allOf", str(number)), ("allOf", str(partner))


def _condition_names(condition: object) -> tuple[frozenset[str], frozenset[str]]:
    """The properties that are absent where a condition holds, and those of whose values it decides."""
    absent_names: set[str] = set()
    named: set[str] = set()
    rest = [condition]
    while rest:
        value = rest.pop()
        if isinstance(value, list):
            rest += value
        elif isinstance(value, Mapping):
            inverse = value.get("not")
            required = inverse.get("required") if isinstance(inverse, Mapping) and len(inverse) == 1 else None
            if isinstance(required, list) and len(required) == 1:
                absent_names.add(str(required[0]))
            properties = value.get("properties")
            named |= {str(name) for name in properties} if isinstance(properties, Mapping) else set()
            rest += (value[key] for key in ("allOf", "anyOf", "oneOf") if key in value)
            rest += [inverse] if inverse is not None else []
    return frozenset(absent_names), frozenset(named)


def _is_same_condition(one: object, other: object) -> bool:
    return isinstance(one, Mapping) and isinstance(other, Mapping) and "if" in one and one["if"] == other.get("if")


def _may_match(pattern: str, name: str) -> bool:
    """Whether a pattern may match a name. Told only of one that begins with a text: the patterns are anybody's, and never run."""
    start = _START.match(pattern)
    return not start or "|" in pattern or name.startswith(start[1].replace("\\", ""))


def _of_property(
    rule: str, change: str, law: str, keys: Keys, side: Side, label: Keys, name: str, *, is_open: bool = False
) -> ShapeBreak:
    return ShapeBreak(rule, change, law, keys, side, name, ".".join((*label, name)), is_open)


def _of_closing(before: _Members, after: _Members, at_new: Keys, label: Keys) -> Iterator[ShapeBreak]:
    doubt = after.doubt(before)
    if after.closed_parts and not before.closed_parts and doubt is not None:
        law = "A value with a property that the schema does not name was accepted, and is refused now."
        keys, where = (*at_new, "additionalProperties"), ".".join(label) or "the value"
        yield ShapeBreak(
            "properties-closed", "no longer allows other properties", law, keys, "head", "", where, doubt=doubt
        )


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


def _types_behind(root: Shape, shape: object) -> frozenset[str] | None:
    inner, _ = _resolved(root, shape, ())
    return _types(inner) if isinstance(inner, Mapping) else None


def _has_references(shape: object) -> bool:
    return "$ref" in repr(shape)[:2_000_000]


def _is_deprecated(shape: object) -> bool:
    return isinstance(shape, Mapping) and (
        shape.get("deprecated") is True or "doNotSuggest" in shape or "deprecationMessage" in shape
    )


def _kinds(shape: Shape) -> frozenset[str] | None:
    """The types that a shape allows, by what it says or by the values that it lists; None if it does not tell."""
    listed = (
        shape.get("enum") if isinstance(shape.get("enum"), list) else [shape["const"]] if "const" in shape else None
    )
    if not isinstance(listed, list):
        return _types(shape)
    names = {_KINDS.get(type(value), "null") for value in listed}
    return frozenset(names | ({"integer", "number"} if names & {"integer", "number"} else set()))


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
    where = ".".join(label) or "the value"
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
    where = ".".join(label) or "the value"
    new_keys = next((key for key in _LIMITING if key in new and key not in old), "") if after is None else ""
    allowed = after if isinstance(after, list) else []
    if isinstance(before, list) and (isinstance(after, list) or new_keys):
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
                doubt=f"the change adds `{new_keys}` to it, which is not compared" if new_keys else "",
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


def _of_rest(old: Shape, new: Shape, at: Keys, label: Keys, settled_keys: Collection[str] = ()) -> Iterator[ShapeBreak]:
    """The keyword that may refuse more than before and that is not compared. `settled_keys`: choices all of whose lost variants are breaks."""
    for key in (*_NOT_COMPARED, *_WHERE_NEW, "patternProperties", "$ref"):
        is_compared = key in settled_keys or (key in ("then", "else") and _is_same_condition(old, new) and key in old)
        if key in new and not is_compared and _may_refuse(key, old, new):
            yield _of_keyword(key, old, at, label)
            return


def _of_keyword(key: str, old: Shape, at: Keys, label: Keys) -> ShapeBreak:
    """The break that a keyword may be which is not compared."""
    verb = "changes" if key in old else "adds"
    to = "of" if key in old else "to"
    name = label[-1] if label and label[-1] != "*" else ""
    return ShapeBreak(
        "keyword", f"has another `{key}`", "", (*at, key), "head", name, ".".join(label) or "the value",
        doubt=f"the change {verb} `{key}` {to} it, which is not compared",
    )  # fmt: skip


def _may_refuse(key: str, old: Shape, new: Shape) -> bool:
    """Whether a keyword of the new shape may refuse what the old one took, and nothing else tells."""
    was, now = old.get(key), new[key]
    if was == now or now is (key != "uniqueItems"):
        return False
    if key in _NOT_COMPARED:
        has_list = key == "const" and isinstance(old.get("enum"), list)
        return not has_list and not _is_looser(key, was, now)
    if key in ("patternProperties", "$ref"):  # a reference that stays after those within the file were followed
        known_patterns = was if isinstance(was, Mapping) else {}
        return not isinstance(now, Mapping) or not now.keys() <= known_patterns.keys()
    return _may_variant_refuse(was, now) if key in old else _may_new_refuse(key, old, now)


def _may_variant_refuse(was: object, now: object) -> bool:
    """Whether variants that stand for others were not compared with them; other keywords were."""
    if not isinstance(was, list) or not isinstance(now, list) or len(was) == len(now) == 1:
        return False
    names = _variants(now).keys() & _variants(was).keys()
    has_list = _fixed(was) is not None and _fixed(now) is not None
    return not has_list and not all(
        one in now or _variant(one) in names or any(_is_same_condition(one, other) for other in now) for one in was
    )


def _may_new_refuse(key: str, old: Shape, now: object) -> bool:
    """Whether a keyword that is compared where both sides have it is new, and may refuse something."""
    if key in ("enum", *(bound for bound, _ in _BOUNDS)):
        return _types(old) is None and not {"$ref", "anyOf", "oneOf", "allOf", "const"} & old.keys()
    return isinstance(now, list) or (isinstance(now, Mapping) and bool(now.keys() - _TELLING))


def _is_looser(key: str, was: object, now: object) -> bool:
    """Whether a bound refuses no more than before."""
    if isinstance(was, bool) or isinstance(now, bool) or not isinstance(now, (int, float)):
        return False
    if _LOWER.match(key):
        return now <= was if isinstance(was, (int, float)) else key.endswith(("Properties", "Contains")) and now <= 0
    if not isinstance(was, (int, float)):
        return False
    return now >= was if _UPPER.match(key) else bool(now) and was % now == 0


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
