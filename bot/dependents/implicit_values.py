"""The values of members that write none: they count on from the member before (enumerations, `iota`, `auto()`)."""

import re
from collections.abc import Sequence

from bot.text.filetypes import filetype
from bot.text.lines import file_lines
from bot.values import Outline, Symbol

Value = tuple[str, int]  # the last value that is written, and how far behind it
ENUM = re.compile(r"^\s*+(?:(?:export|declare|const|public|internal|private|protected|typedef)\s++)*+enum\b")
COUNTED = re.compile(r"^\s*+\w++\s*+,?\s*+(?://.*|/\*.*)?$")  # a member that writes no value
AUTOMATIC = re.compile(r"^\s*+\w++\s*+=\s*+(?:\w++\.)?auto\(\)")
NUMBERED = re.compile(r"\bInt(?:Enum|Flag)\b|\bFlag\b|\bint\b")  # bases whose members are used as numbers
GROUP = re.compile(r"const\s*+\(\s*+(?://.*)?$")
IOTA = re.compile(r"\biota\b")


def implicit_values(text: bytes, outline: Outline) -> dict[str, Value]:
    """The values of the members that are counted, by name."""
    lines = file_lines(text)
    counted_by = filetype(outline.symbols[0].path).implicit_values if outline.symbols else ""
    if counted_by == "iota":
        return _of_groups(lines)
    values: dict[str, Value] = {}
    for owner in outline.symbols:
        if counted_by == "enum" and ENUM.match(line_of(lines, owner)):
            values |= _counted(lines, _members(outline, owner), COUNTED)
        elif counted_by == "auto" and owner.kind == "class" and NUMBERED.search(line_of(lines, owner)):
            values |= _counted(lines, _members(outline, owner), AUTOMATIC)
    return values


def _members(outline: Outline, owner: Symbol) -> list[Symbol]:
    """The values that a definition holds, in the order of the file."""
    inside = [
        one
        for one in outline.symbols
        if one.kind == "variable" and one.name.rpartition(".")[0] == owner.name and owner.start < one.start <= owner.end
    ]
    return sorted(inside, key=lambda one: one.start)


def _counted(lines: Sequence[str], members: Sequence[Symbol], pattern: re.Pattern[str]) -> dict[str, Value]:
    """The members that write no value of their own: each counts on from the last one that does."""
    values: dict[str, Value] = {}
    last, far = "", 0
    for member in members:
        text = line_of(lines, member)
        if pattern.match(text):
            far += 1
            values[member.name] = last, far
        else:
            last, far = text.partition("=")[2].strip(" ,"), 0
    return values


def _of_groups(lines: Sequence[str]) -> dict[str, Value]:
    """The constants of Go that `iota` numbers: by the expression that counts for them, and by their place in the group."""
    values: dict[str, Value] = {}
    place, expression = -1, ""
    for line in lines:
        code = line.partition("//")[0].strip()
        if GROUP.match(line):
            place, expression = 0, ""
        elif code == ")":
            place = -1
        elif place >= 0 and code:
            name, sign, value = code.partition("=")
            expression = value.strip() if sign else expression
            if IOTA.search(expression) and (word := re.match(r"\w+", name)):
                values[word[0]] = expression, place
            place += 1
    return values


def line_of(lines: Sequence[str], symbol: Symbol) -> str:
    """The first line of a definition; "" if the text has no such line."""
    return lines[symbol.start - 1] if symbol.start <= len(lines) else ""
