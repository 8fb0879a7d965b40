"""JSON Schema: a document that was valid before the change and is not any more breaks everybody who wrote such a one."""

import re
from collections.abc import Iterator, Mapping

from bot.dependents.byname import COMMON
from bot.dependents.schemas import breaks
from bot.dependents.schemas.documents import line_of, load
from bot.dependents.schemas.shapes import Keys, Shape, ShapeBreak, ShapeComparer
from bot.dependents.sites import telling

NAME = "jsonschema"
_FILE = re.compile(r"\.(?:json|jsonschema)$|\.schema\.ya?ml$", re.IGNORECASE)
_MARK = re.compile(r"[\"']?\$schema[\"']?\s*:\s*[\"']?https?://json-schema\.org/")
_CONTAINERS = ("definitions", "$defs")
_INVERSE = frozenset({"not", "if"})  # what is below them refuses less if it is tighter
_SILENT = frozenset(
    {"$schema", "$id", "id", "title", "description", "$comment", "version", *_CONTAINERS}
)  # describe no document
_DATA = re.compile(r"\.(?:json|jsonc|json5|ya?ml|toml)$", re.IGNORECASE)


_KINDS: Mapping[str, breaks.Kind] = {"value-removed": "value", "definition-removed": "type"}


def wants(path: str) -> bool:
    """Whether it may be a schema of the product."""
    return bool(_FILE.search(path)) and breaks.is_product(path)


def is_schema(document: breaks.Document) -> bool:
    """Whether it says that it is one, at its beginning or at its end."""
    text = document.text
    return bool(_MARK.search(text[:20_000]) or _MARK.search(text[-2_000:]))


def compare(sides: breaks.SchemaSides) -> list[breaks.SchemaBreak]:
    """The breaks of each file that is on both sides."""
    law = "A document that names the schema cannot be checked any more."
    return breaks.each_version(sides, law, _breaks, load)


def _breaks(was: breaks.Document, now: breaks.Document) -> list[breaks.SchemaBreak]:
    comparer = ShapeComparer(was, now, closed_only=True)
    rows = [*comparer.compare(load(was), load(now), "in", (), ()), *_of_definitions(comparer, load(was), load(now))]
    return [_break(row, was, now) for row in rows]


def _of_definitions(comparer: ShapeComparer, old: Shape, new: Shape) -> Iterator[ShapeBreak]:
    """The definitions by their names: other documents refer to them, and the document itself may do so where its parts have no partner."""
    before, after = _definitions(old), _definitions(new)
    inverse_names = _inverse_names(old) | _inverse_names(new)
    is_library = old.keys() <= _SILENT  # only other documents give its definitions a meaning
    law = "A schema that refers to it cannot be resolved."
    for name, (shape, keys) in before.items():
        if name not in after:
            yield ShapeBreak(
                "definition-removed",
                "was removed",
                law,
                keys,
                "base",
                name,
                f"definition {name}",
                is_open=not is_library,
            )
        elif name not in inverse_names:
            yield from comparer.compare(shape, after[name][0], "in", keys, after[name][1], (name,))


def _definitions(root: Shape) -> dict[str, tuple[object, Keys]]:
    return {
        str(name): (shape, (container, str(name)))
        for container in _CONTAINERS
        for part in (root.get(container),)
        if isinstance(part, Mapping)
        for name, shape in part.items()
    }


def _inverse_names(root: Shape) -> frozenset[str]:
    """The definitions that stand for what is refused, or for a condition."""
    definitions = _definitions(root)
    names: set[str] = set()
    visits: set[tuple[int, bool]] = set()
    rest: list[tuple[object, bool]] = [(root, False)]
    while rest:
        value, is_inverse = rest.pop()
        if not isinstance(value, (list, Mapping)) or (id(value), is_inverse) in visits:
            continue
        visits.add((id(value), is_inverse))
        if isinstance(value, list):
            rest += [(one, is_inverse) for one in value]
            continue
        name = str(value.get("$ref", "")).rpartition("/")[2]
        if is_inverse and name in definitions:
            names.add(name)
            rest.append((definitions[name][0], True))
        rest += [(one, is_inverse or key in _INVERSE) for key, one in value.items()]
    return frozenset(names)


def _break(row: ShapeBreak, was: breaks.Document, now: breaks.Document) -> breaks.SchemaBreak:
    document = was if row.side == "base" else now
    kind: breaks.Kind = _KINDS.get(row.rule, "property")
    name = row.name
    return breaks.SchemaBreak(
        row.rule, kind, f"{row.label} of {now.path.rpartition('/')[2]}", row.change, row.law, document.path,
        line_of(document.text, row.keys), row.side, name, now.path.rpartition("/")[2], None if row.is_open else "low",
    )  # fmt: skip


def searched_words(one: breaks.SchemaBreak) -> frozenset[str]:
    """The name of the property, or the value."""
    return frozenset({one.name}) if one.kind in ("value", "file", "type") else breaks.spellings(one.name) | {one.name}


def likeness(one: breaks.SchemaBreak, place: breaks.SchemaPlace) -> breaks.Likeness:
    """Whether a document of this schema has the property or the value, or code that names the schema does."""
    text = place.text
    if one.kind == "file":
        return "sure" if re.search(rf"[/\"'` ]{re.escape(one.name)}[\"'`#\s]", text) else ""
    if one.kind == "type":
        own = (
            "" if place.path.rpartition("/")[2] != one.owner else "?"
        )  # a reference within the file needs no name of it
        file = rf"(?:[^\"'\s#]{{0,200}}/)?{re.escape(one.owner)}"
        look = rf"\$ref[\"']?\s*+:\s*+[\"']?(?:{file}){own}#/(?:definitions|\$defs)/{re.escape(one.name)}(?![\w/.-])"
        return "sure" if re.search(look, text) else ""
    if one.rule in ("property-required", "type-changed", "bound-tightened", "value-restricted", "properties-closed"):
        return ""  # that a document has the property tells nothing of it
    whole = place.whole
    is_of_schema = one.owner in whole
    name = re.escape(one.name)
    if _DATA.search(place.path):
        if not re.search(rf"\$schema[\"']?\s*[:=][^\n]{{0,200}}{re.escape(one.owner)}", whole):
            return ""
        look = (
            rf"[:=\[,\-]\s*+[\"']?{name}[\"']?\s*+(?:[,\]}}#]|$)"
            if one.kind == "value"
            else rf"(?:^|[\s{{,])[\"']?{name}[\"']?\s*+[:=]"
        )
        return "sure" if re.search(look, text) else ""
    return "hint" if is_of_schema and telling(one.name) and one.name not in COMMON else ""
