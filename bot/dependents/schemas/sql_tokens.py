"""The statements of a file of SQL as words, names and marks, with their lines."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r"(?P<skip>\s++|--[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?|^[ \t]*+#[^\n]*+)"
    r"|\$(?P<tag>\w{0,40})\$"
    r"|(?P<text>[Ee]?'(?:[^']|'')*+'?)"
    r"|\"(?P<double>[^\"\n]{0,200})\"|`(?P<tick>[^`\n]{0,200})`|\[(?P<square>[A-Za-z_][^\]\n]{0,200})\]"
    r"|(?P<word>[A-Za-z_@#][\w$@#]*+)|(?P<number>\d[\w.]*+)|(?P<mark>.)",
    re.DOTALL | re.MULTILINE,
)
_END_OF_DATA = re.compile(r"^\\\.[ \t]*+\r?$", re.MULTILINE)
MOST_STATEMENTS = 50_000


@dataclass(frozen=True, slots=True)
class Lexeme:
    """A word (as written), a quoted name, or a mark."""

    text: str
    line: int
    quoted: bool = False

    @property
    def upper(self) -> str:
        """The keyword that it may be; of a quoted name none."""
        return "" if self.quoted else self.text.upper()


Statement = list[Lexeme]


def statements(text: str) -> Iterator[Statement]:
    """The statements of a text. A body between dollar signs is one token. Raises OverflowError for very many."""
    current: Statement = []
    line, at, count = 1, 0, 0
    while match := _TOKEN.match(text, at):
        end = match.end()
        if match["tag"] is not None:
            close = text.find(match[0], end)
            end = close + len(match[0]) if close >= 0 else end
        if match["mark"] == ";":
            if _is_copied(current):  # lines of data follow, up to a line that ends them
                data_end = _END_OF_DATA.search(text, end)
                end = data_end.end() if data_end else len(text)
            count += 1
            if count > MOST_STATEMENTS:
                raise OverflowError
            yield current
            current = []
        elif match["skip"] is None:
            name = match["double"] or match["tick"] or match["square"]
            is_text = match["text"] is not None or match["tag"] is not None
            current.append(Lexeme("'" if is_text else name or match[0], line, name is not None or is_text))
        line += text.count("\n", at, end)
        at = end
    yield current


def _is_copied(statement: Statement) -> bool:
    return bool(statement) and statement[0].upper == "COPY" and statement[-1].upper == "STDIN"
