"""Steps of a migration in code that bring a column back which an earlier one drops."""

import re
from collections.abc import Sequence
from dataclasses import replace

from bot.dependents.schemas.migrations.call_texts import TABLE_OF
from bot.dependents.schemas.migrations.rollbacks import is_remark
from bot.dependents.schemas.migrations.steps import MigrationStep
from bot.text.filetypes import filetype
from bot.text.lines import line_number

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
    r"(?<![\w$.])(?:if|else|elif|elsif|unless|case|switch|when|for|while|until|try|catch|except|rescue|def|return|throw|raise|exit|break|continue|process|lambda|function|fn|defp|reversible|revert|up_only|up|down|rollback)(?![\w$])"
    r"|\.(?:up|down|rollback)\b"
    r"|&&|\|\||\?|=>|->\s{0,3}[({]|\.catch\b|/\*|\"\"\"|'''|<<|`"
)
_OPENS_TABLE = re.compile(
    r"^\s*+(?:(?:await|return|with)\s++)?(?:[\w$]++(?:\.|->|::))*+(?:alterTable|table|change_table|batch_alter_table)\s*+\(?\s*+[\"':`]\w{1,99}[\"'`]?(?:,\s*+)?"
    r"(?:(?:async\s++)?function\s*+\([^()\n]{0,99}\)\s*+\{|\(?[\w$\s]{0,40}\)?\s*+=>\s*+\{|do\s*+\|\w{1,40}\||\)\s*+as\s++\w{1,40}:)\s*+$"
)
_TAKES_PART = re.compile(r"(?<![\w$.])(?:if|unless)(?![\w$])")
# Where a text stands that is carried out there and then: what a call of its own line is given first.
_OWN_CALL = re.compile(
    r"(?:\A|[\n;])[ \t]*+(?:(?:await|return)[ \t]++|(?:if[ \t]++)?_,[ \t]*+err[ \t]*+:?=[ \t]*+)?(?P<name>(?:\.|->)?[\w$]{1,60}!?(?:\(\))?(?:(?:\.|->|::)[\w$]{1,60}!?(?:\(\))?){0,6})"
    r"(?:[ \t]*+\(\s*+|[ \t]++)(?:ctx,\s*+)?(?:[\w.]{1,40}\(\s*+)?(?:sql\s*+[=:]\s*+)?[rRbBuUfF@$]?\Z"
)
_NAMED_BACK = re.compile(r"(?i)(?:^|[.>:_])(?:down|rollback|revert|reverse|undo|back)(?:$|[_!(])")
_ERROR_OF_GO = re.compile(
    r"^\s*+(?:if\b[^\n]{0,400}\berr\s*+!=\s*+nil\s*+\{|return\b[^\n]{0,200}\berr\b[^\n]{0,200}|\})\s*+$"
)
_LEAVES = re.compile(r"(?<![\w$.])(?:return|throw|raise|exit)(?![\w$])")
_TWO_WAYS = re.compile(r"(?<![\w$])(?:reversible|revert|defp)(?![\w$])|\.down\b")
_RENAMES = ("rename-column", "rename-table")
_BRINGING = ("add", "create", "require-column", *_RENAMES)
_HEAD = 400  # characters before a text in which its call stands
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


def in_doubt(
    mine: Sequence[MigrationStep], rows: Sequence[MigrationStep], text: str, at: int, path: str
) -> list[MigrationStep]:
    """The steps of a text in code, with a doubt where what they bring may not be carried out behind what the rows took away."""
    lines = text.split("\n") if any(one.does in _BRINGING for one in mine) else []
    is_called = bool(lines) and _is_own_call(text, at, path)
    result: list[MigrationStep] = []
    for one in mine:
        is_sure = one.does not in _BRINGING or bool(_losses(one, result))
        if not is_sure:
            losses = _losses(one, rows)
            begin = replace(one, line=line_number(text, at))
            is_sure = _is_behind(begin, losses, lines, path) and (is_called or (not losses and one.does in _RENAMES))
        result.append(one if is_sure else replace(one, doubt=UNSURE))
    return result


def _is_own_call(text: str, at: int, path: str) -> bool:
    """Whether the text at a position is what a call is given that is a statement of its own, or an operation in a list of Django."""
    head = text[max(0, at - _HEAD) : at]
    call = _OWN_CALL.search(head)
    if call is None or _NAMED_BACK.search(call["name"]):
        return False
    if head[: call.start()].rstrip().endswith((",", "(")) and not call["name"].endswith("RunSQL"):
        return False
    end = text.find("\n", at)
    line = text[text.rfind("\n", 0, at) + 1 : end if end >= 0 else len(text)]
    return filetype(path).parser == "go" or not _TAKES_PART.search(line[:_LONG])


def calls_in_doubt(rows: Sequence[MigrationStep], text: str, path: str) -> list[MigrationStep]:
    """The steps of calls, with a doubt where what they bring may not come behind what took it away."""
    lines = text.split("\n")
    return [
        replace(row, doubt=UNSURE)
        if row.does in ("require-column", *_RENAMES)
        and (losses := _losses(row, rows[:at]))
        and not (_is_behind(row, losses, lines, path) and _is_straight(lines[row.line - 1 : row.line], path))
        else row
        for at, row in enumerate(rows)
    ]


def _losses(one: MigrationStep, rows: Sequence[MigrationStep]) -> list[MigrationStep]:
    """The steps that take away what a step brings."""
    table, column = (one.new.lower(), "") if one.does == "rename-table" else (one.table, one.column)
    if one.does == "rename-column":
        column = one.new.lower()
    return [
        row
        for row in rows
        if row.does in ("drop-column", "drop-table", *_RENAMES) and row.table == table and row.column in ("", column)
    ]


def _is_behind(one: MigrationStep, losses: Sequence[MigrationStep], lines: Sequence[str], path: str) -> bool:
    """Whether what a step brings certainly comes after what takes it away; if another file does that, whether this one has one way alone."""
    if not losses:
        return one.does in _RENAMES or not _TWO_WAYS.search("\n".join(lines))
    return all(
        row.line <= one.line
        and not _LEAVES.search(lines[row.line - 1][:_LONG])
        and _is_straight(lines[row.line : one.line - 1], path)
        for row in losses
    )


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
        is_remark(line, path)
        or _OPENS_TABLE.match(line[:_LONG])
        or (filetype(path).parser == "go" and _ERROR_OF_GO.match(line[:_LONG]))
        or not _BRANCHES.search(line[:_LONG])
        for line in lines
    )
