"""Steps of a migration in code that bring a column back which an earlier one drops."""

import re
from collections.abc import Sequence
from dataclasses import replace

from bot.dependents.schemas.migrations.call_texts import TABLE_OF
from bot.dependents.schemas.migrations.rollbacks import is_remark
from bot.dependents.schemas.migrations.steps import MigrationStep

# How code brings a column: a method of a table's builder that is called like a type, or a call that adds one.
_BRINGS = (
    r"(?:\b[Aa]dd_?(?:[Cc]olumn|[Ff]ield)(?:<[\w.?]{1,40}>)?[( ]\s{0,40}(?:[:\"'`][\w.]{1,99}[\"'`]?\s{0,9},\s{0,40})?(?:(?:new\s{1,9})?[\w.]{1,40}\(\s{0,9}\{?\s{0,40})?"
    r"(?:(?:table|table_name|model_name)\s{0,3}[=:]\s{0,3}[\"'][\w.]{1,99}[\"'],\s{0,40})?(?:(?:column_)?name\s{0,3}[=:]\s{0,3})?"
    r"|(?:\.|->)(?:specificType|(?:big|small|medium|tiny|unsigned|long)?(?:Integer|Int|Text|Increments)"
    r"|string|char|varchar|boolean|bool|date|date_?Time|timestamp|time|float|double|decimal|numeric|jsonb?|uuid|enum?|enu|binary|blob|column)[( ]\s{0,9})"
    r"[\"'`:]NAME\b"
)
UNSURE = "the statement that brings it back may not be carried out"
_ALTERS = re.compile(r"\.alter\(|->change\(")  # what is there already
_BRANCHES = re.compile(
    r"(?<![\w$.])(?:if|else|elif|elsif|unless|case|switch|when|for|while|until|try|catch|except|rescue|def|return|throw|raise|exit|break|continue|process|lambda|function)(?![\w$])"
    r"|&&|\|\||\?|=>|->\s{0,3}[({]|\.catch\b|/\*|\"\"\"|'''|<<|`"
)
_OPENS_TABLE = re.compile(
    r"^\s*+(?:(?:await|return|with)\s++)?(?:[\w$]++(?:\.|->|::))*+(?:alterTable|table|change_table|batch_alter_table)\s*+\(?\s*+[\"':`]\w{1,99}[\"'`]?(?:,\s*+)?"
    r"(?:(?:async\s++)?function\s*+\([^()\n]{0,99}\)\s*+\{|\(?[\w$\s]{0,40}\)?\s*+=>\s*+\{|do\s*+\|\w{1,40}\||\)\s*+as\s++\w{1,40}:)\s*+$"
)
_TAKES_PART = re.compile(r"(?<![\w$.])(?:if|unless)(?![\w$])")
_MOST_RETURNS, _RETURN_LINES, _LONG = 200, 60, 2_000  # drops that are followed, lines behind each, characters of a line


def with_returns(rows: Sequence[MigrationStep], text: str, path: str) -> list[MigrationStep]:
    """The steps with those that bring a column back that one of them drops: in the text behind it, on the same table."""
    lines = text.split("\n")
    more: list[tuple[int, MigrationStep]] = []
    for at, row in enumerate(rows[:_MOST_RETURNS]):
        if row.does != "drop-column":
            continue
        brings = re.compile(_BRINGS.replace("NAME", re.escape(row.column)), re.IGNORECASE)
        for number in range(row.line, min(len(lines), row.line + _RETURN_LINES) + 1):
            line = lines[number - 1][:_LONG]
            match = brings.search("\n".join(lines[number - 1 : number + 4])[: 3 * _LONG])
            if (
                match is None
                or match.start() > len(line)
                or is_remark(line, path)
                or _ALTERS.search("\n".join(lines[number - 1 : number + 3])[:_LONG])
                or re.search(r"//|#|/\*", line[: match.start()])
                or _table_at(lines, number, match) not in {row.table, row.model or row.table}
            ):
                continue
            doubt = "" if number > row.line and _is_straight(lines[row.line : number - 1], path) else UNSURE
            if _BRANCHES.search(line[: match.start()].replace("return ", "")) or _TAKES_PART.search(line):
                doubt = UNSURE
            more.append((at, replace(row, does="add", line=number, new="", spelling="", doubt=doubt)))
            break
    result = list(rows)
    for at, one in sorted(more, key=lambda pair: -pair[0]):
        result.insert(at + 1, one)
    return result


def _table_at(lines: Sequence[str], number: int, match: re.Match[str]) -> str:
    """The table that a call on a line is about: its own first argument, or the builder around it."""
    call = match[0]
    if re.match(r"(?i)add", call):
        own = re.search(
            r"(?:table(?:_name)?|model_name)\s{0,3}[=:]\s{0,3}[\"'](\w{1,99})", f"{call}\n{lines[number - 1][:_LONG]}"
        ) or re.search(r"^\w+(?:<\w+>)?[( ]\s{0,9}[\"':`](\w{1,99})[\"'`]?,", call)
        if own:
            return own[1].lower()
    for line in reversed(lines[max(0, number - _RETURN_LINES) : number]):
        if opening := [*TABLE_OF.finditer(line[:_LONG])]:
            return opening[-1]["table"].lower()
    return ""


def _is_straight(lines: Sequence[str], path: str) -> bool:
    """Whether lines between two steps hold nothing that decides, leaves, keeps for later or hides what follows."""
    return all(
        is_remark(line, path) or _OPENS_TABLE.match(line[:_LONG]) or not _BRANCHES.search(line[:_LONG])
        for line in lines
    )
