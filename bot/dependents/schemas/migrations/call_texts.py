"""What a call in the code of a migration says: the texts that it is given, and the table that the code around it is about."""

import re
from collections.abc import Callable

from bot.dependents.schemas.migrations.rollbacks import is_remark
from bot.text.brackets import WITHOUT_BRACES, before_close
from bot.text.lines import line_number

MOST = 5_000  # calls of one kind that are read in a file
Around = Callable[[int], str]  # the table that the code before a position is about, "" if none is named

TABLE_OF = re.compile(
    r"(?:alterTable|change_table|batch_alter_table|Schema::table|Schema::create|schema\.(?:table|alterTable)|\.table|->(?:table|getTable))\s*+\(?\s*+[\"':`](?P<table>\w{1,99})"
)
_JOINED = re.compile(r"(?<=[\w.])[\"'`]\s{0,40}[+.]?\s{0,40}[\"'`](?=[\w.])")
_REMARK = re.compile(r"(^|[\s(,\[])(?:#|//)[^\n]*", re.MULTILINE)
_TABLE_OBJECT = re.compile(
    r"\{[^{}]{0,200}?\btable(?:Name)?\s*+:\s*+([\"'`][\w.]{1,99}[\"'`])[^{}]{0,200}\}"
)  # Sequelize
_ARGUMENT = re.compile(
    r"(?:\b(?P<key>\w{1,40})\s{0,3}[=:]\s{0,3})?(?:[\"'`](?:\{\{%?)?(?P<text>[\w.]{1,99})(?:\}\})?[\"'`]|(?<![:\w]):(?P<symbol>\w{1,99}))|(?P<stop>\blambda\b|=>|[{}])"
)


def table_around(text: str) -> Around:
    """Return what tells the table that a text is about at a position: the one that was named last before it."""
    tables = [(match.start(), match["table"].lower()) for match in TABLE_OF.finditer(text)]

    def around(at: int) -> str:
        return next((name for start, name in reversed(tables) if start < at), "")

    return around


def line_of(text: str, at: int, path: str) -> int:
    """The line of a call; 0 if the call is in a comment."""
    before = text[text.rfind("\n", 0, at) + 1 : at] or " "
    return 0 if is_remark(before, path) else line_number(text, at)


def inside(text: str, *, one_line: bool = False) -> str:
    """The arguments of a call whose bracket stands before a text."""
    return before_close(text.partition("\n")[0] if one_line else text, WITHOUT_BRACES)


def arguments_of(text: str, *, one_line: bool) -> tuple[dict[str, str], list[str]]:
    """The texts that a call is given by name, and the others. Texts that are joined are one."""
    text = inside(_JOINED.sub("", _REMARK.sub(r"\1", text)), one_line=one_line)
    text = _TABLE_OBJECT.sub(r"\1", text)
    by_key: dict[str, str] = {}
    plain: list[str] = []
    for match in _ARGUMENT.finditer(text):
        if match["stop"]:
            break
        value = match["text"] or match["symbol"]
        if match["key"]:
            by_key[match["key"]] = value
        else:
            plain.append(value)
    return by_key, plain
