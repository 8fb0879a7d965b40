"""Lines of a model that map a column: by the column's name as a text, or by a member that is called like it. Pure.

A mapper of objects reads and writes every column that it knows of. The table of a model appears beside it (`@Table(name = "orders")`,
`__tablename__`, `tableName:`), or follows from the name of its class.
"""

import re
from dataclasses import dataclass

from bot.dependents.schemas.breaks import Likeness, SchemaBreak, SchemaPlace, forms_of_table, spellings
from bot.text.brackets import open_count
from bot.text.filetypes import filetype
from bot.text.lines import is_comment

# Lines that are a field by their own form; NAME stands for the column.
_FIELDS = "|".join(  # noqa: FLY002 - one form a line, each with what writes it
    (
        r"^\s++NAME\s*+(?::[^=\n]{1,80})?=\s*+(?:\w{1,30}\.)?(?:\w{0,40}Field|ForeignKey|Column|mapped_column|Required|Optional)\s*+[(\[]",  # of Python
        r"\b(?:db_column|column_name|columnName|fieldName|ColumnName)\s*+[=:]\s*+[\"'`]NAME[\"'`]",
        r"^\s++NAME\s*+:\s*+(?:\w{1,30}\.)?Mapped\[(?!.{0,200}\brelationship\()",  # SQLAlchemy
        r"^\s++NAME\s++[A-Z]\w{2,40}[?\[\]]{0,3}(?:\s|$)|@map\(\s*+\"NAME\"",  # Prisma
        r"^\s++NAME\s++->\s++[A-Z]",  # diesel
        r"`[^`\n]{0,200}\b(?:db|gorm|bun|xorm)\s*+:\s*+\\?\"(?:column:)?NAME\b",  # tags of Go
        r"(?::|\bva[lr]\s++\w{1,99}\s*+=|\bfield\.)\s*+\w{2,30}\(\s*+['\"]NAME['\"]",  # drizzle, Exposed, ent
        r"^\s++field[ (]\s*+:NAME\b|^\s++field\b[^#\n]{0,200}\bsource:\s*+:NAME\b",  # Ecto
        r"@Field\(\s*+key\s*+:\s*+\"NAME\"",  # Fluent
        r"\bHasColumnName\(\s*+\"NAME\"",  # Entity Framework
        r"<(?:property|id|field|result|column)\b[^<>\n]{0,300}\b(?:name|column)\s*+=\s*+\"NAME\"",  # XML of Hibernate, Doctrine, MyBatis
    )
)  # fmt: skip
# An attribute of Sequelize, within a call that defines a model.
_ATTRIBUTE = r"^\s*+[\"']?NAME[\"']?\s*+:\s*+(?:\{\s*+)?(?:type\s*+:\s*+)?(?:DataTypes?|Sequelize)\.(?!VIRTUAL)|^\s*+[\"']?NAME[\"']?\s*+:\s*+\{\s*+$|\bfield\s*+:\s*+[\"'`]NAME[\"'`]"
_COLUMN = r"(?:Column(?:Info)?|Property|PrimaryKey|mapped_column|column)\b[^()\n]{0,80}"  # a call, a decorator or an attribute
_FIRST = rf"{_COLUMN}\(\s*+[\"'`]NAME[\"'`]"
_NAMED = rf"{_COLUMN}\([^()]{{0,300}}\b(?:name|Name|value|field|fieldName)\s*+[=:]\s*+[\"'`]NAME[\"'`]"
_OTHER_NAME = re.compile(
    rf"{_COLUMN}\([^()]{{0,300}}?\b(?:name|field|fieldName)\s*+[=:]\s*+[\"'`](\w{{1,99}})|@map\(\s*+\"(\w{{1,99}})"
)
_OTHER_FIRST = re.compile(rf"{_COLUMN}\(\s*+[\"'](\w{{1,99}})")
_DECORATED = re.compile(
    r"(?:@|#\[|\[)(?:\w{1,20}\\)?(?:\w{0,30}Column(?:Info)?|Property|MappedProperty|PrimaryKey|Enum)\b"
)
_MEMBER = (
    r"^\s++(?:(?:public|private|protected|internal|readonly|declare|final|override|required|virtual|pub|lateinit|open|var|val|@\w{1,40}(?:\([^()\n]{0,200}\))?|#?\[[^\]\n]{0,200}\])\s++)*+"
    r"(?:[?\w.<>\[\],|\\]{1,80}\??\s++)?\$?(?:FORMS)\s*+(?:[?!]?:(?![:])|[;=]|\{\s*+get\b|$|,)"
)
_NO_COLUMN = re.compile(r"\brelationship\(|@Transient\b|\btransient\b|\bNotMapped\b|\bstatic\b|\breturn\b|[(]\s*+$")
_HEAD = re.compile(
    r"^\s*+(?:(?:export|pub|public|abstract|default|final|data|open|sealed|partial|internal|readonly|@\w{1,40})\s++)*+"
    r"(?:class|model|struct|type|interface|object|record)\s++(?!Meta\b)(?P<model>\w{1,99})"
    r"|(?<![\w.@\[])(?:\w{1,40}\.)?(?P<core>Table)\((?:\s*+[\"'](?P<table_core>\w{1,99}))?"
    r"|^\s*+(?P<model_diesel>\w{1,99})\s++\([\w, ]++\)\s*+\{"
    r"|\b(?:pgTable|mysqlTable|sqliteTable)\(\s*+['\"](?P<table_drizzle>\w{1,99})"
    r"|^\s++schema\s++\"(?P<table_ecto>\w{1,99})\"\s++do\b"
    r"|\bEntity<(?P<model_fluent>\w{1,99})>\("
    r"|<(?:class|entity|resultMap)\b[^<>\n]{0,400}?\b(?:name|type)\s*+=\s*+\"(?:[\w$]{1,99}[.\\])*+(?P<model_xml>\w{1,99})\""
    r"|\.define(?:<[^<>\n]{0,80}>)?\(\s*+[\"'`](?P<model_defined>\w{1,99})|^\s*+(?P<model_init>[A-Z]\w{0,99})\.init\("
)
_TABLE_NAME = re.compile(
    r"(?:\b(?:db_table|__tablename__|table_name|tableName|\$table|let schema|table)\s*+[=:]\s*+|@@map\(\s*+|\b\w{0,20}Table(?:<[^<>\n]{0,80}>)?\(\s*+|\(\s*+tag\s*+,\s*+"
    r"|(?:@|#\[|\[)(?:ORM\\)?(?:Table|Entity)\(\s*+\{?\s*+(?:(?:name|value|tableName)\s*+[=:]\s*+)?)(?:Some\()?[\"'`](?:\w{1,40}\.)?(?P<name>\w{1,99})[\"'`]"
)
_ENTITY = re.compile(
    r"@(?:Mapped)?Entity\b|@Table\b|\[Table\(|\[Key\]|\btable\s*+=\s*+True\b|\btable_name\s*+=|\b(?:Queryable|Selectable|Insertable|AsChangeset|Identifiable|FromRow)\b"
)
_ABOVE = re.compile(r"^\s*+(?:[@#\[*/)}\]\"']|\w{1,40}\s*+[=:])")
_MODEL_LINES, _DECORATION, _LONG = 150, 8, 2_000


