"""Recognize lines of a model that map a column, by the column's name in a string or by a member.

An object mapper reads and writes every column that it knows. The table of a model is written near it
(`@Table(name = "orders")`, `__tablename__`, `tableName:`), or follows from the name of its class.
"""

import re

from deeprepo.impact.filetypes import filetype
from deeprepo.impact.schemas.breaks import Likeness, SchemaBreak, SchemaPlace, forms_of_table, spellings
from deeprepo.impact.structs import Struct
from deeprepo.impact.text.brackets import open_count
from deeprepo.impact.text.lines import is_comment

# A column's name in a string: in a decorator, call, argument or tag.
_NAMED = (
    r"\b(?:name|value|field|source|key|db_column|column_name|columnName|fieldName)\s*+[=:]\s*+:?[\"'`]NAME[\"'`]"
    r"|(?:Column(?:Info|Name)?|column|Property|PrimaryKey|@map|field)\b(?:<\w++>|\[\w++\])?\(\s*+[\"'`]NAME[\"'`]"
    r"|`[^`\n]{0,200}\b(?:db|gorm|bun|xorm):\"(?:column:)?NAME\b"
)
_MEMBER = r"^\s++(?:(?!return\b)(?:[\w.@?<>\[\]|\\]++(?:\([^()\n]*+\))?\s++)*?)(?:field\s++:|field\s++|\$)?(?:FORMS)\s*+(?:[?!]?:(?!:)|[=;]|\{|$|\s[A-Z])"
_OTHER = re.compile(
    r"(?:Column|column|mapped_column|@map)\b[^()\n]{0,30}\((?:[^()]{0,200}?\b(?:name|field)\s*+[=:])?\s*+[\"'`](\w{1,99})"
)
_DECLARED = re.compile(
    r"Field\(|ForeignKey\(|Column\b|column[(<\[]|Mapped\[|\bDataTypes?\.(?!VIRTUAL)|@Property|@PrimaryKey|^[ \t]++field\b",
    re.MULTILINE,
)
_NO_COLUMN = re.compile(r"\brelationship\(|@Transient\b|\btransient\b|\bNotMapped\b|\bstatic\b|\breturn\b|VIRTUAL\b")
_HEAD = re.compile(
    r"^\s*+(?:[\w@]++\s++)*?(?:class|model|struct|type|object|record|schema)\s++(?!Meta\b)[\"]?(\w++)"
    r"|(?<![\w.@\[])(?:\w++\.)?(?:Table|pgTable|mysqlTable|sqliteTable|define|Entity)(?:<(\w++)>)?\(\s*+[\"'`]?(\w*+)|^\s*+([A-Z]\w*+)\.init\("
)
_TABLE_NAME = re.compile(
    r"(?:\b(?:db_table|__tablename__|table_name|tableName|\$table|table)\s*+[=:]\s*+|@@map\(\s*+|\btag\s*+,\s*+"
    r"|(?:Table|Entity)(?:<\w++>)?\(\s*+\{?\s*+(?:(?:name|value|tableName)\s*+[=:]\s*+)?)[\"'`](?:\w++\.)?(\w++)[\"'`]"
)
_ABOVE = re.compile(r"^\s*+(?:[@#\[*/)}\]\"']|\w++\s*+[=:])")
_MODEL_LINES, _DECORATION, _LONG = 150, 8, 500


class _Model(Struct, frozen=True):
    """The model around a line, in lower case: its class, and its table if written."""

    name: str
    table: str
    depth: int  # brackets that are open between its head and the line


def owners_of(one: SchemaBreak) -> frozenset[str]:
    """Return the names of the table and of the class of its rows."""
    return forms_of_table(one.owner) | forms_of_table(one.model or one.owner)


def owners_in(one: SchemaBreak, place: SchemaPlace) -> frozenset[str]:
    """Return these names as a file may write them: a module or a namespace around a class is a prefix of its table (`Spree::GiftCard`)."""
    words, owners = one.owner.split("_"), owners_of(one)
    for count in range(1, len(words)):
        around = "".join(word.capitalize() for word in words[:count])
        is_inside = re.search(
            rf"\b(?:module|namespace|class)\s++(?:\w+(?:::|\\|\.))*+{around}\b|(?<!\w){around}::", place.whole
        )
        if is_inside or f"/{'_'.join(words[:count])}/" in f"/{place.path}":
            owners |= forms_of_table("_".join(words[count:]))
    return owners


def is_own_class(owners: frozenset[str], place: SchemaPlace) -> bool:
    """Return whether a file defines the class of the rows, in a language that reads a column of it by its bare name."""
    names = "|".join(re.escape(form) for form in sorted(owners) if form[:1].isupper())
    return (
        bool(names)
        and filetype(place.path).symbols
        and bool(re.search(rf"^[ \t]*+class\s++(?:\w+::)*+(?:{names})\b", place.whole, re.MULTILINE))
    )


def tables_in(text: str) -> list[str]:
    """Return the tables that a line maps, in lower case."""
    return [name.lower() for name in _TABLE_NAME.findall(text[:_LONG])]


def likeness(one: SchemaBreak, place: SchemaPlace) -> Likeness | None:
    """Return whether a line of a model maps the column; None if the line does not show it."""
    model, text = _model_around(place), place.text[:_LONG]
    if model is None or model.depth > 2:  # noqa: PLR2004 - the body of a function of the model
        return None
    own = f"{_lines_above(place, place.line - 1)}\n{text}"
    forms = "|".join(sorted(map(re.escape, spellings(one.name)), key=len, reverse=True))
    is_named = re.search(_NAMED.replace("NAME", re.escape(one.name)), text, re.IGNORECASE) is not None
    is_member = model.depth <= 1 and bool(re.search(_MEMBER.replace("FORMS", forms), text))
    other = _OTHER.search(own)
    is_member = is_member and not _NO_COLUMN.search(own)
    if not (is_named or is_member) or (other and not is_named and other[1].lower() != one.name):
        return None
    owners = {form.lower() for form in owners_of(one)} | {one.owner, one.model}
    if (model.table or model.name) not in owners:
        return "" if model.table else None
    return "sure" if is_named or _DECLARED.search(own) or model.table else None


def _lines_above(place: SchemaPlace, line: int) -> str:
    """Return the decorators and attributes directly above a line."""
    rows: list[str] = []
    for text in reversed(place.lines[max(0, line - _DECORATION) : line]):
        if not _ABOVE.search(text) or text.rstrip().endswith((";", "}")) or _HEAD.search(text[:_LONG]):
            break
        if not is_comment(text, place.path):
            rows.append(text[:_LONG])
    return "\n".join(reversed(rows))


def _model_around(place: SchemaPlace) -> _Model | None:
    """Return the model that contains a line."""
    for at in range(min(place.line, len(place.lines)) - 1, max(-1, place.line - _MODEL_LINES), -1):
        match = _HEAD.search(place.lines[at][:_LONG])
        if match is None:
            continue
        between = "\n".join(place.lines[at : place.line - 1])
        is_call = "(" in match[0]
        if is_call and at < place.line - 1 and open_count(between) <= 0:
            continue  # the call ends before the line
        body = place.lines[at : at + _MODEL_LINES]
        end = next((n for n, line in enumerate(body[1:], 1) if _HEAD.match(line[:_LONG])), len(body))
        code = [line[:_LONG] for line in body[:end] if not is_comment(line, place.path)]
        table = _TABLE_NAME.search("\n".join([_lines_above(place, at), *code]))
        name = next(filter(None, match.groups()), "").lower()
        return _Model(name, table[1].lower() if table else "", open_count(between) - is_call)
    return None
