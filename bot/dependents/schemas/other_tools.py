"""Migrations of tools that write a step as a chain or a block instead of one call: FluentMigrator, Ecto and Phinx, and Liquibase's change logs."""

import re
from collections.abc import Iterator, Mapping
from itertools import islice

from bot.dependents.schemas.rollbacks import is_remark
from bot.dependents.schemas.steps import MigrationStep
from bot.text.filetypes import filetype
from bot.text.paths import is_sample, is_test

_MOST = 5_000
_FLUENT = re.compile(
    r"\bDelete\s*+(?P<columns>(?:\.\s*+Column\(\s*+\"\w{1,99}\"\s*+\)\s*+){1,40})\.\s*+FromTable\(\s*+\"(?P<table>\w{1,99})\""
    r"|\bRename\s*+\.\s*+Column\(\s*+\"(?P<old>\w{1,99})\"\s*+\)\s*+\.\s*+OnTable\(\s*+\"(?P<home>\w{1,99})\"\s*+\)\s*+(?:\.\s*+InSchema\(\s*+\"\w{1,99}\"\s*+\)\s*+)?\.\s*+To\(\s*+\"(?P<new>\w{1,99})\""
    r"|\bDelete\s*+\.\s*+Table\(\s*+\"(?P<gone>\w{1,99})\"|\bRename\s*+\.\s*+Table\(\s*+\"(?P<one>\w{1,99})\"\s*+\)\s*+(?:\.\s*+InSchema\(\s*+\"\w{1,99}\"\s*+\)\s*+)?\.\s*+To\(\s*+\"(?P<other>\w{1,99})\""
)
_TEXT = re.compile(r"\"(\w{1,99})\"")
_ECTO = re.compile(
    r"\balter[ (]\s*+table\(\s*+[:\"]{1,2}(?P<altered>\w{1,99})|^[ \t]*+remove(?:_if_exists)?[ (]\s*+:(?P<column>\w{1,99})"
    r"|\brename[ (]\s*+table\(\s*+[:\"]{1,2}(?P<table>\w{1,99})\"?[^()\n]{0,99}\)\s*+,\s*+(?::(?P<old>\w{1,99})\s*+,\s*+to:\s*+:(?P<new>\w{1,99})|to:\s*+table\(\s*+[:\"]{1,2}(?P<other>\w{1,99}))"
    r"|\bdrop(?:_if_exists)?[ (]\s*+table\(\s*+[:\"]{1,2}(?P<gone>\w{1,99})",
    re.MULTILINE,
)
_PHINX = re.compile(
    r"->table\(\s*+['\"](?P<table>\w{1,99})['\"][^();]{0,200}\)\s*+->\s*+(?:(?P<drop>drop)\(\s*+\)|rename\(\s*+['\"](?P<new>\w{1,99}))"
)
# Liquibase: a change log is a document, in one of three notations.
_LOG_FILE = re.compile(r"(?:changelog|changeset|liquibase|migration)[^\n]{0,200}\.(?:xml|ya?ml|json)$", re.IGNORECASE)
_LOG = "databaseChangeLog"
_ELEMENT = re.compile(
    r"<(?:\w{1,20}:)?(?P<kind>dropColumn|dropTable|dropView|renameColumn|renameTable)\b(?P<attributes>[^<>]{0,1000})>"
)
_ATTRIBUTE = re.compile(r"\b(\w{1,40})\s*+=\s*+[\"']([^\"'<>]{1,200})[\"']")
_COLUMN = re.compile(
    r"\s*+<(?:\w{1,20}:)?column\b[^<>]{0,300}?\bname\s*+=\s*+[\"'](\w{1,99})[\"'][^<>]{0,300}>(?:\s*+</column>)?"
)
_KEY = re.compile(
    r"^(?P<indent>[ \t{\[-]*+)[\"']?(?P<kind>dropColumn|dropTable|dropView|renameColumn|renameTable|rollback)[\"']?\s*+:"
)
_PAIR = re.compile(r"[\"']?\b(\w{1,40})[\"']?[ \t]*+:[ \t]*+[\"']?([\w.]{1,200})")
_ROLLBACK_EDGE = re.compile(r"<(?P<end>/)?(?:\w{1,20}:)?rollback\b(?P<rest>[^<>]{0,400})>")


def is_log_path(path: str) -> bool:
    """Whether a file may be a change log, by its path."""
    return bool(_LOG_FILE.search(path)) and not (is_test(path) or is_sample(path))


def is_log(text: str) -> bool:
    """Whether a document is a change log."""
    return _LOG in text


