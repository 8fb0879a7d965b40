"""JSON Schema: a document that was valid before the change and is not any more breaks everybody who wrote such a one."""

import re
from collections.abc import Iterable, Sequence

from bot.dependents.byname import COMMON
from bot.dependents.schemas.breaks import (
    Document,
    Kind,
    Likeness,
    SchemaBreak,
    SchemaPlace,
    UnreadableSchemaError,
    gone_file,
    is_product,
    spellings,
    versions,
)
from bot.dependents.schemas.documents import line_of, load
from bot.dependents.schemas.shapes import ShapeBreak, ShapeComparer
from bot.dependents.sites import telling

NAME = "jsonschema"
_FILE = re.compile(r"\.(?:json|jsonschema)$|\.schema\.ya?ml$", re.IGNORECASE)
_MARK = re.compile(r"[\"']?\$schema[\"']?\s*:\s*[\"']?https?://json-schema\.org/")
_DATA = re.compile(r"\.(?:json|jsonc|json5|ya?ml|toml)$", re.IGNORECASE)


def wants(path: str) -> bool:
    """Whether it may be a schema of the product."""
    return bool(_FILE.search(path)) and is_product(path)


def is_schema(document: Document) -> bool:
    """Whether it says that it is one, at its beginning or at its end."""
    text = document.text
    return bool(_MARK.search(text[:20_000]) or _MARK.search(text[-2_000:]))


def compare(before: Sequence[Document], after: Sequence[Document]) -> list[SchemaBreak]:
    """The breaks of each file that is on both sides."""
    breaks: list[SchemaBreak] = []
    for was, now in versions(before, after):
        if now is None:
            breaks.append(gone_file(was, "A document that names the schema cannot be checked any more."))
            continue
        rows = ShapeComparer(was, now, closed_only=True).compare(load(was), load(now), "in", (), ())
        breaks += [_break(row, was, now) for row in _each(rows, now)]
    for document in after:
        load(document)  # a new schema breaks nobody, and one that cannot be read is open
    return breaks


def _each(rows: Iterable[ShapeBreak], document: Document) -> list[ShapeBreak]:
    """The breaks of one file. A shape of many references may be walked very deep."""
    try:
        return list(rows)
    except RecursionError as error:
        raise UnreadableSchemaError(document.path, "its parts are nested too deep") from error


def _break(row: ShapeBreak, was: Document, now: Document) -> SchemaBreak:
    document = was if row.side == "base" else now
    kind: Kind = "value" if row.rule == "value-removed" else "property"
    return SchemaBreak(
        row.rule, kind, f"{row.label} of {now.path.rpartition('/')[2]}", row.change, row.law, document.path,
        line_of(document.text, row.keys), row.side, row.name, now.path.rpartition("/")[2], None if row.is_open else "low",
    )  # fmt: skip


def searched_words(one: SchemaBreak) -> frozenset[str]:
    """The name of the property, or the value."""
    return frozenset({one.name}) if one.kind in ("value", "file") else spellings(one.name) | {one.name}


def likeness(one: SchemaBreak, place: SchemaPlace) -> Likeness:
    """Whether a document of this schema has the property or the value, or code that names the schema does."""
    text = place.text
    if one.kind == "file":
        return "sure" if re.search(rf"[/\"'` ]{re.escape(one.name)}[\"'`#\s]", text) else ""
    if one.rule in ("property-required", "type-changed", "bound-tightened", "value-restricted", "properties-closed"):
        return ""  # that a document has the property tells nothing of it
    whole = "\n".join(place.lines[:20_000])
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
