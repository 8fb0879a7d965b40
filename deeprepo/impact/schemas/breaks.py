"""Define what schema languages report as a break, and how other files spell the name of a broken element."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple, Protocol

from deeprepo.impact.everyday import COMMON, is_specific
from deeprepo.impact.structs import Struct
from deeprepo.impact.text.paths import is_sample, is_test, vendored_folder
from deeprepo.impact.values import Side

Kind = Literal["column", "table", "field", "type", "value", "operation", "path", "parameter", "property"]
Severity = Literal["critical", "high", "medium", "low"]
Likeness = Literal["", "hint", "sure"]  # whether a line uses an element: no, perhaps (by its name), certainly
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[A-Za-z0-9]+")


class UnreadableSchemaError(Exception):
    """A schema that cannot be read completely. The message is a phrase; the file stays open."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(reason)
        self.path = path


class Document(Struct, frozen=True):
    """A changed file on one side. `added_lines`: lines of the head that the change adds."""

    path: str
    text: str
    added_lines: frozenset[int] = frozenset()
    home: str = ""  # the path in the change: that of the head if the file still exists


class SchemaBreak(Struct, frozen=True):
    """A break by the rules of a schema language. `line` is 1-based, on `side` of `path`."""

    rule: str  # "column-dropped"
    kind: Kind
    element: str  # as shown to people: "orders.total", "GET /orders/{id}"
    change: str  # the end of a sentence: "was dropped"
    law: str  # a sentence that says why it is a break
    path: str
    line: int
    side: Side
    name: str = ""  # the name that users write; "" if it breaks without one
    owner: str = ""  # the table, message or type that contains it
    alone: Severity | None = "low"  # severity without a known use; None: not reported
    is_planned: bool = False  # announced earlier, as deprecated or reserved
    model: str = ""  # the class of a table's rows, if its name differs from the table's
    # words of which a use contains one; if empty, the spellings of its name
    searched: frozenset[str] = frozenset()


class SchemaSides(NamedTuple):
    """The changed files of one language, before and after."""

    before: Sequence[Document]
    after: Sequence[Document]


class SchemaLanguage(Protocol):
    """A schema language. A module satisfies it."""

    NAME: str

    def wants(self, path: str) -> bool:
        """Return whether a file may contain such a schema, by its path."""

    def is_schema(self, document: Document) -> bool:
        """Return whether a document is such a schema."""

    def compare(self, sides: SchemaSides) -> list[SchemaBreak]:
        """Return the breaks between both sides of all changed files. Raises `UnreadableSchemaError`."""

    def likeness(self, one: SchemaBreak, place: "SchemaPlace") -> Likeness:
        """Return how certainly a line with a searched word uses the element."""


class SchemaUse(Struct, frozen=True):
    """A line that refers to a broken element."""

    path: str
    line: int
    text: str
    sure: bool
    distance: int = 0  # lines to the nearest mention of the element's owner above


class SchemaPlace(Struct, frozen=True):
    """A line with one of the spellings, in its file."""

    path: str
    line: int
    lines: Sequence[str]  # of the whole file
    whole: str  # the file as one text; a very long file is cut

    @property
    def text(self) -> str:
        """The line itself."""
        return self.lines[self.line - 1] if 0 < self.line <= len(self.lines) else ""


def is_product(path: str) -> bool:
    """Return whether a schema belongs to the product: no test, sample or vendored code."""
    return not (is_test(path) or is_sample(path) or vendored_folder(path))


def each_version(
    sides: SchemaSides, compare: Callable[[Document, Document], Iterable[SchemaBreak]]
) -> list[SchemaBreak]:
    """Return the breaks of each document; a removed document breaks everything that it offered.

    Raises `UnreadableSchemaError`.
    """
    new = {document.path: document for document in sides.after}
    rows: list[SchemaBreak] = []
    for was in sides.before:
        if now := new.get(was.home):
            try:
                rows += compare(was, now)
            except RecursionError as error:
                raise UnreadableSchemaError(now.path, "its parts are nested too deep") from error
        else:
            name, law = was.path.rpartition("/")[2], "Clients are generated from a schema, and documents checked by it."
            rows.append(SchemaBreak("schema-removed", "type", name, "was removed", law, was.path, 1, "base", name))
    return rows


def by_name(one: SchemaBreak, place: SchemaPlace, owners: Iterable[str] = ()) -> Likeness:
    """Return "hint" if the name has several words and the file mentions its owner.

    `owners`: other names of the owner.
    """
    is_distinct = is_specific(one.name) and one.name not in COMMON
    names = "|".join(map(re.escape, sorted({one.owner, *owners} - {""})))
    is_near = is_distinct and names and re.search(rf"(?<![A-Za-z])(?:{names})", place.whole)
    return "hint" if is_near else ""


def spellings(name: str) -> frozenset[str]:
    """Return the spellings of a name: `order_total`, `orderTotal`, `OrderTotal`, `ORDER_TOTAL`."""
    words = [part.lower() for run in _WORD.findall(name) for part in _HUMP.split(run) if part]
    if not words:
        return frozenset({name} - {""})
    pascal = "".join(word[:1].upper() + word[1:] for word in words)
    snake = "_".join(words)
    forms = {name, snake, snake.upper(), pascal, pascal[:1].lower() + pascal[1:]}
    if words[-1] == "id":  # another common spelling
        forms.add(pascal[:-2] + "ID")
    return frozenset(forms)


def forms_of_table(table: str) -> frozenset[str]:
    """Return the spellings of a table and of the class of its rows: `order_lines`, `OrderLine`."""
    one = table.removesuffix("s")
    if table.endswith("ies"):
        one = f"{table[:-3]}y"
    elif table.endswith(("sses", "xes", "ches", "shes")):
        one = table[:-2]
    return spellings(table) | spellings(one)
