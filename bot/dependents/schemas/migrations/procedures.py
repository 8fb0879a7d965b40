"""Procedures of SQL Server that give a column or a table another name, or carry out what a text says."""

import re
from dataclasses import dataclass

from bot.dependents.schemas.migrations.steps import MigrationStep, computed_step
from bot.dependents.schemas.sql_tokens import Statement

CALLS = frozenset(["EXEC", "EXECUTE"])
CARRIES_OUT = "SP_EXECUTESQL"
_RENAMES = "SP_RENAME"
_PARAMETERS = ("@OBJNAME", "@NEWNAME", "@OBJTYPE")
_PART = re.compile(r"\[([^\]]{1,200})\]|\"([^\"]{1,200})\"|([^.\[\]\"\s]{1,200})")
_LONGEST_NAME = 600
_COMPUTED_PART = "?"
_OWN_TYPES = frozenset(["", "OBJECT"])  # of a table, and of what else is no part of one


@dataclass(frozen=True, slots=True)
class ProcedureCall:
    """A call of one of them. `values`: what its arguments say by their parameters, None where that is computed."""

    name: str
    line: int
    values: dict[str, str | None]
    text: str = ""  # what it carries out


def call_of(statement: Statement) -> ProcedureCall | None:
    """The call that a statement is, if it is one of these."""
    words = [token.upper for token in statement]
    if not words:
        return None
    at = 1 if words[0] in CALLS else 0
    if at and words[1:2] in (["("], ["IMMEDIATE"]):
        return _carried_out(statement[2:])
    if at and words[1:2] and words[1].startswith("@") and words[2:3] == ["="]:
        at = 3  # a variable for what it returns
    names = [token.text.upper() for token in statement]
    while at + 2 < len(names) and names[at + 1] == ".":
        at += 2 if names[at + 2] != "." else 3
    name = names[at] if at < len(names) else ""
    if name == CARRIES_OUT:
        return _carried_out(statement[at + 1 :])
    return ProcedureCall(name, statement[at].line, _values(statement[at + 1 :])) if name == _RENAMES else None


def _carried_out(tokens: Statement) -> ProcedureCall | None:
    """The call that carries out the texts before a bracket or a comma, with a mark for each part that is computed."""
    texts: list[str] = []
    line = 0
    for token in tokens:
        if token.value is None and token.text in (")", ",", ";"):
            break
        if token.value is not None:
            line = line or token.line
            texts.append(token.value)
        elif token.text.startswith("@"):
            texts.append(_COMPUTED_PART)
    return ProcedureCall(CARRIES_OUT, line, {}, "".join(texts)) if line else None


def _values(tokens: Statement) -> dict[str, str | None]:
    """The arguments, by the names of the parameters."""
    values: dict[str, str | None] = {}
    parts: list[Statement] = [[]]
    for token in tokens:
        if token.value is None and token.text == ",":
            parts.append([])
        else:
            parts[-1].append(token)
    for place, part in enumerate(parts[: len(_PARAMETERS)]):
        is_named = len(part) > 1 and part[1].text == "="
        name = part[0].upper if is_named else _PARAMETERS[place]
        rest = part[2 if is_named else 0 :]
        if rest[:1] and rest[0].upper == "N" and len(rest) > 1:
            rest = rest[1:]
        values[name] = next((token.value for token in rest[:1]), None)
        if values[name] is None and rest and rest[0].text[:1] not in "@'" and rest[0].upper != "NULL":
            values[name] = rest[0].text  # an argument may stand without quotes
    return values


def rename(call: ProcedureCall, path: str, line: int) -> MigrationStep | None:
    """The step of a call that gives something another name, if that is a column or may be a table."""
    kind = (call.values.get("@OBJTYPE") or "").upper()
    old, new = (call.values.get(name) for name in _PARAMETERS[:2])
    if kind != "COLUMN" and kind not in _OWN_TYPES:
        return None
    if not old:
        return computed_step(path, line)
    parts = [next(filter(None, match.groups())).lower() for match in _PART.finditer(old[:_LONGEST_NAME])]
    if kind != "COLUMN":
        return MigrationStep("rename-table", parts[-1], "", path, line, new=new or "") if parts else None
    if len(parts) < 2:  # noqa: PLR2004 - a table and a column
        return None
    return MigrationStep("rename-column", parts[-2], parts[-1], path, line, new=new or "", spelling=parts[-1])
