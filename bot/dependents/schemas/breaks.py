"""What a schema language's own rules call a break, and how other files write the name of what is broken."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from bot.text.paths import is_sample, is_test, vendored_folder
from bot.values import Severity, Side

Kind = Literal["column", "table", "field", "type", "value", "operation", "path", "parameter", "property", "file"]
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[A-Za-z0-9]+")


class UnreadableSchemaError(Exception):
    """A schema that cannot be read to its end. Its text is a phrase: the file stays open with it."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(reason)
        self.path = path


@dataclass(frozen=True, slots=True)
class Document:
    """One changed file on one side. `added_lines`: those that the change brings, of the head."""

    path: str
    text: str
    added_lines: frozenset[int] = frozenset()
    successor: str = ""  # of one before the change: its path afterwards, empty if it is gone


@dataclass(frozen=True, slots=True)
class SchemaBreak:
    """One break by the rules of the schema's language. `line` is 1-based, on `side` of `path`."""

    rule: str  # "column-dropped"
    kind: Kind
    element: str  # as people write it: "orders.total", "GET /orders/{id}"
    change: str  # what became of it, as the end of a sentence: "was dropped"
    law: str  # why the language calls it a break: a sentence
    path: str
    line: int
    side: Side
    name: str = ""  # what users write; empty: it breaks without one
    owner: str = ""  # the table, the message, the type that it belongs to
    alone: Severity | None = "low"  # how severe it is if no use is in sight; None: not reported then
    is_planned: bool = False  # deprecated before, or reserved now: its owner has announced it
    model: str = ""  # the class of a table's rows, where the table is not called after it alone


class SchemaSides(NamedTuple):
    """The changed files of one language, before and after."""

    before: Sequence[Document]
    after: Sequence[Document]


class SchemaLanguage(Protocol):
    """One language of schemas. A module satisfies it."""

    NAME: str

    def wants(self, path: str) -> bool:
        """Whether a file may hold such a schema, by its path alone."""

    def is_schema(self, document: Document) -> bool:
        """Whether it does."""

    def compare(self, sides: "SchemaSides") -> list[SchemaBreak]:
        """The breaks between two sides of all changed files. Raises `UnreadableSchemaError`."""

    def searched_words(self, one: SchemaBreak) -> frozenset[str]:
        """The words of which a line that uses the element holds one."""

    def likeness(self, one: SchemaBreak, place: "SchemaPlace") -> "Likeness":
        """How sure it is that a line with such a word uses the element."""


def is_product(path: str) -> bool:
    """Whether a schema at a path is the product's own: no test's, no sample's, no other project's."""
    return not (is_test(path) or is_sample(path) or vendored_folder(path))


@dataclass(frozen=True, slots=True)
class SchemaUse:
    """A line that names a broken element."""

    path: str
    line: int
    text: str
    sure: bool


def each_version(
    sides: SchemaSides, law: str, compare: Callable[[Document, Document], Iterable[SchemaBreak]]
) -> list[SchemaBreak]:
    """Return the breaks of each document; of one that is gone all that it offered is. Raises `UnreadableSchemaError`."""
    new = {document.path: document for document in sides.after}
    all_breaks: list[SchemaBreak] = []
    for was in sides.before:
        now = new.pop(was.successor, None)
        try:
            all_breaks += compare(was, now) if now is not None else [gone_file(was, law)]
        except RecursionError as error:
            raise UnreadableSchemaError(now.path if now else was.path, "its parts are nested too deep") from error
    return all_breaks


def gone_file(document: Document, law: str) -> SchemaBreak:
    """The break of a schema that is gone as a whole."""
    name = document.path.rpartition("/")[2]
    lines = document.text.split("\n")
    line = next((number for number, text in enumerate(lines, 1) if text.strip()), 1)
    return SchemaBreak("schema-removed", "file", name, "was removed", law, document.path, line, "base", name)


def of_file(one: SchemaBreak, text: str) -> "Likeness":
    """Whether a line names a schema by its file."""
    return "sure" if re.search(rf"[/\"'` ]{re.escape(one.name)}[\"'`#\s]", text) else ""


def words_of(name: str) -> list[str]:
    """The words of a name, whatever joins them: `orderTotal` and `order_total` are both order, total."""
    return [part.lower() for run in _WORD.findall(name) for part in _HUMP.split(run) if part]


def spellings(name: str) -> frozenset[str]:
    """The forms in which the languages of a tree write a name: `order_total`, `orderTotal`, `OrderTotal`, `ORDER_TOTAL`."""
    words = words_of(name)
    if not words:
        return frozenset({name} - {""})
    pascal = "".join(word[:1].upper() + word[1:] for word in words)
    snake = "_".join(words)
    forms = {name, snake, snake.upper(), pascal, pascal[:1].lower() + pascal[1:]}
    if words[-1] == "id":  # Go
        forms.add(pascal[:-2] + "ID")
    return frozenset(forms)


def singular(word: str) -> str:
    """A word without the plural of a table's name: orders, categories, boxes."""
    if word.endswith("ies") and len(word) > len("dies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


Likeness = Literal[
    "", "hint", "sure"
]  # of a line to a use: none, the name alone, or one that names the element without a doubt


@dataclass(frozen=True, slots=True)
class SchemaPlace:
    """A line that holds one of the spellings, in its file."""

    path: str
    line: int
    lines: Sequence[str]  # of the whole file
    whole: str  # the same as one text, of a very long file the beginning

    @property
    def text(self) -> str:
        """The line itself."""
        return self.lines[self.line - 1] if 0 < self.line <= len(self.lines) else ""

    def around(self, before: int, after: int) -> str:
        """The line with so many others."""
        return "\n".join(self.lines[max(0, self.line - 1 - before) : self.line + after])


def forms_of_table(table: str) -> frozenset[str]:
    """The forms in which code names a table or the class of its rows: `order_lines`, `OrderLine`."""
    one = singular(table)
    return spellings(table) | (spellings(one) if one else frozenset())
