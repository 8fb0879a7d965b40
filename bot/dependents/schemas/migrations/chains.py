"""Migrations of tools that write a step as a chain or a block instead of one call: FluentMigrator, Ecto and Phinx."""

import re
from collections.abc import Iterator
from itertools import islice

from bot.dependents.schemas.migrations.rollbacks import is_remark
from bot.dependents.schemas.migrations.steps import MigrationStep, renamed_column
from bot.text.filetypes import filetype
from bot.text.lines import line_number

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


def chain_steps(text: str, path: str) -> Iterator[MigrationStep]:
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


def _of_fluent(text: str, path: str) -> Iterator[MigrationStep]:
    for match in islice(_FLUENT.finditer(text), _MOST):
        line = line_number(text, match.start())
        if match["columns"]:
            for name in _TEXT.findall(match["columns"]):
                yield MigrationStep("drop-column", match["table"].lower(), name.lower(), path, line, spelling=name)
        elif match["old"]:
            yield renamed_column(match["home"], match["old"], match["new"], path, line)
        elif match["gone"]:
            yield MigrationStep("drop-table", match["gone"].lower(), "", path, line)
        else:
            yield MigrationStep("rename-table", match["one"].lower(), "", path, line, new=match["other"])


def _of_ecto(text: str, path: str) -> Iterator[MigrationStep]:
    table = ""
    for match in islice(_ECTO.finditer(text), _MOST):
        line = line_number(text, match.start())
        if match["altered"]:
            table = match["altered"].lower()
        elif match["column"]:
            yield MigrationStep("drop-column", table, match["column"].lower(), path, line, spelling=match["column"])
        elif match["gone"]:
            yield MigrationStep("drop-table", match["gone"].lower(), "", path, line)
        elif match["old"]:
            yield renamed_column(match["table"], match["old"], match["new"], path, line)
        else:
            yield MigrationStep("rename-table", match["table"].lower(), "", path, line, new=match["other"])


def _of_phinx(text: str, path: str) -> Iterator[MigrationStep]:
    for match in islice(_PHINX.finditer(text), _MOST):
        line, table = line_number(text, match.start()), match["table"].lower()
        if match["drop"]:
            yield MigrationStep("drop-table", table, "", path, line)
        else:
            yield MigrationStep("rename-table", table, "", path, line, new=match["new"])
