"""Read syntax nodes: text, lines, surroundings and query captures."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, cast

from tree_sitter import Node

from deeprepo.impact.halves import Captures
from deeprepo.impact.values import DefinitionKind

HEAD = 2_000  # bytes of a definition's head
# Body nodes without a field name.
BODIES = ("function_body", "class_body", "enum_class_body", "preproc_arg", "do_block", "keywords")
# Parts before a definition that do not affect its callers.
MODIFIERS = ("modifiers", "annotation", "modifier", "attribute_list")


LABELS = frozenset({"keyword", "label"})  # nodes of names with a colon behind them
SYMBOLS = ("simple_symbol", "atom")  # a colon and a name
NAMED = "\"'`"  # quotes around a name

# Nodes that declare a name: types, or any definition (VALUES) in languages with free functions.
TYPES = re.compile(
    r"(?:class|interface|enum|record|struct|object|trait|annotation_type)_(?:declaration|definition)|type_alias"
)
VALUES = re.compile(r"(?<!\w)\w*(?:declaration|definition|declarator|parameter|binding|parameters)")


class Spans:
    """Ranges of bytes that may nest, to ask what encloses a position."""

    def __init__(self, rows: Sequence[tuple[int, int, str]]) -> None:
        self._rows = sorted(rows, key=lambda row: (row[0], -row[1]))
        self._starts = [row[0] for row in self._rows]
        self._outer: list[int] = []
        stack: list[int] = []
        for at, (start, _, _) in enumerate(self._rows):
            while stack and self._rows[stack[-1]][1] <= start:
                stack.pop()
            self._outer.append(stack[-1] if stack else -1)
            stack.append(at)

    @classmethod
    def of(cls, nodes: Iterable[Node]) -> "Spans":
        """Return the ranges of nodes."""
        return cls([(node.start_byte, node.end_byte, "") for node in nodes])

    def hold(self, node: Node, *, inclusive: bool = True) -> bool:
        """Return whether a range contains a node, or with `inclusive`, is it."""
        return any(True for _ in self.around(node.start_byte, node.end_byte, inclusive=inclusive))

    def around(self, start: int, end: int, *, inclusive: bool = False) -> Iterator[tuple[int, int, str]]:
        """Yield the ranges around a range, innermost first; `inclusive` adds the range itself."""
        at = bisect_right(self._starts, start) - 1
        while at >= 0:
            row = self._rows[at]
            if row[0] <= start and end <= row[1] and (inclusive or (row[0], row[1]) != (start, end)):
                yield row
            at = self._outer[at]


def text(node: Node | None) -> str:
    """Return the source of a node, or "" if there is no node."""
    return node.text.decode("utf-8", "replace") if node is not None and node.text else ""


def name_of(node: Node) -> str:
    """Return the name in a node without quotes or colons: `total` for `:total`."""
    written = text(node)
    if node.type in SYMBOLS:
        return written[1:]
    if node.type == "alias":  # words with dots between them
        return written.rpartition(".")[2]
    return written.rstrip().removesuffix(":") if node.type in LABELS else written.strip(NAMED)


def is_declared(node: Node, *, free_functions: bool) -> bool:
    """Return whether a node is the name in a declaration.

    It must declare a type, or anything in a language with free functions.
    """
    above = node.parent
    if above is None or not (VALUES if free_functions else TYPES).fullmatch(above.type):
        return False
    name = above.child_by_field_name("name") or above.child_by_field_name("pattern")
    if name is not None and name != node:
        return False
    # A partial class may continue in another file.
    return not any(one.type == "modifier" and one.text == b"partial" for one in above.children)


def ancestors(node: Node) -> Iterator[Node]:
    """Yield the nodes around a node, innermost first."""
    above = node.parent
    while above is not None:
        yield above
        above = above.parent


def first_line(node: Node) -> int:
    """Return the 1-based line on which a node begins."""
    return node.start_point[0] + 1


def last_line(node: Node) -> int:
    """Return the 1-based line on which a node ends; a final line break does not count."""
    row, column = node.end_point[0], node.end_point[1]
    return row if column == 0 and row > node.start_point[0] else row + 1


def head(node: Node) -> str:
    """Return a definition without modifiers, up to its body, on one line."""
    inner = node.child_by_field_name("definition") or node
    last_part = inner.children[-1] if inner.children else inner
    # a body may be an argument
    bodies = last_part.children if last_part.type == "arguments" else inner.children
    body = inner.child_by_field_name("body") or next((one for one in bodies if one.type in BODIES), None)
    parts = (one for one in node.children if one.type not in MODIFIERS)
    start = next((one.start_byte for one in parts if "comment" not in one.type), node.start_byte)
    params = inner.child_by_field_name("parameters")
    is_ended = body is None and bool(inner.children) and inner.children[-1].type == "end"
    end = body.start_byte if body is not None else inner.children[-1].start_byte if is_ended else node.end_byte
    last = params or inner.child_by_field_name("name")
    if last is not None:  # comments before the body belong to the code
        rest = [one for one in inner.children if one.start_byte > last.start_byte]
        end = min([end, *(one.start_byte for one in rest if one.type == "comment")])
    code = (node.text or b"")[start - node.start_byte : end - node.start_byte]
    return " ".join(code[:HEAD].decode("utf-8", "replace").split()).rstrip(" :{;,\\").removesuffix("=>").rstrip(" =")


def errors(root: Node) -> Iterator[int]:
    """Yield the lines of syntax errors."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.is_error or node.is_missing:
            yield node.start_point[0] + 1
        elif node.has_error:
            stack += node.children


def kind_of(found: Captures) -> DefinitionKind | Literal[""]:
    """Return what a match defines, or ""."""
    return cast("DefinitionKind", next((key[4:] for key in found if key[:4] == "def."), ""))


def first(found: Captures, key: str, default: object = ...) -> Node:
    """Return the first node of a capture. If there is none, return the default or raise KeyError."""
    nodes = found.get(key)
    if nodes:
        return nodes[0]
    if default is ...:
        raise KeyError(key)
    return None  # type: ignore[return-value]
