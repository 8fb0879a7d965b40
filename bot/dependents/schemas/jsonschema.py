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
_DATA = re.compile(r"\.(?:json|jsonc|json5|ya?ml|toml)$", re.IGNORECASE)
_CONTAINERS = ("definitions", "$defs")
_SILENT = frozenset({"$schema", "$id", "id", "title", "description", "$comment", "version", *_CONTAINERS})
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
    return breaks.each_version(sides, law, _breaks)


def _breaks(was: breaks.Document, now: breaks.Document) -> list[breaks.SchemaBreak]:
    comparer, old, new = ShapeComparer(was, now, closed_only=True), load(was), load(now)
    rows = [*comparer.compare(old, new, "in", (), ()), *_of_definitions(comparer, old, new)]
    return [_break(row, was, now) for row in rows]


def _of_definitions(comparer: ShapeComparer, old: Shape, new: Shape) -> Iterator[ShapeBreak]:
    """The definitions by their names, as other documents refer to them; those of a schema with `not` or `if` may say what is refused."""
    before, after = _definitions(old), _definitions(new)
    is_library = old.keys() <= _SILENT  # only other documents give its definitions a meaning
    law = "A schema that refers to it cannot be resolved."
    for name, (shape, keys) in before.items():
        if name not in after:
            label, is_open = f"definition {name}", not is_library
            yield ShapeBreak("definition-removed", "was removed", law, keys, "base", name, label, is_open)
        elif is_library:
            yield from comparer.compare(shape, after[name][0], "in", keys, after[name][1], (name,))


def _definitions(root: Shape) -> dict[str, tuple[object, Keys]]:
    return {
        str(name): (shape, (container, str(name)))
        for container in _CONTAINERS
        for part in (root.get(container),)
        if isinstance(part, Mapping)
        for name, shape in part.items()
    }


def _break(row: ShapeBreak, was: breaks.Document, now: breaks.Document) -> breaks.SchemaBreak:
    document, file = was if row.side == "base" else now, now.path.rpartition("/")[2]
    return breaks.SchemaBreak(
        row.rule, _KINDS.get(row.rule, "property"), f"{row.label} of {file}", row.change, row.law, document.path,
        line_of(document.text, row.keys), row.side, row.name, file, None if row.is_open else "low",
    )  # fmt: skip


def searched_words(one: breaks.SchemaBreak) -> frozenset[str]:
    """The name of the property, or the value."""
    return frozenset({one.name}) | (breaks.spellings(one.name) if one.kind == "property" else frozenset())


def likeness(one: breaks.SchemaBreak, place: breaks.SchemaPlace) -> breaks.Likeness:
    """Whether a document of this schema has the property or the value, or code that names the schema does."""
    text, name, owner = place.text, re.escape(one.name), re.escape(one.owner)
    if one.kind == "file":
        return breaks.of_file(one, text)
    if one.kind == "type":  # within its own file, a reference needs no name of it
        own = "?" if place.path.rpartition("/")[2] == one.owner else ""
        look = rf"\$ref[\"']?\s*+:\s*+[\"']?(?:(?:[^\"'\s#]{{0,200}}/)?{owner}){own}#/(?:definitions|\$defs)/{name}(?![\w/.-])"
        return "sure" if re.search(look, text) else ""
    if one.rule not in ("property-removed", "value-removed"):
        return ""  # that a document has the property tells nothing of it
    if not _DATA.search(place.path):
        return "hint" if one.owner in place.whole and telling(one.name) and one.name not in COMMON else ""
    look = rf"(?:^|[\s{{,])[\"']?{name}[\"']?\s*+[:=]"
    if one.kind == "value":
        look = rf"[:=\[,\-]\s*+[\"']?{name}[\"']?\s*+(?:[,\]}}#]|$)"
    is_of_schema = re.search(rf"\$schema[\"']?\s*[:=][^\n]{{0,200}}{owner}", place.whole)
    return "sure" if is_of_schema and re.search(look, text) else ""
