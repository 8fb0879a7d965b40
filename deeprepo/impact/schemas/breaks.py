"""What a schema language's own rules call a break, and how other files write the name of what is broken."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple, Protocol

from deeprepo.impact.everyday import COMMON
from deeprepo.impact.structs import Struct
from deeprepo.impact.text.paths import is_sample, is_test, vendored_folder
from deeprepo.impact.uses.targets import telling
from deeprepo.impact.values import Side

Kind = Literal["column", "table", "field", "type", "value", "operation", "path", "parameter", "property"]
Severity = Literal["critical", "high", "medium", "low"]
Likeness = Literal["", "hint", "sure"]  # of a line to a use: none, its name alone, the element without a doubt
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[A-Za-z0-9]+")


class UnreadableSchemaError(Exception):
    """A schema that cannot be read to its end. Its text is a phrase: the file stays open with it."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(reason)
        self.path = path


class Document(Struct, frozen=True):
    """One changed file on one side. `added_lines`: those that the change brings, of the head."""

    path: str
    text: str
    added_lines: frozenset[int] = frozenset()
    home: str = ""  # the path by which the change lists it: that of the head, if the file is still there


class SchemaBreak(Struct, frozen=True):
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
    searched: frozenset[str] = frozenset()  # a line that uses it holds one; none: the spellings of its name


class SchemaSides(NamedTuple):
    """The changed files of one language, before and after."""

    before: Sequence[Document]
    after: Sequence[Document]


class SchemaLanguage(Protocol):
    """One language of schemas. A module satisfies it."""

    NAME: str

    def wants(self, path: str) -> bool:
        """Return whether a file may hold such a schema, by its path alone."""

    def is_schema(self, document: Document) -> bool:
        """Return whether it does."""

    def compare(self, sides: SchemaSides) -> list[SchemaBreak]:
        """Return the breaks between two sides of all changed files. Raises `UnreadableSchemaError`."""

    def likeness(self, one: SchemaBreak, place: "SchemaPlace") -> Likeness:
        """Return how sure it is that a line with a searched word uses the element."""


class SchemaUse(Struct, frozen=True):
    """A line that names a broken element."""

    path: str
    line: int
    text: str
    sure: bool
    distance: int = 0  # lines to the nearest one above that names what the element belongs to


class SchemaPlace(Struct, frozen=True):
    """A line that holds one of the spellings, in its file."""

    path: str
    line: int
    lines: Sequence[str]  # of the whole file
    whole: str  # the same as one text, of a very long file the beginning

    @property
    def text(self) -> str:
        """Return the line itself."""
        return self.lines[self.line - 1] if 0 < self.line <= len(self.lines) else ""


def is_product(path: str) -> bool:
    """Return whether a schema at a path is the product's own: no test's, no sample's, no other project's."""
    return not (is_test(path) or is_sample(path) or vendored_folder(path))


def each_version(
    sides: SchemaSides, compare: Callable[[Document, Document], Iterable[SchemaBreak]]
) -> list[SchemaBreak]:
    """Return the breaks of each document; of one that is gone all that it offered is. Raises `UnreadableSchemaError`."""
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
    """Return a hint if the name has several words and the file names the owner too. `owners`: its other names."""
    is_telling = telling(one.name) and one.name not in COMMON
    names = "|".join(map(re.escape, sorted({one.owner, *owners} - {""})))
    is_near = is_telling and names and re.search(rf"(?<![A-Za-z])(?:{names})", place.whole)
    return "hint" if is_near else ""


def spellings(name: str) -> frozenset[str]:
    """Return the forms in which the languages of a tree write a name: `order_total`, `orderTotal`, `OrderTotal`, `ORDER_TOTAL`."""
    words = [part.lower() for run in _WORD.findall(name) for part in _HUMP.split(run) if part]
    if not words:
        return frozenset({name} - {""})
    pascal = "".join(word[:1].upper() + word[1:] for word in words)
    snake = "_".join(words)
    forms = {name, snake, snake.upper(), pascal, pascal[:1].lower() + pascal[1:]}
    if words[-1] == "id":  # as some write it
        forms.add(pascal[:-2] + "ID")
    return frozenset(forms)


def forms_of_table(table: str) -> frozenset[str]:
    """Return the forms in which code names a table or the class of its rows: `order_lines`, `OrderLine`."""
    one = table.removesuffix("s")
    if table.endswith("ies"):
        one = f"{table[:-3]}y"
    elif table.endswith(("sses", "xes", "ches", "shes")):
        one = table[:-2]
    return spellings(table) | spellings(one)
