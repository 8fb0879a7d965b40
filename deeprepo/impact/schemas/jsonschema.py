"""Check JSON Schemas: documents that were valid before the change and no longer are."""

import posixpath
import re
from collections.abc import Iterator

from deeprepo.impact.schemas import breaks
from deeprepo.impact.schemas.breaks import Severity
from deeprepo.impact.schemas.documents import Node, load
from deeprepo.impact.schemas.shapes import Part, ShapeComparer

NAME = "jsonschema"
_FILE = re.compile(r"\.(?:json|jsonschema)$|\.schema\.ya?ml$", re.IGNORECASE)
_MARK = re.compile(r"[\"']?\$schema[\"']?\s*:\s*[\"']?https?://json-schema\.org/")
_DESCRIBED = re.compile(r"\$schema[\"']?\s*+[:=]\s*+[\"']?([^\s\"',#]+)")
_DATA = re.compile(r"\.(?:json|jsonc|json5|ya?ml|toml)$", re.IGNORECASE)
_CONTAINERS = ("definitions", "$defs")
_SILENT = frozenset({"$schema", "$id", "id", "title", "description", "$comment", "version", *_CONTAINERS})


def wants(path: str) -> bool:
    """Return whether it may be a schema of the product."""
    return bool(_FILE.search(path)) and breaks.is_product(path)


def is_schema(document: breaks.Document) -> bool:
    """Return whether a document declares itself a schema, near its start or end."""
    text = document.text
    return bool(_MARK.search(text[:20_000]) or _MARK.search(text[-2_000:]))


def compare(sides: breaks.SchemaSides) -> list[breaks.SchemaBreak]:
    """Return the breaks of each file."""
    return breaks.each_version(sides, _breaks)


def _breaks(was: breaks.Document, now: breaks.Document) -> Iterator[breaks.SchemaBreak]:
    """Yield the breaks of the schema and of its named definitions.

    The definitions are only compared if the schema has no other keywords, because otherwise those may decide
    what is refused.
    """
    file, comparer = now.path.rpartition("/")[2], ShapeComparer(closed_only=True)
    part, old, new = Part(file, file), Node(was, load(was)), Node(now, load(now))
    yield from comparer.compare(part, old, new)
    is_library, after = old.mapping.keys() <= _SILENT, _definitions(new)
    for name, node in _definitions(old).items():
        if name not in after:
            law, label = "A schema that refers to it cannot be resolved.", (f"definition {name}",)
            alone: Severity | None = "low" if is_library else None
            yield part.broken(
                "definition-removed", "was removed", law, node, "base", label, name, kind="type", alone=alone
            )
        elif is_library:
            yield from comparer.compare(part, node, after[name], (name,))


def _definitions(root: Node) -> dict[str, Node]:
    return {name: root.at(holder, name) for holder in _CONTAINERS for name in root.at(holder).mapping}


def likeness(one: breaks.SchemaBreak, place: breaks.SchemaPlace) -> breaks.Likeness:
    """Return whether a document of this schema, or code that mentions the schema, has the property or value."""
    text, name, owner = place.text, re.escape(one.name), re.escape(one.owner)
    if one.kind == "type":  # within its own file, a reference needs no file name
        own = "?" if place.path.rpartition("/")[2] == one.owner else ""
        look = rf"\$ref[\"']?\s*+:\s*+[\"']?(?:(?:[^\"'\s#]{{0,200}}/)?{owner}){own}#/(?:definitions|\$defs)/{name}(?![\w/.-])"
        return "sure" if re.search(look, text) else ""
    if one.rule not in ("property-removed", "value-removed"):
        return ""  # having the property proves nothing
    if not _DATA.search(place.path):
        return breaks.by_name(one, place)
    if one.kind == "value":
        key = re.escape(one.element.partition(" of ")[0].rpartition(".")[2])
        look = rf"(?:^|[\s{{,])[\"']?{key}[\"']?\s*+[:=]\s*+[\"']?{name}[\"']?\s*+(?:[,\]}}#]|$)"
    else:
        look = rf"(?:^|[\s{{,])[\"']?{name}[\"']?\s*+[:=]"
    return "sure" if re.search(look, text) and _is_described(place, one.path) else ""


def _is_described(place: breaks.SchemaPlace, schema: str) -> bool:
    """Return whether a document declares this schema, by a path or a matching address."""
    said = _DESCRIBED.search(place.whole)
    if said is None or "://" not in said[1]:
        return said is not None and posixpath.normpath(posixpath.join(posixpath.dirname(place.path), said[1])) == schema
    file = posixpath.basename(schema)
    is_distinct = file.partition(".")[0].lower() not in ("schema", "config", "index")
    return said[1].endswith(f"/{file if is_distinct else schema}") and (is_distinct or "/" in schema)