@dataclass(frozen=True, slots=True)
class _Model:
    """The model around a line, in small letters: the name of its class, and the table that it names."""

    name: str
    table: str
    text: str
    depth: int  # of the brackets that stay open between its head and the line


def likeness(one: SchemaBreak, place: SchemaPlace) -> Likeness | None:
    """Whether a line of a model maps the column; None if nothing in the line tells."""
    model = _model_around(place)
    form = _form(one, place, model) if model is not None else None
    if model is None or not form:
        return form
    owners = {form.lower() for form in owners_of(one)} | {one.owner}
    if one.model and model.name == one.model:
        return form
    if model.table:
        return form if model.table in owners else ""
    return form if model.name in owners else None


def owners_of(one: SchemaBreak) -> frozenset[str]:
    """The names of the table and of the class of its rows."""
    return forms_of_table(one.owner) | forms_of_table(one.model or one.owner)


def _form(one: SchemaBreak, place: SchemaPlace, model: _Model) -> Likeness | None:
    """How sure a line means a column of its model, whichever that is."""
    text, name = place.text[:_LONG], re.escape(one.name)
    is_script = filetype(place.path).family == "web"
    above = _lines_above(place, place.line - 1)
    own = f"{above}\n{text}"
    if one.name.lower() in text.lower():
        if re.search(_FIELDS.replace("NAME", name), text) or (
            is_script and "DataTypes" in model.text and re.search(_ATTRIBUTE.replace("NAME", name), text)
        ):
            return "" if _says_other(one, own, is_script=is_script) else "sure"
        named = _NAMED if is_script else f"{_FIRST}|{_NAMED}"
        if re.search(rf"[\"'`]{name}[\"'`]", text) and re.search(named.replace("NAME", name), own, re.IGNORECASE):
            return "hint" if "JoinTable" in own else "sure"
    forms = "|".join(re.escape(form) for form in sorted(spellings(one.name), key=len, reverse=True))
    if (
        not filetype(place.path).parser
        or _NO_COLUMN.search(own)
        or not re.search(_MEMBER.replace("FORMS", forms), text)
    ):
        return None
    is_exact = re.search(rf"(?<!\w){name}(?!\w)", text, re.IGNORECASE) is not None
    if _DECORATED.search(own):
        return "" if _says_other(one, own, is_script=is_script) else "sure" if is_exact else "hint"
    is_inner = model.depth > 1 and filetype(place.path).parser != "python"
    if is_inner or is_script or not _ENTITY.search(model.text):
        return None
    return "sure" if is_exact and model.table else "hint"


