"""Recognize migrations in code, and what their Rails, Alembic and Django calls do to tables and columns.

SQL statements in strings are read for any tool. Computed names are unknown.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Literal

from deeprepo.impact.schemas.breaks import Document
from deeprepo.impact.structs import Struct
from deeprepo.impact.text.brackets import before_close
from deeprepo.impact.text.lines import is_comment, line_number
from deeprepo.impact.text.paths import is_test
from deeprepo.impact.values import Side

_FOLDER = re.compile(r"(?:^|/)(?:migrations?|migrate|post_migrate|alembic/versions)(?:/|$)|migration", re.IGNORECASE)
_CODE = re.compile(r"\.(?:rb|py|php|js|ts|mjs|cjs|cs|go|rs|java|kt|exs)$")
_MOST = 5_000  # steps per file
Does = Literal["drop-column", "drop-table", "rename-column", "rename-table", "require-column", "create", "add"]


class MigrationStep(Struct, frozen=True):
    """One step: what it does to a table or column."""

    does: Does
    table: str
    column: str
    path: str
    line: int
    new: str = ""
    side: Side = "head"
    columns: tuple[str, ...] = ()  # of a created table
    model: str = ""  # for Django: the class of the table


def is_migration(path: str) -> bool:
    """Return whether a code file is a migration, by its folder or name."""
    return bool(_CODE.search(path) and _FOLDER.search(path)) and not is_test(path)


def is_in_folder(path: str) -> bool:
    """Return whether a file is in a folder of migrations."""
    return bool(_FOLDER.search(path))


def home(path: str) -> str:
    """Return the folder of the migrations that a file belongs to."""
    match = _FOLDER.search(path)
    is_folder = match is not None and match.group().strip("/") and "/" in path[match.start() :]
    return path[: match.end()].rstrip("/") if match is not None and is_folder else path.rpartition("/")[0]


# Code that reverts a migration: a function, or a block in Rails' `reversible`.
_DOWN = re.compile(
    r"^[ \t]*+(?:def[ \t]++(?:self\.)?down(?:grade)?\b|(?:\w{1,12}[ \t]++){0,4}down[ \t]*+[(:=]|\w{1,12}\.down\b)",
    re.IGNORECASE,
)


def forward(text: str) -> str:
    """Return a text with functions that revert the migration blanked out, without changing line numbers."""
    lines = text.split("\n")
    depth = -1  # indentation of the reverting function that is being skipped, or -1
    for at, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        is_end = indent < depth or (indent == depth and not line.strip().startswith(("{", "}", "end")))
        if line.strip() and is_end:
            depth = -1
        if depth < 0 and _DOWN.match(line):
            depth = indent
        if depth >= 0:
            lines[at] = ""
    return "\n".join(lines)


_SQL_TEXT = re.compile(
    r"(?P<open>\"\"\"|'''|[\"'`])\s*+(?=(?:ALTER|DROP|CREATE|RENAME)\s++(?:TABLE|VIEW|MATERIALIZED)\b)"
    r"|<<[-~]?[\"']?(?P<doc>[A-Z]{3,12})[\"']?[^\n]{0,200}+\n\s*+(?=(?:ALTER|DROP|CREATE)\s)",
    re.IGNORECASE,
)
_TAKES_BACK = re.compile(r"\breverse_sql\s*+=\s*+\[?\s*+$")


def sql_texts(text: str) -> Iterator[tuple[str, int]]:
    """Yield the strings in a text that begin with a statement about a table, with their lines."""
    for match in islice(_SQL_TEXT.finditer(text), _MOST):
        ending = re.compile(rf"^[ \t]*+{match['doc']}\b" if match["doc"] else match["open"], re.MULTILINE)
        end = ending.search(text, match.end())
        if not _TAKES_BACK.search(text[max(0, match.start() - 40) : match.start()]):
            yield text[match.end() : end.start() if end else match.end() + 2_000], line_number(text, match.end())


_CALL = re.compile(
    r"\b(?P<name>(?:drop|remove|rename|add|alter)_columns?|(?:drop|rename)_table|remove_(?:reference|belongs_to)|"
    r"(?:Remove|Rename|Add)Field|(?:Delete|Rename)Model|(?:t|table)\.(?:remove|rename))\b(?P<open>[ \t]*+\(\s*+|[ \t]++(?=[:\"']))"
)
_AROUND = re.compile(r"\b(?:change_table|batch_alter_table)\s*+\(?\s*+:?[\"']?(?P<table>\w{1,99})")
_ARGUMENT = re.compile(
    r"(?:\b(?P<key>\w{1,40})\s{0,3}[=:]\s{0,3})?(?:[\"'](?P<text>[\w.]{1,99})[\"']|(?<![:\w]):(?P<symbol>\w{1,99}))|(?P<stop>\blambda\b|[{}])"
)
_APPLICATION = re.compile(r"(?:^|/)(\w{1,99})/migrations/[^/]++$")
_OF_LINE = re.compile(r"(?:[^\n]*+,[ \t]*+\n)*+[^\n]*+")  # arguments without parentheses continue after a comma
_REQUIRED = re.compile(r"\bnullable\s*+=\s*+False\b|\bnull:\s*+false\b")
_FILLED = re.compile(r"\b(?:server_default|default)\s*+[=:]|\b(?:Computed|Identity)\(")


def call_steps(document: Document) -> Iterator[MigrationStep]:
    """Yield the steps of a migration's calls, in order."""
    text, path = forward(document.text), document.path
    around = [(match.start(), match["table"]) for match in _AROUND.finditer(text)]
    for match in islice(_CALL.finditer(text), _MOST):
        start = text.rfind("\n", 0, match.start()) + 1
        if is_comment(text[start : match.end()], path):
            continue
        behind = text[match.end() : match.end() + 600]
        line_match = _OF_LINE.match(behind)
        arguments = before_close(behind) if "(" in match["open"] else line_match[0] if line_match else ""
        table = next((name for at, name in reversed(around) if at < match.start()), "")
        line = line_number(text, match.start())
        of_tool = _of_django if match["name"][0].isupper() else _steps
        yield from of_tool(match["name"], arguments, table, path, line)


