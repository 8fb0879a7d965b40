"""Mappers of objects: how each writes the model of a table, the fields of it, and the name of the table. Pure.

In a template NAME stands for the name of a column, which is put in escaped. The alternatives of all mappers are one pattern.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass


def _assigned(calls: str) -> str:
    """The template of a field that is set to what one of these calls returns."""
    return rf"^\s++NAME\s*+(?::[^=\n]{{1,80}})?=\s*+(?:\w{{1,30}}\.)?(?:{calls})\s*+[(\[]"


def _by_keyword(keywords: str) -> str:
    """The template of a field whose column one of these keywords names."""
    return rf"\b(?:{keywords})\s*+[=:]\s*+[\"'`]NAME[\"'`]"


_ENTITY_SCHEMA = r"\bEntitySchema(?:<[^<>\n]{0,80}>)?\("
_DEFINE = r"\.define(?:<[^<>\n]{0,80}>)?\(\s*+[\"'`]"


@dataclass(frozen=True, slots=True)
class Mapper:
    """One mapper, or several that write alike. Each part is a pattern, "" if the mapper has no form of its own."""

    name: str
    field: str = ""  # template: a line that is a field by its own form
    attribute: str = ""  # template: a line of an object that says what each column is, in JavaScript
    mention: str = ""  # template: a line of a class that says something of a column by its name
    columns: str = ""  # begins a list of columns
    head: str = (
        ""  # begins a model; a group named `model...` is the name of its class, one named `table...` that of its table
    )
    definition: str = ""  # begins the object of attributes
    table: str = ""  # what is before the text that names a table
    entity: str = ""  # marks a class whose members are columns
    no_column: str = ""  # marks a member that has no column


MAPPERS = (
    Mapper(
        "any that maps classes",
        head=r"^\s*+(?:(?:export|pub|public|abstract|default|final|data|open|sealed|partial|internal|readonly|@\w{1,40})\s++)*+(?:class|model|struct|type|interface|object|record)\s++(?!Meta\b)(?P<model>\w{1,99})",
    ),
    Mapper(
        "Django", _assigned(r"\w{0,40}Field|ForeignKey") + "|" + _by_keyword("db_column"), table=r"\bdb_table\s*+=\s*+"
    ),
    Mapper(
        "SQLAlchemy",
        field=_assigned("Column|mapped_column|deferred|column_property")
        + r"|^\s++NAME\s*+:\s*+(?:\w{1,30}\.)?Mapped\[(?!.{0,200}\brelationship\()",
        head=r"(?<![\w.])(?:\w{1,40}\.)?(?P<core>Table)\((?:\s*+[\"'](?P<table_core>\w{1,99}))?",
        table=r"__tablename__\s*+=\s*+",
        no_column=r"\brelationship\(",
    ),
    Mapper("SQLModel", entity=r"\btable\s*+=\s*+True\b"),
    Mapper("Peewee", field=_by_keyword("column_name")),
    Mapper("Pony", field=_assigned("Required|Optional|PrimaryKey")),
    Mapper(
        "Prisma",
        field=r"^\s++NAME\s++[A-Z]\w{2,40}[?\[\]]{0,3}(?:\s|$)|@map\(\s*+\"NAME\"",
        table=r"@@map\(\s*+",
    ),
    Mapper(
        "Diesel",
        field=r"^\s++NAME\s++->\s++[A-Z]",
        head=r"^\s*+(?P<model_diesel>\w{1,99})\s++\([\w, ]++\)\s*+\{",
        entity=r"\btable_name\s*+=|\b(?:Queryable|Selectable|Insertable|AsChangeset|Identifiable)\b",
    ),
    Mapper("SQLx", entity=r"\bFromRow\b"),
    Mapper("tags of Go", r"`[^`\n]{0,200}\b(?:db|gorm|bun|xorm)\s*+:\s*+\\?\"(?:column:)?NAME\b"),
    Mapper(
        "Drizzle, Exposed, ent",
        field=r"(?::|\bva[lr]\s++\w{1,99}\s*+=|\bfield\.)\s*+\w{2,30}\(\s*+['\"]NAME['\"]",
        head=r"\b(?:pgTable|mysqlTable|sqliteTable)\(\s*+['\"](?P<table_drizzle>\w{1,99})",
        table=r"\b\w{0,20}Table(?:<[^<>\n]{0,80}>)?\(\s*+",
    ),
    Mapper(
        "Ecto",
        field=r"^\s++field[ (]\s*+:NAME\b|^\s++field\b[^#\n]{0,200}\bsource:\s*+:NAME\b",
        head=r"^\s++schema\s++\"(?P<table_ecto>\w{1,99})\"\s++do\b",
    ),
    Mapper("jOOQ", r"\bcreateField\(\s*+(?:DSL\.)?name\(\s*+\"NAME\""),
    Mapper("Drift", r"^\s++(?:late\s++)?\w{2,40}Column\s++get\s++NAME\b"),
    Mapper(
        "Entity Framework",
        field=r"\bHasColumnName\(\s*+\"NAME\"",
        head=r"\bEntity<(?P<model_fluent>\w{1,99})>\(",
        table=r"\bToTable\(\s*+",
        entity=r"\[Table\(|\[Key\]|\[ForeignKey\(|\bDbSet<",
        no_column=r"\bNotMapped\b",
    ),
    Mapper("linq2db", _by_keyword("ColumnName")),
    Mapper("Slick", table=r"\(\s*+tag\s*+,\s*+"),
    Mapper("Fluent of Swift", r"@Field\(\s*+key\s*+:\s*+\"NAME\"", table=r"\bstatic\s++let\s++schema\s*+=\s*+"),
    Mapper(
        "JPA, Doctrine and the like",
        table=r"(?:@|#\[|\[)(?:ORM\\)?(?:Table|Entity|MappedEntity)\(\s*+\{?\s*+(?:(?:name|value|tableName)\s*+[=:]\s*+)?",
        entity=r"@(?:Mapped)?Entity\b|@Table\b",
        no_column=r"@Transient\b|\btransient\b",
    ),
    Mapper(
        "XML of Hibernate, Doctrine and MyBatis",
        field=r"<(?:property|id|field|many-to-one|key-property|result|column|version|timestamp)\b[^<>\n]{0,300}\b(?:name|column)\s*+=\s*+\"NAME\"",
        head=r"<(?:class|entity|resultMap)\b[^<>\n]{0,400}?\b(?:name|type)\s*+=\s*+\"(?:[\w$]{1,99}[.\\])*+(?P<model_xml>\w{1,99})\"",
        table=r"\btable\s*+=\s*+",
    ),
    Mapper(
        "Sequelize",
        attribute=r"^\s*+[\"']?NAME[\"']?\s*+:\s*+(?:\{\s*+)?(?:type\s*+:\s*+)?(?:DataTypes?|Sequelize)\.|^\s*+[\"']?NAME[\"']?\s*+:\s*+\{(?:\s*+$|[^\n]{0,200}\btype\s*+:)"
        r"|^\s*+field\s*+:\s*+[\"'`]NAME[\"'`]|[{,]\s*+field\s*+:\s*+[\"'`]NAME[\"'`]",
        head=_DEFINE + r"(?P<model_defined>\w{1,99})|^\s*+(?P<model_init>[A-Z]\w{0,99})\.init\(",
        definition=_DEFINE + r"\w{1,99}|[A-Z]\w{0,99}\.init\(",
        table=r"\btableName\s*+[=:]\s*+",
        no_column=r"DataTypes\.VIRTUAL",
    ),
    Mapper(
        "TypeORM, MikroORM",
        field=_by_keyword("columnName|fieldName"),
        head=_ENTITY_SCHEMA,
        definition=_ENTITY_SCHEMA,
        no_column=r"persist\s*+:\s*+false",
    ),
    Mapper("Objection", definition=r"\bstatic\s++get\s++jsonSchema\b|\bjsonSchema\s*+="),
    Mapper(
        "Rails, Peewee, SeaORM",
        mention=r"^\s++(?:validates\w*|attribute|serialize|encrypts|normalizes|store|store_accessor|alias_attribute|enum|has_rich_text|monetize)\b[^#\n]{0,300}(?<![\w:]):NAME\b|^\s++enum\s++NAME:",
        table=r"\b(?:self\.)?table_name\s*+=\s*+",
    ),
    Mapper(
        "Laravel",
        columns=r"\$(?:fillable|casts|guarded|hidden|visible|dates|attributes)\s*+=|\bfunction\s++casts\s*+\(|#\[(?:Fillable|Hidden|Visible|Guarded)\(",
        table=r"\$table\s*+=\s*+",
    ),
)


def _any(patterns: Iterable[str]) -> str:
    return "|".join(filter(None, patterns))


FIELD = _any(one.field for one in MAPPERS)
ATTRIBUTE = _any(one.attribute for one in MAPPERS)
MENTION = _any(one.mention for one in MAPPERS)
COLUMN_LIST = re.compile(_any(one.columns for one in MAPPERS))
HEAD = re.compile(_any(one.head for one in MAPPERS))
DEFINITION = re.compile(_any(one.definition for one in MAPPERS))
TABLE_NAME = re.compile(
    rf"(?:{_any(one.table for one in MAPPERS)})(?:Some\()?[\"'`](?:\w{{1,40}}\.)?(?P<name>\w{{1,99}})[\"'`]"
)
ENTITY = re.compile(_any(one.entity for one in MAPPERS))
NO_COLUMN = re.compile(_any(one.no_column for one in MAPPERS))


def names_of(match: re.Match[str]) -> tuple[str, str]:
    """Return the name of a model and that of its table, of a match of `HEAD`; "" for one that it does not say."""
    groups = {group: text for group, text in match.groupdict().items() if text}
    table = next((text for group, text in groups.items() if group.startswith("table")), "")
    return next((text for group, text in groups.items() if group.startswith("model")), table), table
