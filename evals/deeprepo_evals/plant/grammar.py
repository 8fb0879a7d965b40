"""The three families that defects are planted in, as syntax: which node is a function, a call, a condition, a string."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import PurePosixPath

from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser

from bot.languages.syntax import ancestors, text

DEEPEST = 400  # levels of a syntax tree: what is deeper was written by a program


@dataclass(frozen=True, slots=True)
class Family:
    """What the nodes of one grammar are called, and how its words are written."""

    name: str
    functions: frozenset[str]
    comparisons: frozenset[str]
    junctions: frozenset[str]
    calls: frozenset[str]
    arguments: frozenset[str]
    identifiers: frozenset[str]
    members: Mapping[str, tuple[str, str]]  # node -> (field of the object, field of the name)
    strings: frozenset[str]
    nothing: frozenset[str]  # None, null, nil
    exits: frozenset[str]  # statements that leave the block
    words: Mapping[str, str]  # and, or, not, is nothing, is something


PYTHON = Family(
    name="python",
    functions=frozenset({"function_definition"}),
    comparisons=frozenset({"comparison_operator"}),
    junctions=frozenset({"boolean_operator"}),
    calls=frozenset({"call"}),
    arguments=frozenset({"argument_list"}),
    identifiers=frozenset({"identifier"}),
    members={"attribute": ("object", "attribute")},
    strings=frozenset({"string"}),
    nothing=frozenset({"none"}),
    exits=frozenset({"return_statement", "raise_statement", "continue_statement", "break_statement"}),
    words={"and": "or", "or": "and", "not": "not "},
)
JAVASCRIPT = Family(
    name="javascript",
    functions=frozenset({"function_declaration", "method_definition"}),
    comparisons=frozenset({"binary_expression"}),
    junctions=frozenset({"binary_expression"}),
    calls=frozenset({"call_expression"}),
    arguments=frozenset({"arguments"}),
    identifiers=frozenset({"identifier", "property_identifier", "shorthand_property_identifier"}),
    members={"member_expression": ("object", "property")},
    strings=frozenset({"string"}),
    nothing=frozenset({"null", "undefined"}),
    exits=frozenset({"return_statement", "throw_statement", "continue_statement", "break_statement"}),
    words={"&&": "||", "||": "&&", "not": "!"},
)
GO = Family(
    name="go",
    functions=frozenset({"function_declaration", "method_declaration"}),
    comparisons=frozenset({"binary_expression"}),
    junctions=frozenset({"binary_expression"}),
    calls=frozenset({"call_expression"}),
    arguments=frozenset({"argument_list"}),
    identifiers=frozenset({"identifier", "field_identifier"}),
    members={"selector_expression": ("operand", "field")},
    strings=frozenset({"interpreted_string_literal"}),
    nothing=frozenset({"nil"}),
    exits=frozenset({"return_statement", "continue_statement", "break_statement"}),
    words={"&&": "||", "||": "&&", "not": "!"},
)
SUFFIXES: Mapping[str, tuple[Family, str, str]] = {  # suffix -> family, module of the grammar, its function
    ".py": (PYTHON, "tree_sitter_python", "language"),
    **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs"), (JAVASCRIPT, "tree_sitter_javascript", "language")),
    **dict.fromkeys((".ts", ".mts", ".cts"), (JAVASCRIPT, "tree_sitter_typescript", "language_typescript")),
    ".tsx": (JAVASCRIPT, "tree_sitter_typescript", "language_tsx"),
    ".go": (GO, "tree_sitter_go", "language"),
}


def family(path: str) -> Family | None:
    """The family of a path, None where nothing is planted in such files."""
    found = SUFFIXES.get(PurePosixPath(path).suffix.lower())
    return found[0] if found else None


@lru_cache(maxsize=512)
def parse(suffix: str, source: bytes) -> Node:
    """The root of a file's syntax tree."""
    _, module, function = SUFFIXES[suffix]
    return Parser(_grammar(module, function)).parse(source).root_node


def root(path: str, source: bytes) -> Node:
    """The root of a path's syntax tree; its family must be known."""
    return parse(PurePosixPath(path).suffix.lower(), source)


@lru_cache(maxsize=8)
def _grammar(module: str, function: str) -> Grammar:
    return Grammar(getattr(import_module(module), function)())


def walk(node: Node) -> Iterator[Node]:
    """The node and everything in it, in the order of the file. Not recursive: code may nest deeply."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(current.children))


def functions(node: Node, kind: Family) -> Iterator[Node]:
    """Every function with a name and a body, those within others too."""
    for found in walk(node):
        if (
            found.type in kind.functions
            and found.child_by_field_name("body") is not None
            and text(found.child_by_field_name("name"))
        ):
            yield found


def own(function: Node, kind: Family) -> Iterator[Node]:
    """What is in a function's body and not in a function within it."""
    body = function.child_by_field_name("body")
    stack = [body] if body is not None else []
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed([child for child in current.children if child.type not in kind.functions]))


def enclosing(node: Node, kind: Family) -> Node | None:
    """The function around a node."""
    return next((above for above in ancestors(node) if above.type in kind.functions), None)


def positional(call: Node, kind: Family) -> list[Node] | None:
    """The arguments that are given by their place; None where a spread hides how many there are."""
    given = call.child_by_field_name("arguments")
    if given is None or given.type not in kind.arguments:
        return None
    rows = [child for child in given.named_children if child.type != "comment"]
    if any(row.type in {"list_splat", "dictionary_splat", "spread_element", "variadic_argument"} for row in rows):
        return None
    return [row for row in rows if row.type != "keyword_argument"]


def parameters(function: Node, kind: Family) -> list[str] | None:
    """The names of a function's positional parameters, a method's own object left out; None where they are not plain names."""
    found: list[str] = []
    for row in _rows(function):
        if row.type in {"keyword_separator", "list_splat_pattern", "dictionary_splat_pattern"}:
            break
        names = _names(row, kind)
        if not names:
            return None
        found += names
    return found[1:] if kind is PYTHON and found[:1] in (["self"], ["cls"]) else found


def types(function: Node, kind: Family) -> list[str]:
    """What the positional parameters are declared to be, one entry for each; empty where nothing is declared."""
    found: list[str] = []
    for row in _rows(function):
        declared = " ".join(text(row.child_by_field_name("type")).split())
        found += [declared] * len(_names(row, kind))
    return found[1:] if kind is PYTHON and _rows(function) and text(_rows(function)[0]) in {"self", "cls"} else found


def _rows(function: Node) -> list[Node]:
    given = function.child_by_field_name("parameters")
    return [child for child in given.named_children if child.type != "comment"] if given is not None else []


def _names(row: Node, kind: Family) -> list[str]:
    if kind is GO:
        return (
            [text(child) for child in row.children_by_field_name("name")] if row.type == "parameter_declaration" else []
        )
    if row.type == "identifier":
        return [text(row)]
    inner = row.child_by_field_name("name") or row.child_by_field_name("pattern") or row.child_by_field_name("left")
    if inner is None and row.type == "typed_parameter":
        inner = row.named_children[0] if row.named_children else None
    return [text(inner)] if inner is not None and inner.type == "identifier" else []
