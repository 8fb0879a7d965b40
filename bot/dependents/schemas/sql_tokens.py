"""The statements of a file of SQL as words, names and marks, with their lines, as each dialect reads them."""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

_SKIPPED = {
    # What standard SQL leaves out, and PostgreSQL, SQLite and SQL Server: comments within comments are not closed by the first end.
    "standard": r"\s++|--[^\n\r]*+|/\*",
    # MySQL: a comment that begins with a mark is carried out, two dashes begin none unless a space follows.
    "mysql": r"\s++|--(?=\s|$)[^\n]*+|\#[^\n]*+|/\*M?!\d{0,6}|\*/|/\*(?:[^*]|\*(?!/))*+(?:\*/)?",
}
_TEXTS = {
    "standard": r"[Ee]'(?:[^'\\]|\\.|'')*+'?|'(?:[^']|'')*+'?",
    "mysql": r"'(?:[^'\\]|\\.|'')*+'?",
}
_TOKENS = {
    dialect: re.compile(
        rf"(?P<skip>{_SKIPPED[dialect]})"
        r"|(?P<body>\$(?P<tag>\w{0,40})\$)"
        rf"|(?P<text>{_TEXTS[dialect]})"
        r"|[Uu]&\"(?P<unicode>[^\"\n]{0,200})\"|\"(?P<double>[^\"\n]{0,200})\"|`(?P<tick>[^`\n]{0,200})`|\[(?P<square>[A-Za-z_][^\]\n]{0,200})\]"
        r"|(?P<word>[A-Za-z_@#][\w$@#]*+)|(?P<number>\d[\w.]*+)|(?P<mark>.)",
        re.DOTALL,
    )
    for dialect in ("standard", "mysql")
}
_COMMENT_EDGE = re.compile(r"/\*|\*/")
_DELIMITER = re.compile(r"^[ \t]*+DELIMITER[ \t]++(\S{1,20})[ \t]*+\r?$", re.IGNORECASE | re.MULTILINE)
_COPIED = re.compile(r"^\\\.[ \t]*+\r?$", re.MULTILINE)
_ESCAPE = re.compile(r"\\(?:\+([0-9A-Fa-f]{6})|([0-9A-Fa-f]{4}))")
MOST_STATEMENTS = 50_000


@dataclass(frozen=True, slots=True)
class Lexeme:
    """A word (as written), a quoted name, a mark; a text is the mark that opens it, with what it says."""

    text: str
    line: int
    quoted: bool = False
    value: str | None = None  # what a text says

    @property
    def upper(self) -> str:
        """The keyword that it may be; of a quoted name none."""
        return "" if self.quoted else self.text.upper()


Statement = list[Lexeme]
Dialect = Literal["standard", "mysql"]


def statements(text: str, dialect: Dialect = "standard") -> Iterator[Statement]:
    """The statements of a text; a body between dollar signs is one token."""
    current: Statement = []
    line, at, count = 1, 0, 0
    token_form = _TOKENS[dialect]
    if dialect == "mysql":
        text = _undelimited(text)
    while match := token_form.match(text, at):
        end = _end_of_token(text, match, current, dialect)
        if match["mark"] == ";":
            if current:
                yield current
            count += 1
            if count > MOST_STATEMENTS:
                raise OverflowError
            current = []
        elif match["skip"] is None and not (dialect == "mysql" and text.startswith("--", at) and end > at + 1):
            current.append(_lexeme(match, line))
        line += text.count("\n", at, end)
        at = end
    if current:
        yield current


def _undelimited(text: str) -> str:
    """A text for MySQL's client, in which other marks may end a statement, with semicolons."""
    ends = {one[1] for one in _DELIMITER.finditer(text)} - {";"}
    text = _DELIMITER.sub(";", text) if ends else text
    for end in sorted(ends, key=len, reverse=True)[:20]:
        text = text.replace(end, ";")
    return text


def _is_operand(token: Lexeme) -> bool:
    """Whether a minus behind a token subtracts."""
    return token.quoted or token.text in ("'", ")") or token.text[:1].isalnum() or token.text[:1] in "_@"


def _end_of_token(text: str, match: re.Match[str], current: Statement, dialect: Dialect) -> int:
    """Where a token ends, with what follows it and is no statement: a body, the rest of a comment, lines of data."""
    end = match.end()
    if match["body"]:
        close = text.find(match["body"], end)
        return close + len(match["body"]) if close >= 0 else end
    if match["skip"] == "/*":
        return _end_of_comment(text, end)
    is_dash = dialect == "mysql" and match["mark"] == "-" and text.startswith("--", match.start())
    if is_dash and not (current and _is_operand(current[-1])):
        return (text.find("\n", end) + 1 or len(text) + 1) - 1
    if match["mark"] == ";" and _is_copied(current):
        data_end = _COPIED.search(text, end)
        return data_end.end() if data_end else len(text)
    return end


def _lexeme(match: re.Match[str], line: int) -> Lexeme:
    if match["body"]:
        return Lexeme("$", line, quoted=True)
    name = match["double"] or match["tick"] or match["square"]
    if match["unicode"]:
        name = _ESCAPE.sub(_letter, match["unicode"])
    if match["text"] is not None:
        return Lexeme("'", line, value=match["text"].partition("'")[2].removesuffix("'").replace("''", "'"))
    return Lexeme(name or match[0], line, quoted=name is not None)


def _letter(match: re.Match[str]) -> str:
    number = int(match[1] or match[2], 16)
    return chr(number) if number <= sys.maxunicode else match[0]


def _end_of_comment(text: str, at: int) -> int:
    """Where a comment ends that may hold others."""
    depth = 1
    for edge in _COMMENT_EDGE.finditer(text, at):
        depth += 1 if edge[0] == "/*" else -1
        if not depth:
            return edge.end()
    return len(text)


def _is_copied(statement: Statement) -> bool:
    """Whether lines of data follow a statement, up to a line that ends them."""
    words = [token.upper for token in statement]
    return words[:1] == ["COPY"] and ("FROM", "STDIN") in pairwise(words)