def steps(text: str, path: str) -> Iterator[MigrationStep]:
    """The steps of a migration in code; what takes it back is blank in the text."""
    match filetype(path).parser:
        case "csharp":
            rows = _of_fluent(text, path)
        case "elixir":
            rows = _of_ecto(text, path)
        case "php":
            rows = _of_phinx(text, path)
        case _:
            rows = iter(())
    lines = text.split("\n")
    return (one for one in rows if not is_remark(lines[one.line - 1], path))


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _of_fluent(text: str, path: str) -> Iterator[MigrationStep]:
    for match in islice(_FLUENT.finditer(text), _MOST):
        line = _line(text, match.start())
        if match["columns"]:
            for name in _TEXT.findall(match["columns"]):
                yield MigrationStep("drop-column", match["table"].lower(), name.lower(), path, line, spelling=name)
        elif match["old"]:
            yield _renamed_column(match["home"], match["old"], match["new"], path, line)
        elif match["gone"]:
            yield MigrationStep("drop-table", match["gone"].lower(), "", path, line)
        else:
            yield MigrationStep("rename-table", match["one"].lower(), "", path, line, new=match["other"])


def _of_ecto(text: str, path: str) -> Iterator[MigrationStep]:
    table = ""
    for match in islice(_ECTO.finditer(text), _MOST):
        line = _line(text, match.start())
        if match["altered"]:
            table = match["altered"].lower()
        elif match["column"]:
            yield MigrationStep("drop-column", table, match["column"].lower(), path, line, spelling=match["column"])
        elif match["gone"]:
            yield MigrationStep("drop-table", match["gone"].lower(), "", path, line)
        elif match["old"]:
            yield _renamed_column(match["table"], match["old"], match["new"], path, line)
        else:
            yield MigrationStep("rename-table", match["table"].lower(), "", path, line, new=match["other"])


def _of_phinx(text: str, path: str) -> Iterator[MigrationStep]:
    for match in islice(_PHINX.finditer(text), _MOST):
        line, table = _line(text, match.start()), match["table"].lower()
        if match["drop"]:
            yield MigrationStep("drop-table", table, "", path, line)
        else:
            yield MigrationStep("rename-table", table, "", path, line, new=match["new"])


def _renamed_column(table: str, old: str, new: str, path: str, line: int) -> MigrationStep:
    return MigrationStep("rename-column", table.lower(), old.lower(), path, line, new=new, spelling=old)


def log_steps(text: str, path: str) -> Iterator[MigrationStep]:
    """The steps of a change log, those that take a change back left out."""
    if not path.lower().endswith(".xml"):
        yield from _of_keys(text.split("\n"), path)
        return
    text = _without_rollbacks(text)
    for match in islice(_ELEMENT.finditer(text), _MOST):
        attributes = dict(_ATTRIBUTE.findall(match["attributes"]))
        columns: list[str] = []
        at = match.end()
        while not match["attributes"].endswith("/") and (inner := _COLUMN.match(text, at)):
            columns.append(inner[1])
            at = inner.end()
        yield from _of_change(match["kind"], attributes, columns, path, _line(text, match.start()))


def _without_rollbacks(text: str) -> str:
    """A log in XML whose parts that take a change back are blank; lines stay where they are."""
    parts: list[str] = []
    at, start = 0, -1
    for edge in _ROLLBACK_EDGE.finditer(text):
        if edge["end"] and start >= 0:
            parts += [text[at:start], "\n" * text.count("\n", start, edge.end())]
            at, start = edge.end(), -1
        elif not edge["end"] and start < 0 and not edge["rest"].endswith("/"):
            start = edge.start()
    return "".join([*parts, text[at:]])


def _of_keys(lines: list[str], path: str) -> Iterator[MigrationStep]:
    """The steps of a log in YAML or JSON, where a change is the lines that stand deeper than its key."""
    at = 0
    while at < len(lines):
        match = _KEY.match(lines[at])
        start = at
        at += 1
        if match is None:
            continue
        depth = len(match["indent"])
        end = at
        while end < len(lines) and (not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > depth):
            end += 1
        if match["kind"] == "rollback":
            at = end
            continue
        pairs = _PAIR.findall("\n".join([lines[start][match.end() :], *lines[at:end]])[:4_000])
        yield from _of_change(
            match["kind"], dict(pairs), [value for key, value in pairs if key == "name"], path, start + 1
        )


def _of_change(
    kind: str, values: Mapping[str, str], columns: list[str], path: str, line: int
) -> Iterator[MigrationStep]:
    table = values.get("tableName", "")
    if kind == "dropColumn":
        for name in [values["columnName"]] if "columnName" in values else columns:
            yield MigrationStep("drop-column", table.lower(), name.lower(), path, line, spelling=name)
    elif kind == "renameColumn" and "oldColumnName" in values:
        yield _renamed_column(table, values["oldColumnName"], values.get("newColumnName", ""), path, line)
    elif kind in ("dropTable", "dropView") and (name := table or values.get("viewName", "")):
        yield MigrationStep("drop-table", name.lower(), "", path, line)
    elif kind == "renameTable" and "oldTableName" in values:
        yield MigrationStep(
            "rename-table", values["oldTableName"].lower(), "", path, line, new=values.get("newTableName", "")
        )
