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


class HclToken(NamedTuple):
    """One token. A text with templates in it has no value; the tokens of the templates come before it."""

    kind: str  # "name", "text", "mark", "newline"
    value: str
    line: int


COMPUTED = "\0"  # the value of a text with templates in it


@dataclass(slots=True)
class _Mode:
    """What the lexer is in: code, a text in quotes, or a heredoc."""

    kind: str
    start: int = 0
    marker: str = ""
    is_plain: bool = True  # a text has no template yet; a line of a heredoc begins
    braces: int = 0  # that are open in code


@dataclass(slots=True)
class HclBlock:
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


class _Lexer:
    """The state between two pieces: where it is, and in which text of which template."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at, self._line = 0, 1
        self._modes: list[_Mode] = [_Mode("code")]

    def run(self) -> Iterator[HclToken]:
        """Give the tokens. Raises `UnreadableDataError`."""
        steps = {"code": self._code, "text": self._quoted, "heredoc": self._heredoc}
        while self._at < len(self._text):
            if len(self._modes) > DEEPEST:
                raise UnreadableDataError(f"its templates are nested deeper than {DEEPEST}")
            token = steps[self._modes[-1].kind]()
            if token is not None:
                yield token
        if len(self._modes) > 1:
            raise UnreadableDataError("a text in it has no end")

    def _quoted(self) -> HclToken | None:
        text, mode = self._text, self._modes[-1]
        match = _QUOTED.match(text, self._at)
        self._at = match.end() if match else self._at
        if self._at >= len(text) or text[self._at] == "\n":
            raise UnreadableDataError(f"the text on line {self._line} has no end")
        if text[self._at] != '"':
            mode.is_plain = False
            self._modes.append(_Mode("code"))
            self._at += 2
            return None
        self._modes.pop()
        self._at += 1
        return HclToken("text", text[mode.start : self._at - 1] if mode.is_plain else COMPUTED, self._line)

    def _heredoc(self) -> HclToken | None:
        """One line, or what is left of it behind a template."""
        mode = self._modes[-1]
        end = self._text.find("\n", self._at)
        end = len(self._text) if end < 0 else end
        if mode.is_plain and self._text[self._at : end].strip() == mode.marker:
            self._modes.pop()
            self._at = end
            return HclToken("text", COMPUTED, self._line)
        match = _TEMPLATE.search(self._text, self._at, end)
        mode.is_plain = match is None  # whether a line begins next
        if match is None:
            self._line += 1
            self._at = end + 1
            return None
        self._at = match.end()
        if len(match[0]) == len("${"):
            self._modes.append(_Mode("code"))
        return None

    def _code(self) -> HclToken | None:
        match = _CODE.match(self._text, self._at)
        if match is None:
            raise UnreadableDataError(f"line {self._line} cannot be read")
        self._at, kind, line = match.end(), match.lastgroup, self._line
        if kind == "mark":
            return self._mark(match[0])
        if kind in ("name", "number"):
            return HclToken("name", match[0], line)
        if kind in ("newline", "heredoc"):
            self._line += 1
        if kind == "block":
            self._comment()
        elif kind == "quote":
            self._modes.append(_Mode("text", start=self._at))
        elif kind == "heredoc":
            self._modes.append(_Mode("heredoc", marker=match["heredoc"]))
        return HclToken("newline", "\n" if kind == "newline" else "", line) if kind in ("newline", "heredoc") else None

    def _comment(self) -> None:
        end = self._text.find("*/", self._at)
        if end < 0:
            raise UnreadableDataError(f"the comment on line {self._line} has no end")
        self._line += self._text.count("\n", self._at, end)
        self._at = end + 2

    def _mark(self, mark: str) -> HclToken:
        mode = self._modes[-1]
        if mark == "}" and not mode.braces and len(self._modes) > 1:
            self._modes.pop()
            return HclToken("end", "", self._line)
        mode.braces += (mark == "{") - (mark == "}")
        return HclToken("mark", mark, self._line)


def read(text: str) -> tuple[list[HclBlock], list[Chain]]:
    """Return the outermost blocks, and every reference. Raises `UnreadableDataError`."""
    row = list(_Lexer(text).run())
    pairs = _pairs(row)
    blocks: list[HclBlock] = []
    chains: list[Chain] = []
    open_marks: list[str] = []  # "block" for the body of a block, else the bracket of an expression
    is_start, at = True, 0
    while at < len(row):
        token = row[at]
        is_body = not open_marks or open_marks[-1] == "block"
        if is_start and is_body and token.kind in ("name", "text"):
            body = _statement(row, at, blocks, len(open_marks))
            if body:
                open_marks.append("block")
                at = body
                continue
        is_start = _track(token, open_marks, is_start=is_start, is_body=is_body)
        names = _chain(row, at, pairs) if token.kind == "name" and not _is_member(row, at) else ()
        if len(names) > 1:
            chains.append(Chain(names, token.line, blocks[-1].kind if blocks and open_marks else ""))
        at += 1
    return blocks, chains


def _track(token: HclToken, open_marks: list[str], *, is_start: bool, is_body: bool) -> bool:
    """Follow the brackets, and return whether a statement may begin behind a token."""
    if token.kind == "newline":
        return is_start or (is_body and token.value == "\n")
    if token.kind == "mark" and token.value in _OPENING:
        open_marks.append(token.value)
        return is_start
    if token.kind == "mark" and token.value in _CLOSING:
        if open_marks:
            open_marks.pop()
        return True
    return False


def _statement(row: list[HclToken], at: int, blocks: list[HclBlock], depth: int) -> int:
    """Note the block or the attribute that begins here. Returns where the body of a block begins, else 0."""
    token, end = row[at], at + 1
    while end < len(row) and row[end].kind in ("name", "text"):
        end += 1
    mark = row[end].value if end < len(row) and row[end].kind == "mark" else ""
    if mark == "{":
        if not depth:
            labels = tuple(one.value for one in row[at + 1 : end])
            blocks.append(HclBlock(token.value, labels, token.line))
        return end + 1
    if mark == "=" and depth == 1 and blocks:
        value = row[end + 1] if end + 1 < len(row) else token
        is_alone = end + 2 >= len(row) or row[end + 2].kind == "newline" or row[end + 2].value == "}"
        is_text = value.kind == "text" and value.value != COMPUTED and is_alone
        blocks[-1].attributes[token.value] = (token.line, value.value if is_text else None)
    return 0


def _is_member(row: list[HclToken], at: int) -> bool:
    return at > 0 and row[at - 1].kind == "mark" and row[at - 1].value == "."


def _pairs(row: list[HclToken]) -> dict[int, int]:
    """The index of each opening bracket -> that of its closing one."""
    pairs: dict[int, int] = {}
    open_brackets: list[int] = []
    for at, token in enumerate(row):
        if token.kind == "mark" and token.value == "[":
            open_brackets.append(at)
        elif token.kind == "mark" and token.value == "]" and open_brackets:
            pairs[open_brackets.pop()] = at
    return pairs


def _chain(row: list[HclToken], at: int, pairs: dict[int, int]) -> tuple[str, ...]:
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