def _says_other(one: SchemaBreak, text: str, *, is_script: bool) -> bool:
    """Whether a member of that name is over another column."""
    other = _OTHER_NAME.search(text) or (None if is_script else _OTHER_FIRST.search(text))
    names = [name for name in (other.groups() if other else ()) if name]
    return bool(names) and names[0].lower() != one.name.lower()


def _lines_above(place: SchemaPlace, line: int) -> str:
    """The decorators and attributes right above a line (counted from 1 by `line` + 1)."""
    rows: list[str] = []
    for text in reversed(place.lines[max(0, line - _DECORATION) : line]):
        if not _ABOVE.search(text) or text.rstrip().endswith((";", "}")) or _HEAD.search(text[:_LONG]):
            break
        if not is_comment(text, place.path):
            rows.append(text[:_LONG])
    return "\n".join(reversed(rows))


def _model_around(place: SchemaPlace) -> _Model | None:
    """The model that a line is a part of."""
    own_indent = _indent(place.text)
    for at in range(place.line - 1, max(-1, place.line - _MODEL_LINES), -1):
        match = _HEAD.search(place.lines[at][:_LONG]) if at < len(place.lines) else None
        if match is None:
            continue
        between = "\n".join(place.lines[at : place.line - 1])
        indent = _indent(place.lines[at])
        is_beside = match["model"] and at < place.line - 1 and indent and indent >= own_indent
        if is_beside or (match["core"] and at < place.line - 1 and open_count(between) <= 0):
            continue
        names = {group: text for group, text in match.groupdict().items() if text}
        table = next((text for group, text in names.items() if group.startswith("table")), "")
        model = next((text for group, text in names.items() if group.startswith("model")), table)
        rest = range(at + 1, min(len(place.lines), at + _MODEL_LINES))
        last = next(
            (n for n in rest if _HEAD.search(place.lines[n][:_LONG]) and _indent(place.lines[n]) <= indent), rest.stop
        )
        body = [line for line in place.lines[at:last] if not is_comment(line, place.path)]
        text = f"{_lines_above(place, at)}\n" + "\n".join(body)[:20_000]
        if not table and (own := _TABLE_NAME.search(text)):
            table = own["name"]
        return _Model(model.lower(), table.lower(), text, open_count(between))
    return None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
