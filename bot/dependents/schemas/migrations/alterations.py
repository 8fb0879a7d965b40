"""Calls of migrations that change a column which is there."""

import re
from collections.abc import Iterator

from bot.dependents.schemas.migrations.call_texts import arguments_of, inside
from bot.dependents.schemas.migrations.steps import MigrationStep, computed_step, renamed_column

_NOT_NULL = re.compile(r"\b(?:nullable|allowNull|isNullable)\s*+[=:]\s*+[Ff]alse\b")
_DEFAULT = re.compile(
    r"\b(?:server_default|existing_server_default|defaultValue(?:Sql)?|default)\s*+[=:](?!\s*+(?:None|null|False)\b)"
)
_NEW_NAME = re.compile(r"[{(,]\s*+name\s*+:\s*+[\"'`](\w{1,99})")


def requires_value(arguments: str) -> bool:
    """Whether the arguments of a call ask for a value in each row and give none."""
    return bool(_NOT_NULL.search(arguments)) and not _DEFAULT.search(arguments)


def alteration_steps(text: str, around: str, path: str, line: int) -> Iterator[MigrationStep]:
    """Yield what a call does whose arguments a text begins with: it gives the column another name, or forbids NULL in it."""
    arguments = inside(text)
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