def _named_and_plain(arguments: str) -> tuple[dict[str, str], list[str]]:
    """Return a call's named strings and its other strings, up to the first other value."""
    by_key: dict[str, str] = {}
    plain: list[str] = []
    for match in _ARGUMENT.finditer(arguments):
        if match["stop"]:
            break
        value = match["text"] or match["symbol"]
        if match["key"]:
            by_key[match["key"]] = value
        else:
            plain.append(value)
    return by_key, plain


def _steps(call: str, arguments: str, around: str, path: str, line: int) -> Iterator[MigrationStep]:
    """Yield the steps of a Rails or Alembic call. `around`: the table of the enclosing block."""
    by_key, plain = _named_and_plain(arguments)
    verb, _, noun = call.rpartition(".")[2].partition("_")
    is_rename = verb in ("rename", "alter")
    if noun == "table":
        old, new = (*plain, "", "")[:2]
        if old := by_key.get("old_table_name", old):
            does: Does = "rename-table" if is_rename else "drop-table"
            yield MigrationStep(
                does, old.lower(), "", path, line, by_key.get("new_table_name", new) if is_rename else ""
            )
        return
    is_of_block = "." in call or (bool(around) and len(plain) <= 1 + (verb == "rename"))
    table = by_key.get("table_name") or (around if is_of_block else plain.pop(0) if plain else "")
    columns = [by_key["column_name"]] if "column_name" in by_key else plain
    new = by_key.get("new_column_name") or (columns[1] if verb == "rename" and len(columns) > 1 else "")
    if noun in ("reference", "belongs_to"):
        columns = [f"{columns[0]}_id"] if columns else []
    elif noun == "column" or is_rename:
        columns = columns[:1]
    is_required = _REQUIRED.search(arguments) and not _FILLED.search(arguments)
    for column in columns if table and (new or not is_rename) else ():
        does = "rename-column" if is_rename else "drop-column"
        if verb == "add":
            does = "require-column" if is_required else "add"
        yield MigrationStep(does, table.lower(), column, path, line, new)


def _of_django(call: str, arguments: str, _around: str, path: str, line: int) -> Iterator[MigrationStep]:
    """Yield the step for the table of a Django model, or for one of its columns.

    The table's name begins with the application.
    """
    application = _APPLICATION.search(path)
    by_key, plain = _named_and_plain(arguments)
    model = "" if call.endswith("Model") else by_key.get("model_name") or (plain.pop(0) if plain else "")
    name = by_key.get("old_name") or by_key.get("name") or (plain.pop(0) if plain else "")
    new = (by_key.get("new_name") or (plain[0] if plain else "")) if call.startswith("Rename") else ""
    if application is None or not name or not (model or call.endswith("Model")):
        return
    if call.endswith("Model"):
        does: Does = "rename-table" if new else "drop-table"
        new = f"{application[1]}_{new}".lower() if new else ""
        yield MigrationStep(does, f"{application[1]}_{name}".lower(), "", path, line, new)
        return
    does = "add" if call == "AddField" else "rename-column" if new else "drop-column"
    table = f"{application[1]}_{model}".lower()
    yield MigrationStep(does, table, name, path, line, new, model=model.lower())
