"""Change logs of Liquibase: a document in one of three notations, whose elements are the steps."""

import re
from collections.abc import Iterator, Mapping
from itertools import islice

from bot.dependents.schemas.migrations.steps import MigrationStep, renamed_column
from bot.text.lines import line_number
from bot.text.paths import is_sample, is_test

_MOST = 5_000  # steps of one file
_LOG_FILE = re.compile(r"(?:changelog|changeset|liquibase|migration)[^\n]{0,200}\.(?:xml|ya?ml|json)$", re.IGNORECASE)
_LOG = "databaseChangeLog"
_CHANGES = "dropColumn|dropTable|dropView|renameColumn|renameTable"
_ELEMENT = re.compile(rf"<(?:\w{{1,20}}:)?(?P<kind>{_CHANGES})\b(?P<attributes>[^<>]{{0,1000}})>")
_ATTRIBUTE = re.compile(r"\b(\w{1,40})\s*+=\s*+[\"']([^\"'<>]{1,200})[\"']")
_COLUMN = re.compile(
    r"\s*+<(?:\w{1,20}:)?column\b[^<>]{0,300}?\bname\s*+=\s*+[\"'](\w{1,99})[\"'][^<>]{0,300}>(?:\s*+</column>)?"
)
_KEY = re.compile(rf"^(?P<indent>[ \t{{\[-]*+)[\"']?(?P<kind>{_CHANGES}|rollback)[\"']?\s*+:")
_PAIR = re.compile(r"[\"']?\b(\w{1,40})[\"']?[ \t]*+:[ \t]*+[\"']?([\w.]{1,200})")
_ROLLBACK_EDGE = re.compile(r"<(?P<end>/)?(?:\w{1,20}:)?rollback\b(?P<rest>[^<>]{0,400})>")


def is_log_path(path: str) -> bool:
    """Whether a file may be a change log, by its path."""
    return bool(_LOG_FILE.search(path)) and not (is_test(path) or is_sample(path))


def is_log(text: str) -> bool:
    """Whether a document is a change log."""
    return _LOG in text


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
        yield from _of_change(match["kind"], attributes, columns, path, line_number(text, match.start()))


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
        yield renamed_column(table, values["oldColumnName"], values.get("newColumnName", ""), path, line)
    elif kind in ("dropTable", "dropView") and (name := table or values.get("viewName", "")):
        yield MigrationStep("drop-table", name.lower(), "", path, line)
    elif kind == "renameTable" and "oldTableName" in values:
        yield MigrationStep(
            "rename-table", values["oldTableName"].lower(), "", path, line, new=values.get("newTableName", "")
        )
