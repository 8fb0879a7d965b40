"""HCL as Terraform writes it: blocks with their attributes, and the references of all expressions. Linear in the text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from bot.dependents.declarations.reading import UnreadableDataError

DEEPEST = 400  # templates in templates
_CODE = re.compile(
    r"(?P<space>[ \t\r\ufeff]++)|(?P<newline>\n)|(?P<comment>(?:\#|//)[^\n]*+)|(?P<block>/\*)|(?P<name>[^\W\d][\w-]*+)|(?P<number>\d[\w.]*+)"
    r"|<<-?(?P<heredoc>[^\W\d][\w-]*+)[ \t\r]*+\n|(?P<quote>\")|(?P<mark>=[=>]|[!<>]=|.)"
)
_QUOTED = re.compile(r"(?:[^\"\\$%\n]|\\.|\$\$\{|%%\{|\$(?!\{)|%(?!\{))++")
_TEMPLATE = re.compile(r"\$\$\{|%%\{|[$%]\{")
_OPENING, _CLOSING = "{[(", "}])"


class Token(NamedTuple):
    """One token. A text with templates in it has no value; the tokens of the templates come before it."""

    kind: str  # "name", "text", "mark", "newline"
    value: str
    line: int


@dataclass(slots=True)
class Block:
    """A block of the outermost level."""

    kind: str
    labels: tuple[str, ...]
    line: int
    attributes: dict[str, tuple[int, str | None]] = field(default_factory=dict)  # line, and the value if it is one text


class Chain(NamedTuple):
    """A reference: `module.x[0].y` is module, x, y."""

    names: tuple[str, ...]
    line: int
    block: str  # the kind of the outermost block around it


def tokens(text: str) -> Iterator[Token]:
    """Give the tokens. Raises `UnreadableDataError`."""
    at, line = 0, 1
    modes: list[list[str | int | bool]] = [
        ["code", 0]
    ]  # code with its open braces; a text with its start and whether it is plain
    while at < len(text):
        mode = modes[-1]
        if len(modes) > DEEPEST:
            raise UnreadableDataError(f"its templates are nested deeper than {DEEPEST}")
        if mode[0] == "text":
            match = _QUOTED.match(text, at)
            at = match.end() if match else at
            if at >= len(text) or text[at] == "\n":
                raise UnreadableDataError(f"the text on line {line} has no end")
            if text[at] == '"':
                yield Token("text", text[int(mode[1]) : at] if mode[2] else "\0", line)
                modes.pop()
                at += 1
            else:
                mode[2] = False
                modes.append(["code", 0])
                at += 2
            continue
        if mode[0] == "heredoc":
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            if mode[2] and text[at:end].strip() == mode[1]:
                modes.pop()
                yield Token("text", "\0", line)
                at = end
                continue
            match = _TEMPLATE.search(text, at, end)
            if match is None:
                mode[2] = True
                line += 1
                at = end + 1
            else:
                mode[2] = False
                at = match.end()
                if len(match[0]) == len("${"):
                    modes.append(["code", 0])
            continue
        match = _CODE.match(text, at)
        assert match is not None  # noqa: S101 - the last alternative takes any character
        at = match.end()
        kind = match.lastgroup
        if kind == "newline":
            yield Token("newline", "\n", line)
            line += 1
        elif kind == "block":
            end = text.find("*/", at)
            if end < 0:
                raise UnreadableDataError(f"the comment on line {line} has no end")
            line += text.count("\n", at, end)
            at = end + 2
        elif kind == "quote":
            modes.append(["text", at, True])
        elif kind == "heredoc":
            yield Token("newline", "", line)
            line += 1
            modes.append(["heredoc", match["heredoc"], True])
        elif kind in ("name", "number"):
            yield Token("name", match[0], line)
        elif kind == "mark":
            if match[0] == "{":
                mode[1] = int(mode[1]) + 1
            elif match[0] == "}":
                if not mode[1] and len(modes) > 1:
                    modes.pop()
                    yield Token("end", "", line)
                    continue
                mode[1] = int(mode[1]) - 1
            yield Token("mark", match[0], line)
    if len(modes) > 1:
        raise UnreadableDataError("a text in it has no end")


def read(text: str) -> tuple[list[Block], list[Chain]]:
    """Return the outermost blocks, and every reference. Raises `UnreadableDataError`."""
    row = [token for token in tokens(text)]
    return _blocks(row)


def _blocks(row: list[Token]) -> tuple[list[Block], list[Chain]]:
    pairs = _pairs(row)
    blocks: list[Block] = []
    chains: list[Chain] = []
    open_marks: list[str] = []  # "block" for the body of a block, else the bracket of an expression
    is_start = True
    at = 0
    while at < len(row):
        token = row[at]
        is_body = not open_marks or open_marks[-1] == "block"
        if token.kind == "mark" and token.value in _OPENING:
            open_marks.append(token.value)
        elif token.kind == "mark" and token.value in _CLOSING:
            if open_marks:
                open_marks.pop()
            is_start = True
        elif token.kind == "newline":
            is_start = is_start or is_body and token.value == "\n"
        elif is_start and is_body and token.kind in ("name", "text"):
            end = at + 1
            labels = []
            while end < len(row) and row[end].kind in ("name", "text"):
                labels.append(row[end].value)
                end += 1
            mark = row[end] if end < len(row) else Token("newline", "", token.line)
            if mark.kind == "mark" and mark.value == "{":
                if not open_marks:
                    blocks.append(Block(token.value, tuple(labels), token.line))
                open_marks.append("block")
                at = end + 1
                continue
            if mark.kind == "mark" and mark.value == "=" and len(open_marks) == 1 and blocks:
                value = row[end + 1] if end + 1 < len(row) else mark
                alone = end + 2 >= len(row) or row[end + 2].kind == "newline" or row[end + 2].value == "}"
                plain = value.value if value.kind == "text" and value.value != "\0" and alone else None
                blocks[-1].attributes[token.value] = (token.line, plain)
            is_start = False
        if token.kind not in ("newline",) and not (token.kind == "mark" and token.value in _OPENING + _CLOSING):
            is_start = False
        if token.kind == "name" and not _is_member(row, at):
            if len(names := _chain(row, at, pairs)) > 1:
                chains.append(Chain(names, token.line, blocks[-1].kind if blocks and open_marks else ""))
        at += 1
    return blocks, chains


def _is_member(row: list[Token], at: int) -> bool:
    return at > 0 and row[at - 1].kind == "mark" and row[at - 1].value == "."


def _pairs(row: list[Token]) -> dict[int, int]:
    """The index of each opening bracket -> that of its closing one."""
    pairs: dict[int, int] = {}
    opened: list[int] = []
    for at, token in enumerate(row):
        if token.kind == "mark" and token.value == "[":
            opened.append(at)
        elif token.kind == "mark" and token.value == "]" and opened:
            pairs[opened.pop()] = at
    return pairs


def _chain(row: list[Token], at: int, pairs: dict[int, int]) -> tuple[str, ...]:
    """The names of a reference that begins here; indexes are left out."""
    names = [row[at].value]
    at += 1
    while at + 1 < len(row) and len(names) < 4 and row[at].kind == "mark":  # noqa: PLR2004 - data, type, name and attribute
        if row[at].value == "." and row[at + 1].kind == "name":
            if not row[at + 1].value[0].isdigit():
                names.append(row[at + 1].value)
            at += 2
        elif row[at].value == "." and row[at + 1].value == "*":
            at += 2
        elif row[at].value == "[" and at in pairs:
            index = row[at + 1]
            if pairs[at] == at + 2 and index.kind == "text" and names[0] in ("var", "local") and len(names) == 1:
                return tuple(names)
            at = pairs[at] + 1
        else:
            break
    return tuple(names)
