"""Calls of migrations that change a column which is there, and those that drop columns without naming them whole."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from bot.dependents.schemas.migrations.call_texts import MOST, Around, arguments_of, inside, line_of
from bot.dependents.schemas.migrations.steps import MigrationStep, computed_step, renamed_column

# What changes a column that is there: Alembic, Entity Framework, TypeORM and Sequelize.
_ALTER = re.compile(r"\b(?:alter_column|AlterColumn(?:<[\w.?\[\]]{1,40}>)?|changeColumn)\s*+\(\s*+")
_NOT_NULL = re.compile(r"\b(?:nullable|allowNull|isNullable)\s*+[=:]\s*+[Ff]alse\b")
_DEFAULT = re.compile(
    r"\b(?:server_default|existing_server_default|defaultValue(?:Sql)?|default)\s*+[=:](?!\s*+(?:None|null|False)\b)"
)
_NEW_NAME = re.compile(r"[{(,]\s*+name\s*+:\s*+[\"'`](\w{1,99})")
_TIGHTENS = re.compile(
    r"\bdropNullable\(\s*+[\"'`](?P<knex>\w{1,99})|\balterColumn\(\s*+[\"'`](?P<kysely>\w{1,99})[\"'`]\s*+,[^\n]{0,80}\bsetNotNull\b"
)
# What Laravel, Knex and Rails drop by other names than the columns' own.
_UNNAMED = re.compile(
    r"->dropConstrainedForeignId\(\s*+[\"'](?P<name>\w{1,99})|->drop(?:Nullable|Numeric|Uuid|Ulid)?Morphs\(\s*+[\"'](?P<morphs>\w{1,99})"
    r"|(?:->|\.)drop(?P<kind>SoftDeletes|Timestamps|Datetimes|RememberToken)(?:Tz)?\((?P<given>[^()\n]{0,99})"
    r"|\bremove_(?P<rails>timestamps)\b(?:[ \t(]++:?[\"']?(?P<table>\w{1,99}))?"
)
_UNNAMED_COLUMNS = {
    "SoftDeletes": ("deleted_at",),
    "Timestamps": ("created_at", "updated_at"),
    "timestamps": ("created_at", "updated_at"),
    "Datetimes": ("created_at", "updated_at"),
    "RememberToken": ("remember_token",),
}


def alterations(text: str, path: str, around: Around) -> Iterator[MigrationStep]:
    """The steps that change a column which is there: another name, no NULL any more; and those of Laravel's own words."""
    for match in islice(_ALTER.finditer(text), MOST):
        if line := line_of(text, match.start(), path):
            yield from _of_alteration(inside(text[match.end() : match.end() + 600]), around(match.start()), path, line)
    for match in islice(_TIGHTENS.finditer(text), MOST):
        if line := line_of(text, match.start(), path):
            column = match["knex"] or match["kysely"]
            yield MigrationStep("tighten-column", around(match.start()), column.lower(), path, line, spelling=column)
    for match in islice(_UNNAMED.finditer(text), MOST):
        if line := line_of(text, match.start(), path):
            table = (match["table"] or around(match.start())).lower()
            for column in _unnamed_columns(match):
                yield MigrationStep("drop-column", table, column.lower(), path, line, spelling=column)


def requires_value(arguments: str) -> bool:
    """Whether the arguments of a call ask for a value in each row and give none."""
    return bool(_NOT_NULL.search(arguments)) and not _DEFAULT.search(arguments)


def _unnamed_columns(match: re.Match[str]) -> Sequence[str]:
    """The columns that a call drops which does not say their whole names."""
    if match["name"]:
        return (match["name"],)
    if match["morphs"]:
        return (f"{match['morphs']}_id", f"{match['morphs']}_type")
    arguments = match["given"] or ""
    own = re.match(r"\s*+[\"'](\w{1,99})", arguments)
    if own and match["kind"] == "SoftDeletes":
        return (own[1],)
    if match["kind"] == "Timestamps" and re.search(r"\btrue\b", arguments):  # Knex
        return ("createdAt", "updatedAt")
    return _UNNAMED_COLUMNS[match["kind"] or match["rails"]]


def _of_alteration(arguments: str, around: str, path: str, line: int) -> Iterator[MigrationStep]:
    by_key, plain = arguments_of(arguments, one_line=False)
    table = by_key.get("table_name") or by_key.get("table") or ""
    column = by_key.get("column_name") or by_key.get("name") or ""
    if not column and plain:
        table, column = (plain[0], plain[1]) if len(plain) > 1 and not table else (table, plain[0])
    other_name = _NEW_NAME.search(arguments) if len(plain) > 1 else None
    new = by_key.get("new_column_name") or (other_name[1] if other_name and other_name[1] != column else "")
    table = (table or around).lower()
    if new and column:
        yield renamed_column(table, column, new, path, line)
    elif re.search(r"\bnew_column_name\s*+=", arguments):
        yield computed_step(path, line)
    if column and requires_value(arguments):
        name = new or column
        yield MigrationStep("tighten-column", table, name.lower(), path, line, spelling=name)
