"""JSON Schema: a document that was valid before the change and is not any more breaks everybody who wrote such a one."""

import re

from bot.dependents.byname import COMMON
from bot.dependents.schemas import breaks
from bot.dependents.schemas.documents import line_of, load
from bot.dependents.schemas.shapes import ShapeBreak, ShapeComparer
from bot.dependents.sites import telling

NAME = "jsonschema"
_FILE = re.compile(r"\.(?:json|jsonschema)$|\.schema\.ya?ml$", re.IGNORECASE)
_MARK = re.compile(r"[\"']?\$schema[\"']?\s*:\s*[\"']?https?://json-schema\.org/")
_DATA = re.compile(r"\.(?:json|jsonc|json5|ya?ml|toml)$", re.IGNORECASE)


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
    rows = ShapeComparer(was, now, closed_only=True).compare(load(was), load(now), "in", (), ())
    return [_break(row, was, now) for row in rows]


def _break(row: ShapeBreak, was: breaks.Document, now: breaks.Document) -> breaks.SchemaBreak:
    document = was if row.side == "base" else now
    kind: breaks.Kind = "value" if row.rule == "value-removed" else "property"
    name = row.name
    if row.rule == "keyword" and not name:  # about the whole document: its users are those who name the file
        kind, name = "file", now.path.rpartition("/")[2]
    return breaks.SchemaBreak(
        row.rule, kind, f"{row.label} of {now.path.rpartition('/')[2]}", row.change, row.law, document.path,
        line_of(document.text, row.keys), row.side, name, now.path.rpartition("/")[2], None if row.is_open else "low", doubt=row.doubt,
    )  # fmt: skip


def searched_words(one: breaks.SchemaBreak) -> frozenset[str]:
    """The name of the property, or the value."""
    return frozenset({one.name}) if one.kind in ("value", "file") else breaks.spellings(one.name) | {one.name}


def likeness(one: breaks.SchemaBreak, place: breaks.SchemaPlace) -> breaks.Likeness:
    """Whether a document of this schema has the property or the value, or code that names the schema does."""
    text = place.text
    if one.kind == "file":
        return "sure" if re.search(rf"[/\"'` ]{re.escape(one.name)}[\"'`#\s]", text) else ""
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
