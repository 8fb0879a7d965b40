"""Objects of C# whose class their place tells: `Cart cart = new(1)`, `Cart Make() => new(1)`, `List<Cart> all = new() { new(1) }`."""

from collections.abc import Iterator
from functools import lru_cache

from tree_sitter import Node, Query, QueryCursor

from bot.languages.constructions import Construction, destination_of
from bot.languages.csharp.uses import arguments
from bot.languages.syntax import grammar_of, text
from bot.text.filetypes import CSHARP

# What hands a value on to what stands around it, as it is or as one of several.
THROUGH = frozenset({
    "parenthesized_expression", "conditional_expression", "binary_expression", "switch_expression_arm", "switch_expression",
    "arrow_expression_clause", "variable_declarator", "equals_value_clause", "expression_element", "implicit_object_creation_expression",
    "accessor_declaration", "accessor_list", "return_statement", "await_expression",
})  # fmt: skip
ONE_OF = frozenset({"initializer_expression", "collection_expression", "yield_statement"})
STATEMENTS = frozenset({
    "block", "if_statement", "else_clause", "for_statement", "foreach_statement", "while_statement", "try_statement", "catch_clause",
    "finally_clause", "using_statement", "lock_statement", "switch_statement", "switch_body", "switch_section", "do_statement",
})  # fmt: skip
RETURNS = frozenset({"return_statement", "yield_statement"})
ASKS = frozenset({
    "variable_declaration", "property_declaration", "method_declaration", "local_function_statement", "object_creation_expression",
    "array_creation_expression", "operator_declaration", "indexer_declaration",
})  # fmt: skip
TASKS = frozenset({"Task", "ValueTask"})


def targets(root: Node) -> Iterator[Construction]:
    """The objects that are made without the name of their class, each with the name in the declaration that asks for it."""
    for creation in QueryCursor(_query()).captures(root).get("made", ()):
        argument_list = next((part for part in creation.named_children if part.type == "argument_list"), None)
        yield _asked(creation), creation, arguments(argument_list)


@lru_cache(maxsize=1)
def _query() -> Query:
    grammar = grammar_of(CSHARP)
    if grammar is None:
        raise RuntimeError("a file of C# was parsed without its grammar")
    return Query(grammar, "(implicit_object_creation_expression) @made")


def _asked(creation: Node) -> Node | None:
    """The name of the class that the place of a new object asks for; None if it is an argument, or is assigned."""
    destination = destination_of(creation, ASKS, lambda above: above.type in RETURNS, _levels)
    if destination is None:
        return None
    holder = destination.holder
    type_node = holder.child_by_field_name("type") or holder.child_by_field_name("returns")
    is_async = any(text(part) == "async" for part in holder.named_children if part.type == "modifier")
    if type_node is None or type_node == destination.value:
        return None
    return _name(type_node, destination.depth, is_async=is_async)


def _levels(above: Node, inner: Node, *, is_returned: bool) -> int | None:
    """How many collections a node puts around the value that it hands on; None if it hands none on."""
    if above.type in ONE_OF:
        return int(inner.type != "assignment_expression")
    if above.type == "assignment_expression" and _is_entry(above):
        return 1
    return 0 if above.type in THROUGH or (is_returned and above.type in STATEMENTS) else None


def _is_entry(assignment: Node) -> bool:
    """Whether an assignment puts a value under a key: `["a"] = new(1)`."""
    left = assignment.child_by_field_name("left")
    return left is not None and left.type == "element_binding_expression"


def _name(type_node: Node, depth: int, *, is_async: bool) -> Node | None:
    """The name of a type, or of what is so many levels inside it: `Cart` of `List<Cart>`."""
    node: Node | None = type_node
    while node is not None:
        if node.type == "nullable_type":
            node = node.child_by_field_name("type")
        elif node.type == "array_type":
            node, depth = node.child_by_field_name("type") if depth else None, depth - 1
        elif node.type in ("qualified_name", "alias_qualified_name"):
            node = node.child_by_field_name("name")
        elif node.type == "generic_name":
            node, depth, is_async = _of_generic(node, depth, is_async=is_async)
        else:
            break
    return node if node is not None and node.type == "identifier" and not depth else None


def _of_generic(node: Node, depth: int, *, is_async: bool) -> tuple[Node | None, int, bool]:
    own, inner = node.named_children[0], node.named_children[-1].named_children
    if is_async and text(own) in TASKS:
        return (inner[0] if inner else None), depth, False
    return (inner[-1] if inner else None, depth - 1, is_async) if depth else (own, 0, is_async)
