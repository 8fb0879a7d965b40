"""Migrations in code: which files are some, and what the calls of Rails, Alembic and Django in them do to tables and columns.

Statements of SQL in the texts of a migration are read whatever its tool is. Names that a program computes are not known.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from bot.dependents.schemas.breaks import Document
from bot.text.brackets import before_close
from bot.text.lines import is_comment, line_number
from bot.text.paths import is_test
from bot.values import Side

_FOLDER = re.compile(r"(?:^|/)(?:migrations?|migrate|post_migrate|alembic/versions)(?:/|$)|migration", re.IGNORECASE)
_CODE = re.compile(r"\.(?:rb|py|php|js|ts|mjs|cjs|cs|go|rs|java|kt|exs)$")
_MOST = 5_000  # steps of one file
Does = Literal["drop-column", "drop-table", "rename-column", "rename-table", "require-column", "create", "add"]


@dataclass(frozen=True, slots=True)
class MigrationStep:
    """One step: what it does to which table and column."""

    does: Does
    table: str
    column: str
    path: str
    line: int
    new: str = ""
    side: Side = "head"
    columns: tuple[str, ...] = ()  # of a table that is created
    is_conditional: bool = False  # it changes nothing if what it creates is there: IF NOT EXISTS, OR REPLACE
    model: str = ""  # of Django: the class whose table it is


def is_migration(path: str) -> bool:
    """Whether a file of code is a migration, by its folder or its name."""
    return bool(_CODE.search(path) and _FOLDER.search(path)) and not is_test(path)


def is_in_folder(path: str) -> bool:
    """Whether a file is beside migrations."""
    return bool(_FOLDER.search(path))


def home(path: str) -> str:
    """Return the folder of the migrations that a file is one of."""
    match = _FOLDER.search(path)
    is_folder = match is not None and match.group().strip("/") and "/" in path[match.start() :]
    return path[: match.end()].rstrip("/") if match is not None and is_folder else path.rpartition("/")[0]


# The functions that take a migration back, and what Django's RunSQL is given to do so.
_DOWN = re.compile(
    r"^[ \t]*+(?:def[ \t]++(?:self\.)?down(?:grade)?\b|(?:\w{1,12}[ \t]++){0,4}down[ \t]*+[(:=]|\w{1,12}\.down\b)",
    re.MULTILINE | re.IGNORECASE,
)
_TEXT = r"(?:[rf]?\"\"\"(?:[^\"]|\"(?!\"\"))*+\"\"\"|[rf]?'''(?:[^']|'(?!''))*+'''|[rf]?\"[^\"\n]*+\"|[rf]?'[^'\n]*+')"
_REVERSE = re.compile(
    rf"\breverse_sql\s*+=\s*+(?:\[[^\[\]]*+\]|{_TEXT}(?:\s*+{_TEXT})*+)|(?<=\bRunSQL\()(?P<kept>\s*+{_TEXT})\s*+,\s*+{_TEXT}"
)


def forward(text: str) -> str:
    """A text whose functions and arguments that take a migration back are blank; lines stay where they are."""
    text = _REVERSE.sub(
        lambda match: (match["kept"] or "") + "\n" * (match[0].count("\n") - (match["kept"] or "").count("\n")), text
    )
    lines = text.split("\n")
    depth = -1  # the indentation of a function that takes back, while its lines are passed
    for at, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if (
            depth >= 0
            and line.strip()
            and (indent < depth or (indent == depth and not line.strip().startswith(("{", "}", "end"))))
        ):
            depth = -1
        if depth < 0 and _DOWN.match(line):
            depth = indent
        if depth >= 0:
            lines[at] = ""
    return "\n".join(lines)


_CALL = re.compile(
    r"\b(?P<name>(?:drop|remove|rename|add|alter)_columns?|(?:drop|rename)_table|remove_(?:reference|belongs_to)|"
    r"(?:Remove|Rename|Add)Field|(?:Delete|Rename)Model|(?:t|table)\.(?:remove|rename))\b(?P<open>[ \t]*+\(\s*+|[ \t]++(?=[:\"']))"
)
_AROUND = re.compile(r"\b(?:change_table|batch_alter_table)\s*+\(?\s*+:?[\"']?(?P<table>\w{1,99})")
_ARGUMENT = re.compile(
    r"(?:\b(?P<key>\w{1,40})\s{0,3}[=:]\s{0,3})?(?:[\"'](?P<text>[\w.]{1,99})[\"']|(?<![:\w]):(?P<symbol>\w{1,99}))|(?P<stop>\blambda\b|[{}])"
)
_APPLICATION = re.compile(r"(?:^|/)(\w{1,99})/migrations/[^/]++$")
_SQL_TEXT = re.compile(
    r"(?P<open>\"\"\"|'''|[\"'`])\s*+(?=(?:ALTER|DROP|CREATE|RENAME)\s++(?:TABLE|VIEW|MATERIALIZED)\b)"
    r"|<<[-~]?[\"']?(?P<doc>[A-Z]{3,12})[\"']?[^\n]*+\n\s*+(?=(?:ALTER|DROP|CREATE)\s)",
    re.IGNORECASE,
)


_JOINT = re.compile(r"(?<=[\w\s,()])([\"'])\s{0,80}[+.\\]?\s{0,80}\1(?=[\w\s,()])")


def sql_texts(text: str) -> Iterator[tuple[str, int]]:
    """The literals of a text that begin with a statement about a table, each with its line."""
    text = _JOINT.sub(lambda match: "\n" * match[0].count("\n"), text)
    for match in islice(_SQL_TEXT.finditer(text), _MOST):
        close = f"\n{match['doc']}" if match["doc"] else match["open"]
        end = text.find(close, match.end())
        if match["doc"] and end < 0:
            ending = re.compile(rf"^[ \t]*+{match['doc']}\b", re.MULTILINE).search(text, match.end())
            end = ending.start() if ending else -1
        yield text[match.end() : end if end >= 0 else match.end() + 2_000], line_number(text, match.end())


def call_steps(document: Document) -> Iterator[MigrationStep]:
    """What the calls of a migration do, in their order."""
    text, path = forward(document.text), document.path
    around = [(match.start(), match["table"]) for match in _AROUND.finditer(text)]
    for match in islice(_CALL.finditer(text), _MOST):
        start = text.rfind("\n", 0, match.start()) + 1
        if not is_comment(text[start : match.end()], path):
            behind = text[match.end() : match.end() + 600]
            arguments = before_close(behind) if "(" in match["open"] else _of_line(behind)
            table = next((name for at, name in reversed(around) if at < match.start()), "")
            yield from _steps(match["name"], arguments, table, path, line_number(text, match.start()))


def _of_line(text: str) -> str:
    """The arguments of a call of Ruby without brackets: they go on behind a comma."""
    lines = text.split("\n")
    end = next((at for at, line in enumerate(lines) if not line.rstrip().endswith(",")), len(lines))
    return "\n".join(lines[: end + 1])


def _named_and_plain(arguments: str) -> tuple[dict[str, str], list[str]]:
    """The texts that a call is given by name, and the others, up to what is no text."""
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
    by_key, plain = _named_and_plain(arguments)
    verb, _, noun = call.partition(".")[2].partition("_") if "." in call else call.partition("_")
    if not noun and call[0].isupper():
        yield from _of_django(call, by_key, plain, path, line)
        return
    if noun == "table":
        old, new = (*plain, "", "")[:2]
        old, new = by_key.get("old_table_name", old), by_key.get("new_table_name", new) if verb == "rename" else ""
        if old:
            yield MigrationStep("rename-table" if new else "drop-table", old.lower(), "", path, line, new)
        return
    is_of_block = "." in call or (bool(around) and len(plain) <= 1 + (verb == "rename"))
    table = by_key.get("table_name") or (around if is_of_block else plain.pop(0) if plain else "")
    columns = [by_key["column_name"]] if "column_name" in by_key else plain
    new = by_key.get("new_column_name") or (columns[1] if verb == "rename" and len(columns) > 1 else "")
    if noun in ("reference", "belongs_to"):
        columns = [f"{column}_id" for column in columns[:1]]
    elif noun == "column" or verb == "rename":
        columns = columns[:1]
    for column in columns if table else ():
        does = _does(verb, new, arguments)
        if does is not None:
            yield MigrationStep(does, table.lower(), column, path, line, new)


_REQUIRED = re.compile(r"\bnullable\s*+=\s*+False\b|\bnull:\s*+false\b")
_FILLED = re.compile(r"\b(?:server_default|default)\s*+[=:]|\b(?:Computed|Identity)\(")


def _does(verb: str, new: str, arguments: str) -> Does | None:
    if verb in ("rename", "alter"):
        return "rename-column" if new else None
    if verb == "add":
        return "require-column" if _REQUIRED.search(arguments) and not _FILLED.search(arguments) else "add"
    return "drop-column"


def _of_django(call: str, by_key: dict[str, str], plain: list[str], path: str, line: int) -> Iterator[MigrationStep]:
    """What becomes of the table of a model, which is called after its application, or of a column of it."""
    application = _APPLICATION.search(path)
    if application is None:
        return
    if call.endswith("Model"):
        old = by_key.get("old_name") or by_key.get("name") or (plain[0] if plain else "")
        new = by_key.get("new_name") or (plain[1] if len(plain) > 1 else "")
        does: Does = "rename-table" if call == "RenameModel" else "drop-table"
        name = f"{application[1]}_{new}".lower() if new else ""
        if old:
            yield MigrationStep(does, f"{application[1]}_{old}".lower(), "", path, line, name)
        return
    model = by_key.get("model_name") or (plain.pop(0) if plain else "")
    column = by_key.get("old_name") or by_key.get("name") or (plain.pop(0) if plain else "")
    new = by_key.get("new_name") or (plain[0] if plain else "") if call == "RenameField" else ""
    table = f"{application[1]}_{model}".lower()
    if model and column:
        does = "add" if call == "AddField" else "rename-column" if new else "drop-column"
        yield MigrationStep(does, table, column, path, line, new, model=model.lower())
